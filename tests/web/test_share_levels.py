"""What the reader of a link sees: as much as was chosen, of a copy that goes when no link needs it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from tests.browser import message, run
from webapp.accounts import cookies
from webapp.app import create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import audit, shares, sign_ins, traces, users
from webapp.storage.db import Database
from webapp.storage.models import Share, Trace
from webapp.views.share_levels import EXAMPLES, SAID
from webapp.web.running import drop_ended

pytestmark = pytest.mark.databases("sqlite", "postgresql")

BASE = "http://127.0.0.1:8321"
MORE = "and ask for the blue kettle"
RECORDING = run(*message(SAID, "m1"), *message(MORE, "m2"))


@pytest.fixture
def trace_id(database: Database, settings: Settings) -> str:
    """Two messages, one of which tells an address."""
    return ingest(database, [RECORDING], name="kettles.sse", settings=settings).id


@pytest.fixture
def make(client: TestClient, trace_id: str) -> Callable[..., str]:
    """Make a link by the form; gives its path, `/s/TOKEN`."""

    def made(level: str, **answers: str) -> str:
        form = {"name": f"{level} link", "days": "7", "level": level, **answers}
        if level == "everything":
            form["sure"] = "1"
        answer = client.post(f"/traces/{trace_id}/share", data=form)
        assert answer.status_code == 200
        found = re.search(r'class="url" value="[^"]*?(/s/[\w-]+)"', answer.text)
        assert found
        return found[1]

    return made


def copies(database: Database) -> list[str]:
    """The levels of the redacted copies there are."""
    with database.session() as session:
        return sorted(session.scalars(select(Trace.redaction).where(Trace.copy_of.is_not(None))))


def acts(database: Database, what: str) -> list[tuple[str, str, str, dict[str, Any]]]:
    """who, how, about, detail of the lines of the audit, oldest first."""
    with database.session() as session:
        return [(a.who, a.how, a.about, a.detail) for a in audit.all_lines(session) if a.what == what]


def head_of(html: str) -> str:
    """The words of the page's head, without marks."""
    head = html[html.index("<header") : html.index("</header>")]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", head)).split())


def test_the_examples_of_the_form_are_what_links_show(client: TestClient, make: Callable[..., str]) -> None:
    """What each card says of a message is what its link shows of this very message, and no more."""
    shown = {
        level: unescape(client.get(f"{make(level)}?panel=conversation&event=7").text) for level in EXAMPLES
    }
    for level, html in shown.items():
        assert {other for other in EXAMPLES if EXAMPLES[other] in html} == {level}
    assert {level for level, html in shown.items() if MORE in html} == {"personal", "everything"}


def test_the_head_says_what_was_taken_out_and_whose_the_verdict_is(
    client: TestClient, make: Callable[..., str]
) -> None:
    """A redacted page tells the engine that sealed its verdict; one that shows everything says that."""
    structure, personal, everything = (head_of(client.get(make(level)).text) for level in EXAMPLES)
    assert "texts, arguments, results and state are taken out" in structure
    assert "recognised personal data and secrets are overwritten" in personal
    assert "everything is shown" in everything
    for told in (structure, personal):
        assert re.search(
            r"verdict sealed before redaction, by engine \S+ The verdict and the findings were", told
        )
    assert "sealed" not in everything


def test_a_link_made_before_there_was_a_choice_shows_the_structure(
    client: TestClient, database: Database, trace_id: str
) -> None:
    """Its copy is made when it is first opened, and once."""
    with database.session() as session:
        trace = traces.get(session, trace_id)
        assert trace is not None
        _, token = shares.create(session, trace.pk, name="old", now=time.time(), days=7)
    assert copies(database) == []
    for _ in range(2):
        html = client.get(f"/s/{token}?panel=conversation&event=7").text
        assert EXAMPLES["structure"] in html
        assert SAID not in html
    assert copies(database) == ["structure"]


