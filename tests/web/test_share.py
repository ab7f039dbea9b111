"""Share links: made once, read-only, the same nothing when they have ended, and never written down."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from tests.prepared import prepared
from webapp.app import ROOT, create_app
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views.panels import PANELS

SAMPLE = ROOT / "tests" / "samples" / "chunked-two-subagents.sse"
SECRETS = ("the-customer-file.sse", "note: call them back", "TICKET-4711")
EVERYTHING = {"level": "everything", "sure": "1"}
LEVELS = ("structure", "personal", "everything")
DOWNLOADS = ("original", "report.html", "sequence.svg", "sequence.mmd")
# many requests about what pages say, which no database tells otherwise
ONE = pytest.mark.databases("sqlite")


@pytest.fixture
def trace_id(database: Database, settings: Settings) -> str:
    """A rejected trace with a file name, a note and a ticket number of its own."""

    def stored() -> str:
        made = ingest(database, [SAMPLE.read_bytes()], name=SECRETS[0], settings=settings)
        with database.session() as session:
            trace = traces.get(session, made.id)
            assert trace is not None
            traces.rename(session, trace.pk, "refund desk")
            traces.set_note(session, trace.pk, SECRETS[1])
            traces.set_ticket(session, trace.pk, SECRETS[2])
        return made.id

    return prepared(database, __name__, stored)


@pytest.fixture
def make(client: TestClient, trace_id: str) -> Callable[..., str]:
    """Make a link by the form; gives its path, `/s/TOKEN`. It shows everything unless `level` says otherwise."""

    def made(**answers: str) -> str:
        form = {"name": "for the team", "days": "7", "panel": "events", "event": "", **EVERYTHING, **answers}
        answer = client.post(f"/traces/{trace_id}/share", data=form)
        assert answer.status_code == 200
        return link_of(answer.text)

    return made


def link_of(html: str) -> str:
    found = re.search(r'class="url" value="[^"]*?(/s/[\w-]+)"', html)
    assert found
    return found[1]


def hrefs(html: str) -> set[str]:
    return {unescape(href) for href in re.findall(r'\b(?:href|action)="([^"]*)"', html)}


def test_the_form_opens_where_the_reader_was(client: TestClient, trace_id: str) -> None:
    """Name of the trace, seven days, and the panel and event the Share button was pressed at."""
    html = client.get(f"/traces/{trace_id}/share?panel=sequence&event=352").text
    assert 'name="name" value="refund desk"' in html
    assert '<option value="7" selected>7 days</option>' in html
    assert '<option value="sequence" selected>Sequence</option>' in html
    assert 'name="event" value="352"' in html
    assert re.search(r'value="structure"[^>]*checked', html)
    assert "checked" not in re.findall(r'<input type="checkbox"[^>]*>', html)[0]


def test_a_link_is_shown_once(client: TestClient, trace_id: str, make: Callable[..., str]) -> None:
    """In the answer that no cache keeps; the list has its name and never its address."""
    answer = client.post(f"/traces/{trace_id}/share", data={"name": "once", "days": "1"})
    token = link_of(answer.text).removeprefix("/s/")
    assert answer.headers["cache-control"] == "no-store"
    assert len(token) == 32
    for address in (f"/traces/{trace_id}/share", "/shares"):
        again = client.get(address).text
        assert "once" in again
        assert token not in again


@ONE
@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "n" * 121}, "121 characters"),
        ({"days": "400"}, "how long the link works"),
        ({"panel": "secrets"}, "the panel at which"),
        ({"event": "412"}, "There is no event #412; the last one is #411."),
        ({"event": "<b>"}, "There is no event #&lt;b&gt;"),
        ({"level": "all"}, "Choose what the reader of the link sees."),
        ({"level": "everything"}, "tick that you may show them"),
        ({"level": "everything", "sure": "yes"}, "tick that you may show them"),
    ],
)
def test_a_form_that_cannot_be_used_loses_nothing(
    client: TestClient, trace_id: str, answers: dict[str, str], words: str
) -> None:
    """It comes back with one sentence and what was typed, and no link was made."""
    form = {"name": "kept name", "days": "30", "panel": "timeline", "event": "7", **answers}
    answer = client.post(f"/traces/{trace_id}/share", data=form)
    assert answer.status_code == 400
    assert words in answer.text
    if "name" not in answers:
        assert 'value="kept name"' in answer.text
    if "panel" not in answers:
        assert '<option value="timeline" selected>' in answer.text
    assert "None yet." in answer.text


def test_the_default_life_is_a_setting(tmp_path: Path, database: Database, trace_id: str) -> None:
    """LANESCOPE_SHARE_DAYS is chosen, and offered where it is none of the usual ones."""
    app = create_app(load_settings(data_dir=tmp_path, share_days=3), database)
    client = TestClient(app, base_url="http://127.0.0.1:8321")
    html = client.get(f"/traces/{trace_id}/share").text
    assert '<option value="3" selected>3 days</option>' in html
    assert client.post(f"/traces/{trace_id}/share", data={"name": "x", "days": "3"}).status_code == 200


def test_links_begin_with_the_public_url(tmp_path: Path, database: Database, trace_id: str) -> None:
    """What is sent to people begins with the address people use; else the page says it opens here only."""
    form = {"name": "x", "days": "7"}
    public = load_settings(data_dir=tmp_path, public_url="https://lanes.example")
    with TestClient(create_app(public, database), base_url="http://127.0.0.1:8321") as client:
        html = client.post(f"/traces/{trace_id}/share", data=form).text
    assert 'value="https://lanes.example/s/' in html
    assert "this machine only" not in html
    here = create_app(load_settings(data_dir=tmp_path), database)
    with TestClient(here, base_url="http://127.0.0.1:8321") as client:
        html = client.post(f"/traces/{trace_id}/share", data=form).text
    assert 'value="http://127.0.0.1:8321/s/' in html
    assert "this machine only" in html


@ONE
@pytest.mark.parametrize("level", LEVELS)
def test_a_shared_page_is_read_only_under_every_panel(
    client: TestClient, trace_id: str, make: Callable[..., str], level: str
) -> None:
    """No link to the trace's own address or to other traces, no form that changes anything, no secret."""
    path = make(level=level)
    for panel in PANELS:
        for address in (f"{path}?panel={panel}&event=352", f"{path}/{panel}?event=352"):
            answer = client.get(address)
            assert answer.status_code == 200, address
            html = answer.text
            assert f'data-panel="{panel}"' in html
            leading = {href for href in hrefs(html) if not href.startswith(("#", "/static/", "/favicon/"))}
            assert {href for href in leading if not href.startswith((path, "/rules"))} == set(), address
            assert 'method="post"' not in html, address
            assert trace_id not in html, address
            assert "/share" not in html, address
            for secret in (*SECRETS, "for the team"):
                assert secret not in html, address


