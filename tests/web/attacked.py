"""An installation in which everything that anybody can name or send says a hostile word, and how its pages are read.

Rules of this file: making it and reading it; no expectation but that pages can be read.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.prepared import prepared
from tests.web.people import browser, person
from tests.web.test_hostile import everywhere
from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage import audit, keys, shares, sign_ins, traces
from webapp.storage.db import Database

MARK = "x7el"  # an element and the beginning of an attribute's name that no page of ours has
# what would come of each is an element, an attribute, an address or a number that a page must not have
WORDS = {
    "element": f"\"'><{MARK} {MARK}=1 src=//evil.invalid/x><img src=x onerror={MARK}()>",
    "end": f"</title></textarea></style></select></script><script>{MARK}()</script><{MARK}>",
    "svg": f"]]>--><svg onload={MARK}()><a xlink:href='javascript:{MARK}'><![CDATA[<!--",
    "address": f"javascript:{MARK}()",
    "attribute": f"x {MARK}=1 onfocus={MARK}() autofocus ",
    "template": "{{7191*7}}{%print(7191*7)%}${7191*7}#{7191*7}%%{init:{}}%%",
    "markdown": f"`<{MARK}>` #1 ` [x](javascript:{MARK}) ![x](//evil.invalid/{MARK}) | a |",
    "turned": f"\u202egnp.{MARK}\u2066",
    "lines": f"a\r\n\r\nSet-Cookie: {MARK}=1\r\n<{MARK}>",
}
PRODUCT = "50337"  # 7191 * 7
ADDRESSES = {
    "href",
    "src",
    "action",
    "formaction",
    "srcset",
    "data",
    "poster",
    "hx-get",
    "hx-post",
    "xlink:href",
}


@dataclass
class Attacked:
    """admin: a browser that is signed in, whose account has the word in its name where a name may."""

    admin: TestClient
    nobody: TestClient
    database: Database
    word: str
    agui: str
    teams: str
    token: str
    key: str
    user: str

    def address(self, path: str, trace: str) -> str:
        known = {
            "trace_id": trace,
            "token": self.token,
            "rule_id": "RUN-01",
            "seq": "3",
            "verdict": "none",
            "item": "1",
            "user_id": self.user,
        }
        return re.sub(r"\{(\w+)(?::path)?\}", lambda found: known.get(found[1], "x"), path)


def attacked(
    app: FastAPI, settings: Settings, database: Database, started: TestClient, word: str
) -> Attacked:
    """Fill an installation with the word. started: a client for which the application runs."""
    admin, agui, teams, token, key = prepared(
        database, (__name__, word), lambda: _stored(database, settings, word)
    )
    return Attacked(
        browser(app, settings, database, admin, started),
        browser(app, settings, database, beside=started),
        database, word, agui, teams, token, key, "x",
    )  # fmt: skip


def _stored(database: Database, settings: Settings, word: str) -> tuple[int, str, str, str, str]:
    """The admin's number, the two traces, a link's token and a key's id."""
    now = time.time()
    seen = "".join(sign for sign in word if sign.isprintable())  # a name is made of signs that can be seen
    admin = person(database, seen[:80], "admin")
    person(database, f"second {seen}"[:80], "viewer")
    agui = "".join(f"data: {json.dumps(each)}\n\n" for each in everywhere(word))
    files = (("agui", agui.encode()), ("teams", teams_lines(word)))
    stored = {
        name: ingest(
            database, [body], name=f"{word}.{name}", source=f"{word}/../{word}", settings=settings
        ).id
        for name, body in files
    }
    with database.session() as session:
        rows = [traces.get(session, each) for each in stored.values()]
        for row in rows:
            assert row is not None
            traces.rename(session, row.pk, word)
            traces.set_ticket(session, row.pk, word[:100])
            traces.set_note(session, row.pk, word)
            row.owner = admin
            _, token = shares.create(
                session, row.pk, name=word, level=shares.EVERYTHING, panel="events", event=3,
                now=now, days=7, maker=admin,
            )  # fmt: skip
        key, _ = keys.make(session, admin, name=word, scope="read", now=now)
        sign_ins.begin(session, admin, now=now, agent=word, days=1)
        audit.add(
            session, at=now, who=word, how="header", what="edited", about=word[:12], detail={"name": word}
        )
        key_id = key.id
    return admin, stored["agui"], stored["teams"], token, key_id


def teams_lines(word: str) -> bytes:
    """Exchange lines with the word in every text of them, header names and the address included."""
    person_ = {"id": word, "name": word, "aadObjectId": word, word: word}
    lines = []
    for number, kind in enumerate(("typing", "typing", "message", word)):
        info = {"type": "streaminfo", "streamType": "final" if kind == "message" else "streaming"}
        activity: dict[str, Any] = {
            "type": kind, "text": word, "from": person_, "recipient": person_, "channelId": "msteams",
            "conversation": {"id": word, "name": word}, "locale": word, "summary": word, word: word,
            "entities": [{**info, "streamSequence": number + 1, "streamId": word}, {"type": word, word: word}],
            "attachments": [{"contentType": word, "contentUrl": word, "name": word, "content": {word: word}}],
            "suggestedActions": {"actions": [{"type": "openUrl", "title": word, "value": word}]},
        }  # fmt: skip
        lines.append(
            {
                "at": float(number), "method": "POST", "request": activity,
                "url": f"https://smba.trafficmanager.net/amer/v3/conversations/{number}/activities?{word}",
                "requestHeaders": {word: word, "X-A": word},
                "response": {"status": 403 if number == 1 else 201, "headers": {word: word, "Retry-After": word},
                             "body": {"id": word, "error": {"code": word, "message": word}}},
                "took": 0.1,
            }
        )  # fmt: skip
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


@dataclass
class Read(HTMLParser):
    """What a browser would make of a page that matters here: elements, attributes, addresses, and words shown."""

    bad: list[str] = field(default_factory=list)
    scripts: int = 0
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if MARK in tag:
            self.bad.append(f"<{tag}>")
        for name, value in attrs:
            held = value or ""
            where = f"{tag} {name}={held[:80]!r}"
            if MARK in name or name.startswith(("on", "hx-on")) or name == "style":
                self.bad.append(where)
            if name in ADDRESSES:
                scheme = re.sub(r"[\x00-\x20]", "", held).lower()
                if scheme.startswith(("javascript:", "data:", "vbscript:", "//", "http:", "https:")) and (
                    MARK in scheme or "evil" in scheme
                ):
                    self.bad.append(where)
        if tag == "script" and not (dict(attrs).get("src") or "").startswith("/static/"):
            self.bad.append(f"<script> {attrs}")
        if tag == "img" and dict(attrs).get("src") == "x":
            self.bad.append("<img src=x>")

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Read:
    page = Read()
    page.feed(html)
    page.close()
    return page