def test_a_copy_lives_as_long_as_a_link_opens_it(
    client: TestClient, database: Database, trace_id: str, make: Callable[..., str]
) -> None:
    """Two links share one copy; revoking the last link of a level drops it; another level's stays."""
    make("structure"), make("structure"), make("personal"), make("everything")
    assert copies(database) == ["personal", "structure"]
    html = client.get(f"/traces/{trace_id}/share").text
    by_name = re.findall(r'<b>(\w+) link</b>.*?action="([^"]*/revoke)"', html, re.S)
    first, second = (action for name, action in by_name if name == "structure")
    client.post(first)
    assert copies(database) == ["personal", "structure"]
    client.post(second)
    assert copies(database) == ["personal"]


def test_copies_of_expired_links_go_by_themselves(database: Database, make: Callable[..., str]) -> None:
    """The hourly look drops what no link opens any more, and keeps what one does."""
    make("structure"), make("personal")
    drop_ended(database, time.time())
    assert copies(database) == ["personal", "structure"]
    with database.session() as session:
        session.execute(update(Share).where(Share.level == "structure").values(expires=time.time() - 1))
    drop_ended(database, time.time())
    assert copies(database) == ["personal"]


def test_a_running_recording_is_shown_whole_or_not_yet(
    client: TestClient, database: Database, trace_id: str, make: Callable[..., str]
) -> None:
    """Nothing can be taken out of what is still coming: the form says so, and an older link waits."""
    path = make("structure")
    with database.session() as session:
        session.execute(update(Trace).where(Trace.id == trace_id).values(status="live"))
    form = client.get(f"/traces/{trace_id}/share").text
    assert re.findall(r'name="level" value="(\w+)"[^>]*disabled', form) == ["structure", "personal"]
    assert not re.search(r'name="level"[^>]*checked', form)
    refused = client.post(f"/traces/{trace_id}/share", data={"name": "x", "days": "7"})
    assert refused.status_code == 400
    assert "or make the link then." in unescape(refused.text)
    waiting = client.get(path)
    assert waiting.status_code == 409
    assert "still being recorded" in waiting.text
    assert "kettles" not in waiting.text
    assert SAID not in waiting.text
    whole = client.get(make("everything"))
    assert whole.status_code == 200
    assert "still being recorded; this page does not follow" in head_of(whole.text)
    assert not re.search(r"page follows|follow the newest|data-live", whole.text)


def test_sharing_can_be_turned_off(
    client: TestClient, database: Database, tmp_path: Path, trace_id: str, make: Callable[..., str]
) -> None:
    """Links that work answer as ended ones do, none is made, and both pages say why; revoking goes on."""
    path = make("everything")
    ended = client.get("/s/nothing")
    with TestClient(
        create_app(load_settings(data_dir=tmp_path, sharing="off"), database),
        base_url=BASE,
        follow_redirects=False,
    ) as off:
        for tail in ("", "/events", "/original", "/play"):
            answer = off.get(f"{path}{tail}")
            assert (answer.status_code, answer.content) == (404, ended.content)
        assert "/share?" not in off.get(f"/traces/{trace_id}").text
        refused = off.post(f"/traces/{trace_id}/share", data={"name": "x", "days": "7"})
        assert refused.status_code == 403
        assert "Sharing is turned off" in refused.text
        page, listed = off.get(f"/traces/{trace_id}/share").text, off.get("/shares").text
        for html in (page, listed):
            assert "LANESCOPE_SHARING" in html
            assert ">turned off<" in html
        assert 'name="level"' not in page
        revoke = re.findall(r'action="([^"]*/revoke)"', page)
        assert off.post(revoke[0]).status_code == 303
    assert client.get(path).status_code == 404
    with database.session() as session:
        assert session.scalar(select(func.count()).select_from(Share)) == 1