@ONE
@pytest.mark.parametrize("level", LEVELS)
def test_every_address_a_shared_page_leads_to_works(
    client: TestClient, make: Callable[..., str], level: str
) -> None:
    """Events, panels, downloads and rules, from every panel."""
    path = make(level=level)
    kinds: dict[str, str] = {}
    for panel in PANELS:
        html = client.get(f"{path}?panel={panel}&event=352").text
        leading = [
            href for href in hrefs(html) if href.startswith(("/s/", "/rules", "/static/", "/favicon/"))
        ]
        assert len(leading) > 10, panel
        # one of each kind: a hundred rows lead to a hundred events by the same address
        kinds |= {re.sub(r"=[\d.]+", "=", href): href for href in leading}
    failed = {href: code for href in kinds.values() if (code := client.get(href).status_code) != 200}
    assert failed == {}


@ONE
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("tail", DOWNLOADS)
def test_downloads_of_a_link_name_neither_file_nor_ticket(
    client: TestClient, trace_id: str, make: Callable[..., str], tail: str, level: str
) -> None:
    """They are called as the trace is, where that may be told; only what the link shows is in them."""
    answer = client.get(f"{make(level=level)}/{tail}")
    assert answer.status_code == 200
    told = answer.headers["content-disposition"]
    assert told.startswith("attachment; ")
    assert ("refund" in told) == (level == "everything")
    assert trace_id not in answer.text
    for secret in SECRETS:
        assert secret not in told
        assert secret not in answer.text
    if tail == "original" and level == "everything":
        assert answer.content == SAMPLE.read_bytes()


@pytest.mark.parametrize("level", LEVELS)
def test_a_link_opens_where_it_was_made_for(client: TestClient, make: Callable[..., str], level: str) -> None:
    """At its panel and event, unless the address names another view; a redacted copy has the same numbers."""
    path = make(panel="timeline", event="21", level=level)
    html = client.get(path).text
    assert 'data-panel="timeline" data-event="21"' in html
    assert 'data-panel="events" data-event="30"' in client.get(f"{path}?event=30").text
    assert 'data-panel="sequence" data-event="352"' in client.get(f"{path}?panel=sequence").text


