"""The audit as admins read it: newest first, narrowed, in pages, and as a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from tests.web.people import browser, person
from webapp.app import create_app
from webapp.settings import Settings
from webapp.storage import audit
from webapp.storage.audit import WHAT, What
from webapp.storage.db import Database
from webapp.storage.models import Share
from webapp.views.audit import PAGE_SIZE, parse_query
from webapp.views.audit_words import LABELS


def add(
    database: Database, count: int = 1, what: What = "uploaded", about: str = "", who: str = "Ada"
) -> None:
    with database.session() as session:
        for number in range(count):
            audit.add(
                session, at=1_700_000_000.0 + number, who=who, how="session", what=what, about=about,
                detail={"number": number},
            )  # fmt: skip


def numbers(page: str) -> list[int]:
    return [int(found) for found in re.findall(r"uploaded a trace · number ([\d,]+)", page)]


def test_the_newest_line_stands_first_and_pages_follow(client: TestClient, database: Database) -> None:
    """Older and Newer lead through all of them, each once."""
    add(database, PAGE_SIZE + 3)
    first = client.get("/audit")
    older = re.search(r'href="(/audit\?page=2)" rel="next"', first.text)
    assert first.headers["cache-control"] == "no-store"
    assert older is not None
    second = client.get(older[1]).text
    assert numbers(first.text) + numbers(second) == [*reversed(range(PAGE_SIZE + 3))]
    assert f"{PAGE_SIZE + 1} to {PAGE_SIZE + 3} of {PAGE_SIZE + 3}" in second
    assert 'rel="next"' not in second
    assert 'href="/audit" rel="prev"' in second


def test_lines_of_one_kind_or_one_trace(
    client: TestClient, database: Database, add_trace: Callable[..., str]
) -> None:
    """A trace that stands is named as it is called now, and one that is gone by its id."""
    kept = add_trace(name="checkout run")
    add(database, 1, "uploaded", kept, "Ada")
    add(database, 1, "deleted", "gonegonegone", "Bert")
    page = client.get("/audit").text
    assert f'<a href="/traces/{kept}">checkout run</a>' in page
    assert 'href="/traces/gonegonegone"' not in page
    deleted = client.get("/audit?what=deleted").text
    assert ("Bert" in deleted, "Ada" in deleted) == (True, False)
    for about in (kept, f"http://127.0.0.1:8321/traces/{kept}?panel=state"):
        only = client.get("/audit", params={"about": about}).text
        assert ("Ada" in only, "Bert" in only) == (True, False)
    assert "No such line." in client.get("/audit?what=revoked").text


def test_links_are_called_as_they_are_called(
    client: TestClient, database: Database, add_trace: Callable[..., str]
) -> None:
    """By name and not by id; of one that went with its trace only that it is gone."""
    trace = add_trace()
    client.post(
        f"/traces/{trace}/share", data={"name": "for <Bob>", "days": "7", "level": "everything", "sure": "1"}
    )
    with database.session() as session:
        link = session.scalars(select(Share.id)).one()
    page = client.get("/audit").text
    assert "shared a trace, everything, for 7 days: the link “for &lt;Bob&gt;”" in page
    assert link not in page
    client.post(f"/traces/{trace}/delete")
    page = client.get("/audit").text
    assert "for 7 days: a link that is gone" in page
    assert link not in page


@pytest.mark.parametrize("what", WHAT)
def test_every_kind_can_be_shown_alone(client: TestClient, database: Database, what: What) -> None:
    """The list of kinds says in words what it shows, and what it offers works."""
    for each in WHAT:
        add(database, 1, each, who=f"by {each}")
    whole = client.get("/audit").text
    assert f'<option value="{what}">{LABELS[what]}</option>' in whole
    only = client.get("/audit", params={"what": what}).text
    assert f'<option value="{what}" selected>' in only
    assert re.findall(r"<b>by ([a-z ]+)</b>", only) == [what]


def test_what_a_url_cannot_mean_is_left_out() -> None:
    """An unknown kind shows everything; a page that is no number is the first."""
    query = parse_query("burnt", "", "-1")
    assert (query.what, query.page, query.href()) == ("", 1, "/audit")
    assert parse_query("deleted", "abc", "2").href(page=3) == "/audit?what=deleted&about=abc&page=3"


def test_the_file_has_every_line_oldest_first(client: TestClient, database: Database) -> None:
    """That it was taken away is its last one."""
    add(database, 3, about="sometrace234")
    answer = client.get("/audit.jsonl")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-disposition"].startswith("attachment; ")
    assert "no-store" in answer.headers["cache-control"]
    assert lines[0] == {
        "n": 1, "at": "2023-11-14T22:13:20.000+00:00", "who": "Ada", "how": "session", "what": "uploaded",
        "trace": "sometrace234", "detail": {"number": 0},
    }  # fmt: skip
    assert [line["what"] for line in lines] == ["uploaded"] * 3 + ["exported"]
    assert (lines[-1]["who"], lines[-1]["detail"], lines[-1]["trace"]) == (
        "this machine",
        {"kind": "audit"},
        None,
    )


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("editor", 403), ("admin", 200)])
def test_the_audit_is_for_admins(settings: Settings, database: Database, role: str, status: int) -> None:
    """Others are refused the page and the file, and that is no line."""
    person(database, "Root", "admin")
    user = person(database, "Ada", role)
    with TestClient(app := create_app(settings, database)):
        client = browser(app, settings, database, user)
        assert [client.get(path).status_code for path in ("/audit", "/audit.jsonl")] == [status] * 2
    with database.session() as session:
        assert audit.newest(session)[1] == (1 if status == 200 else 0)


def test_names_full_of_markup_are_text(client: TestClient, database: Database) -> None:
    """Whoever chose them."""
    add(database, who="<script>alert(1)</script>")
    page = client.get("/audit").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