def test_all_links_of_a_trace_or_of_all_end_together(
    client: TestClient, database: Database, settings: Settings, trace_id: str, make: Callable[..., str]
) -> None:
    """Their copies go too; the other trace's link goes only with those of the whole installation."""
    paths = [make("structure"), make("personal"), make("everything")]
    other = ingest(database, [run(*message("another"))], name="other.sse", settings=settings).id
    answer = client.post(f"/traces/{other}/share", data={"name": "other", "days": "1"})
    found = re.search(r"/s/[\w-]+", answer.text)
    assert found
    page = client.get(f"/traces/{trace_id}/share").text
    assert f'action="/traces/{trace_id}/share/revoke-all"' in page
    assert (
        "/share/revoke-all" not in client.get(f"/traces/{other}/share").text
    )  # one link has a button already
    answer = client.post(f"/traces/{trace_id}/share/revoke-all")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/traces/{trace_id}/share?ended=3")
    assert [client.get(path).status_code for path in paths] == [404, 404, 404]
    assert client.get(found[0]).status_code == 200
    assert copies(database) == ["structure"]
    listed = client.get("/shares").text
    assert "This ends 1 link," in listed
    answer = client.post("/shares/revoke-all")
    assert (answer.status_code, answer.headers["location"]) == (303, "/shares?ended=1")
    assert client.get(found[0]).status_code == 404
    assert copies(database) == []
    assert "revoke-all" not in client.get("/shares").text


def test_the_audit_tells_who_shared_looked_and_revoked(
    client: TestClient, database: Database, trace_id: str, make: Callable[..., str]
) -> None:
    """Each with the link's id and level, never with its token; a part of the page is no further look."""
    path = make("structure", days="30")
    client.get(path)
    client.get(f"{path}/events", headers={"HX-Request": "true"})
    client.get(f"{path}/report.html")
    client.post(f"/traces/{trace_id}/share/revoke-all")
    client.get(path)
    with database.session() as session:
        link = session.scalars(select(Share.id)).one()
        told = str([(each.who, each.about, each.detail) for each in audit.all_lines(session)])
    detail = {"link": link, "level": "structure"}
    assert acts(database, "shared") == [("this machine", "open", trace_id, {**detail, "days": 30})]
    assert acts(database, "viewed by link") == [(f"link {link}", "link", trace_id, detail)]
    exported = [each for each in acts(database, "exported") if each[1] == "link"]
    assert exported == [(f"link {link}", "link", trace_id, {**detail, "kind": "report"})]
    assert acts(database, "revoked") == [("this machine", "open", trace_id, detail)]
    assert path.removeprefix("/s/") not in told