def test_the_head_says_until_when_and_nothing_else(client: TestClient, make: Callable[..., str]) -> None:
    """The brand leads nowhere: the reader may have no right to the list."""
    html = client.get(make()).text
    head = html[html.index("<header") : html.index("</header>")]
    assert "read-only · until" in head
    assert "<a " not in head
    assert "<form" not in head


def test_no_answer_under_a_link_is_kept_or_told(client: TestClient, make: Callable[..., str]) -> None:
    """Page, fragment, download and refusal: no cache, no index, no Referer."""
    path = make()
    for address in (path, f"{path}/events", f"{path}/report.html", f"{path}/original", "/s/nothing"):
        headers = client.get(address).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-robots-tag"] == "noindex"
        assert headers["referrer-policy"] == "no-referrer"
    assert client.post(path).headers["cache-control"] == "no-store"


def test_ended_and_wrong_links_give_the_same_answer(
    client: TestClient, database: Database, trace_id: str, make: Callable[..., str]
) -> None:
    """Wrong, expired, revoked, its trace deleted: status, headers and body are equal, on every address."""
    expired, revoked, deleted = make(name="expired"), make(name="revoked"), make(name="deleted")
    with database.session() as session:
        session.execute(
            text("UPDATE shares SET expires = :now WHERE name = 'expired'"), {"now": time.time() - 1}
        )
    revoke = next(
        href for href in hrefs(client.get(f"/traces/{trace_id}/share").text) if href.endswith("/revoke")
    )
    with database.session() as session:
        share = session.execute(text("SELECT id FROM shares WHERE name = 'revoked'")).scalar_one()
    client.post(re.sub(r"[^/]+/revoke$", f"{share}/revoke", revoke))
    assert client.get(deleted).status_code == 200
    for tail in ("", "/events", "/original", "/report.html", "/sequence.svg", "/nothing"):
        told = [client.get(f"{path}{tail}") for path in (expired, revoked, "/s/wrong", f"/s/{'x' * 32}")]
        assert {answer.status_code for answer in told} == {404}
        assert len({answer.content for answer in told}) == 1
        assert len({tuple(sorted(answer.headers.items())) for answer in told}) == 1
    wrong = client.get("/s/wrong")
    client.post(f"/traces/{trace_id}/delete")
    assert client.get(deleted).content == wrong.content
    assert client.get(f"{expired}/events", headers={"HX-Request": "true"}).content == wrong.content


def test_a_page_whose_link_has_ended_is_loaded_anew(client: TestClient) -> None:
    """A script asking for a part is told to load the whole page, which says so."""
    assert client.get("/s/gone/events", headers={"HX-Request": "true"}).headers["hx-refresh"] == "true"


@pytest.mark.databases("sqlite")  # whose files can be searched
def test_the_token_is_nowhere_in_the_database(
    client: TestClient, tmp_path: Path, make: Callable[..., str]
) -> None:
    """Neither in the file nor in the log beside it, used or not."""
    path = make()
    client.get(path)
    token = path.removeprefix("/s/").encode()
    files = [file for file in tmp_path.iterdir() if file.name.startswith("lanescope.db")]
    assert files
    assert b"for the team" in b"".join(file.read_bytes() for file in files)
    assert [file.name for file in files if token in file.read_bytes()] == []


def test_views_count_pages_and_not_their_parts(
    client: TestClient, trace_id: str, make: Callable[..., str]
) -> None:
    """One a page load: swaps, fragments and downloads are the same visit."""
    path = make()
    assert "0 views" in client.get(f"/traces/{trace_id}/share").text
    client.get(path)
    client.get(f"{path}?event=3", headers={"HX-Request": "true"})
    client.get(f"{path}/timeline")
    client.get(f"{path}/report.html")
    client.get(path)
    html = client.get(f"/traces/{trace_id}/share").text
    assert "2 views" in html
    assert "<small>last " in html


def test_revoking_ends_one_link_at_once(
    client: TestClient, trace_id: str, add_trace: Callable[..., str], make: Callable[..., str]
) -> None:
    """From either list; another trace's address ends nothing, and the ended one is told as such."""
    path, other = make(name="first"), make(name="second")
    listed = client.get("/shares").text
    revoke = [href for href in hrefs(listed) if "/share/" in href]
    assert len(revoke) == 2
    foreign = add_trace()
    client.post(revoke[0].replace(trace_id, foreign))
    assert [client.get(each).status_code for each in (path, other)] == [200, 200]
    answer = client.post(revoke[0])
    assert (answer.status_code, answer.headers["location"]) == (303, "/shares?ended=1")
    assert sorted(client.get(each).status_code for each in (path, other)) == [200, 404]
    assert client.get("/shares").text.count("/revoke?") == 1
    own = client.get(f"/traces/{trace_id}/share").text
    assert own.count('/revoke"') == 1
    assert '<span class="state revoked">revoked</span>' in own


