"""An installation without accounts: everything is open on this machine, and every page says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from webapp.storage import users
from webapp.storage.db import Database

FOOT = "whoever can use this machine can see and change everything"


@pytest.mark.parametrize("path", ["/", "/rules", "/live", "/capture", "/shares", "/account"])
def test_the_footer_says_that_it_is_open(client: TestClient, path: str) -> None:
    """With the way to add an account, and without a name or a button to sign out."""
    page = client.get(path)
    assert page.status_code == 200
    assert FOOT in page.text
    assert 'Add one under <a href="/users">Users</a>' in page.text
    assert "/sign-out" not in page.text


def test_there_is_nothing_to_sign_in_to(client: TestClient, database: Database) -> None:
    """The form leads on, and no name and password is right."""
    assert client.get("/sign-in?next=/rules").headers["location"] == "/rules"
    assert client.post("/sign-in", data={"name": "admin", "password": "admin"}).status_code == 400
    for path in ("/account/password", "/account/sign-ins/end", "/account/sign-ins/abc/end"):
        assert client.post(path).status_code == 403
    with database.session() as session:
        assert not users.any_accounts(session)


def test_a_shared_page_says_nothing_of_it(client: TestClient, add_trace: Callable[..., str]) -> None:
    """Nor whether there are accounts here."""
    trace = add_trace()
    assert FOOT in client.get(f"/traces/{trace}/share").text
    gone = client.get("/s/nothing")
    assert gone.status_code == 404
    assert "footer" not in gone.text
    assert "sign-in" not in gone.text