def test_reloads_are_one_look_of_the_audit(
    client: TestClient, database: Database, make: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within ten minutes; each is counted, and another link's reader is another."""
    path, other = make("structure"), make("everything")
    for each in (path, path, other, path):
        client.get(each)
    assert len(acts(database, "viewed by link")) == 2
    with database.session() as session:
        assert sorted(session.scalars(select(Share.views))) == [1, 3]
    later = time.time() + 601
    monkeypatch.setattr("webapp.web.audit.time.time", lambda: later)
    client.get(path)
    assert len(acts(database, "viewed by link")) == 3


def test_the_report_offered_with_a_new_link_holds_what_the_link_shows(
    client: TestClient, trace_id: str
) -> None:
    """And no more, whatever was chosen."""
    for level, said in (("structure", False), ("everything", True)):
        form = {"name": level, "days": "7", "level": level, "sure": "1"}
        page = client.post(f"/traces/{trace_id}/share", data=form).text
        offered = re.search(r'href="([^"]*/report.html)"', page)
        assert offered
        report = client.get(offered[1])
        assert report.status_code == 200
        assert (SAID in report.text) == said
        assert f"/traces/{trace_id}/report.html" not in page


@pytest.fixture
def redacted_id(client: TestClient, trace_id: str) -> Callable[[str], str]:
    """The trace that its redacted file becomes when it is uploaded; its public id."""

    def made(level: str) -> str:
        file = client.get(f"/traces/{trace_id}/redacted.jsonl?level={level}").content
        answer = client.post("/api/traces?name=from+a+customer", content=file)
        assert answer.status_code == 201
        return str(answer.json()["id"])

    return made


def test_a_redacted_upload_is_shared_in_words_that_are_true_of_it(
    client: TestClient, redacted_id: Callable[[str], str]
) -> None:
    """No text is promised that is not there, no tick asked for it, and the verdict is the file's."""
    public = redacted_id("structure")
    page = unescape(client.get(f"/traces/{public}/share").text)
    assert "every text as recorded" not in page
    assert "Texts stay" not in page
    assert "The verdict is the one in that file, by engine" in page
    assert 'name="sure"' not in page
    assert page.count("Its texts were taken out before it came here.") == 3
    made = client.post(f"/traces/{public}/share", data={"name": "x", "days": "7", "level": "everything"})
    link = re.search(r'class="url" value="[^"]*?(/s/[\w-]+)"', made.text)
    assert link
    head = head_of(client.get(link[1]).text)
    assert "texts, arguments, results and state are taken out" in head
    assert "A redacted file was uploaded here, and it says that this verdict was made" in head


def test_a_redacted_upload_that_holds_texts_wants_the_second_tick(
    client: TestClient, redacted_id: Callable[[str], str]
) -> None:
    """Its texts can still be taken out, and showing them is a decision."""
    public = redacted_id("personal")
    page = unescape(client.get(f"/traces/{public}/share").text)
    assert "replaced by their length" in page
    assert page.count("Recognised personal data and secrets were taken out before it came here.") == 2
    refused = client.post(f"/traces/{public}/share", data={"name": "x", "days": "7", "level": "everything"})
    assert refused.status_code == 400


def test_a_redacted_upload_is_told_as_such_in_the_list_and_the_ticket(
    client: TestClient, trace_id: str, redacted_id: Callable[[str], str]
) -> None:
    """The trace it was made of is not."""
    public = redacted_id("structure")
    rows = dict(re.findall(r'<tr id="t-(\w+)">(.*?)</tr>', client.get("/").text, re.S))
    assert ("redacted" in rows[public], "redacted" in rows[trace_id]) == (True, False)
    told = client.get(f"/traces/{public}/ticket.md").text
    assert "- **Redacted:** Texts were taken out: structure only." in told
    assert "Judged by" not in told
    assert "Redacted" not in client.get(f"/traces/{trace_id}/ticket.md").text


def test_the_lists_name_the_maker_and_the_link_does_not(
    client: TestClient, database: Database, settings: Settings, trace_id: str
) -> None:
    """Whoever reads the link learns neither who made it, nor whose trace it is, nor what the link is called."""
    with database.session() as session:
        ada = users.add(session, name="Ada Uploader", role="editor", now=time.time())
        _, token = sign_ins.begin(session, ada.pk, now=time.time(), agent="x", days=1)
        session.execute(update(Trace).values(owner=ada.pk))
    cookie = {"Cookie": f"{cookies.name(settings)}={cookies.signed(token, settings)}"}
    paths = []
    for level in EXAMPLES:
        form = {"name": "Secret project", "days": "7", "level": level, "sure": "1"}
        answer = client.post(f"/traces/{trace_id}/share", data=form, headers=cookie)
        found = re.search(r'class="url" value="[^"]*?(/s/[\w-]+)"', answer.text)
        assert found
        paths.append(found[1])
    for address in (f"/traces/{trace_id}/share", "/shares"):
        assert client.get(address, headers=cookie).text.count("by Ada Uploader") == 3
    assert {each[:2] for each in acts(database, "shared")} == {("Ada Uploader", "session")}
    assert "revoke-all" not in client.get("/shares", headers=cookie).text  # an admin's to do
    for path in paths:
        for panel in ("events", "source", "findings", "conversation"):
            answer = client.get(f"{path}?panel={panel}", headers=cookie)
            assert answer.status_code == 200
            told = answer.text + str(answer.headers)
            for secret in ("Ada", "Secret project", trace_id):
                assert secret not in told