def test_what_was_revoked_is_said_once_it_is(
    client: TestClient, trace_id: str, make: Callable[..., str]
) -> None:
    """On the page it leads to; what is no number says nothing."""
    make(), make(), make()
    revoke = [href for href in hrefs(client.get(f"/traces/{trace_id}/share").text) if "/revoke" in href]
    one = next(href for href in revoke if href.endswith("/revoke"))
    for address, said in (
        (one, "Link revoked."),
        (one, "It had ended already."),
        (f"/traces/{trace_id}/share/revoke-all", "2 links revoked."),
        ("/shares/revoke-all", "It had ended already."),
    ):
        page = client.get(client.post(address).headers["location"]).text
        assert re.search(rf'role="status" id="ended">.*<span>{re.escape(said)}</span>', page), address
    assert 'id="ended"' not in client.get("/shares?ended=<b>many").text


def test_links_are_called_apart_unless_somebody_names_them(
    client: TestClient, trace_id: str, make: Callable[..., str]
) -> None:
    """The name that stands in the form is one that no link of this trace has."""
    make(name="refund desk")
    answer = client.post(
        f"/traces/{trace_id}/share", data={"name": "refund desk (2)", "days": "7", "panel": "events"}
    )
    assert 'name="name" value="refund desk (3)"' in answer.text
    assert 'name="name" value="refund desk (3)"' in client.get(f"/traces/{trace_id}/share").text


def test_both_lists_have_the_newest_link_first(
    client: TestClient, database: Database, trace_id: str, make: Callable[..., str]
) -> None:
    """Whenever they end."""
    for number, days in enumerate(("30", "1", "7")):
        make(name=f"link {number}", days=days)
        with database.session() as session:
            session.execute(
                text("UPDATE shares SET created = created + :n WHERE name = :name"),
                {"n": number, "name": f"link {number}"},
            )
    for address in (f"/traces/{trace_id}/share", "/shares"):
        assert re.findall(r"<b>link (\d)</b>", client.get(address).text) == ["2", "1", "0"]


def test_a_link_cannot_be_made_or_ended_from_another_site(client: TestClient, trace_id: str) -> None:
    """A page of another site that makes a browser send the form gets nothing."""
    form, foreign = {"name": "x", "days": "7"}, {"Origin": "https://evil.example"}
    assert client.post(f"/traces/{trace_id}/share", data=form, headers=foreign).status_code == 403
    assert "None yet." in client.get(f"/traces/{trace_id}/share").text


def test_the_trace_page_offers_what_the_shared_one_does_not(client: TestClient, trace_id: str) -> None:
    """Share and Copy for the ticket; the ticket's text is Markdown with a link to this trace."""
    html = client.get(f"/traces/{trace_id}").text
    assert f'href="/traces/{trace_id}/share?panel=events&amp;event=352"' in html
    assert f'data-copy-from="/traces/{trace_id}/ticket.md"' in html
    answer = client.get(f"/traces/{trace_id}/ticket.md")
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert f"<http://127.0.0.1:8321/traces/{trace_id}?event=352>" in answer.text


def test_a_name_full_of_markup_is_text(client: TestClient, make: Callable[..., str]) -> None:
    """In both lists and in the answer that shows the link."""
    make(name='<script>alert(1)</script>"><b>')
    for address in ("/shares",):
        html = client.get(address).text
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_trace_without_events_can_be_shared(
    client: TestClient, database: Database, settings: Settings
) -> None:
    """Whole only, since nothing is known of what would have to go: the page says so, under every panel."""
    stored = ingest(database, [json.dumps("no events").encode()], name="empty", settings=settings)
    form = {"name": "x", "days": "1", "event": "0"}
    refused = client.post(f"/traces/{stored.id}/share", data=form)
    assert refused.status_code == 400
    assert 'role="alert"' in refused.text
    assert "None yet." in refused.text
    path = link_of(client.post(f"/traces/{stored.id}/share", data={**form, **EVERYTHING}).text)
    for panel in PANELS:
        assert client.get(f"{path}?panel={panel}").status_code == 200
    assert client.get(f"{path}/report.html").status_code == 200
