"""The audit as admins read it, a page at a time, and as a file.

Rules of this file: frozen contexts and pure functions from stored lines to them. What a line holds is said in
`storage/audit.py`, its sentence in `views/audit_words.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from webapp.storage.audit import WHAT
from webapp.storage.models import Act
from webapp.views import audit_words, dates, names

PAGE_SIZE = 100
ID_LENGTH = 12  # of a trace
# how somebody came to be known
HOW = {
    "session": "in a browser",
    "key": "by a key",
    "header": "named by the proxy in front",
    # the sentence says it
    "open": "",
    "link": "",
    "command": "",
    "nobody": "",
}


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """What is shown. what: "" = all; about: id of a trace, "" = all; page: 1-based."""

    what: str = ""
    about: str = ""
    page: int = 1

    @property
    def offset(self) -> int:
        return (self.page - 1) * PAGE_SIZE

    def href(self, **changes: Any) -> str:
        """The URL with some members changed; any but of the page goes back to page 1."""
        chosen = replace(self, **{"page": 1, **changes})
        query = {name: value for name in ("what", "about") if (value := getattr(chosen, name))}
        if chosen.page > 1:
            query["page"] = str(chosen.page)
        return f"/audit?{urlencode(query)}" if query else "/audit"


def parse_query(what: str, about: str, page: str) -> AuditQuery:
    """What a URL asks for; the whole address of a trace is taken for its id, what does not exist is left out."""
    id_ = about.strip().partition("?")[0].rstrip("/").rpartition("/")[2]
    return AuditQuery(
        what=what if what in WHAT else "",
        about=id_[: ID_LENGTH * 4],
        page=names.page_number(page),
    )


@dataclass(frozen=True, slots=True)
class ActLine:
    """One line. at: local time, at_iso: the same for programs; who, did: the two halves of its sentence; about: id of
    a trace, name: what it is called now, "" when it is gone; only: URL of the lines about it."""

    at: str
    at_iso: str
    who: str
    how: str
    did: str
    about: str
    name: str
    only: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """`/audit`. whats: (value, label, chosen); newer, older: "" where there is no such page."""

    lines: Sequence[ActLine]
    whats: Sequence[tuple[str, str, bool]]
    query: AuditQuery
    shown: str
    newer: str
    older: str

    @property
    def narrowed(self) -> bool:
        return bool(self.query.what or self.query.about)


def links_in(acts: Iterable[Act]) -> set[str]:
    """Ids of the links that these lines tell of."""
    return {str(act.detail["link"]) for act in acts if act.detail.get("link")}


def page(
    query: AuditQuery, acts: Sequence[Act], total: int, known: Mapping[str, str], links: Mapping[str, str]
) -> AuditPage:
    """acts: of this page, newest first; total: of all pages; known, links: ids of traces and of links that stand ->
    what they are called now."""
    last = query.offset + len(acts)
    return AuditPage(
        lines=[_line(act, known, links, query) for act in acts],
        whats=[("", "everything", not query.what), *_kinds(query.what)],
        query=query,
        shown=f"{query.offset + 1:,} to {last:,} of {total:,}" if acts else "",
        newer=query.href(page=query.page - 1) if query.page > 1 else "",
        older=query.href(page=query.page + 1) if last < total else "",
    )


def _kinds(chosen: str) -> list[tuple[str, str, bool]]:
    return [(each, audit_words.LABELS[each], each == chosen) for each in WHAT]


def _line(act: Act, known: Mapping[str, str], links: Mapping[str, str], query: AuditQuery) -> ActLine:
    return ActLine(
        at=dates.exact(act.at),
        at_iso=_iso(act.at),
        who=audit_words.who(act, links),
        how=HOW.get(act.how, act.how),
        did=audit_words.did(act, links),
        about=act.about,
        name=known.get(act.about, ""),
        only=query.href(about=act.about) if act.about and act.about != query.about else "",
    )


def export_line(act: Act) -> bytes:
    """A line of `audit.jsonl`: JSON, with its line end. at: ISO 8601 in UTC."""
    told = {
        "n": act.pk,
        "at": _iso(act.at),
        "who": act.who,
        "how": act.how,
        "what": act.what,
        "trace": act.about or None,
        "detail": act.detail,
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _iso(seconds: float) -> str:
    return dates.stamp(seconds).replace(" ", "T")
