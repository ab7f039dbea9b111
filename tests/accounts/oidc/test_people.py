"""Several who sign in at once: one gets the account, on both databases."""

from __future__ import annotations

import pytest

from webapp.accounts.oidc.config import Config
from webapp.accounts.oidc.people import NoAccount, account_of
from webapp.accounts.oidc.provider import Person
from webapp.errors import BadInput
from webapp.storage import users
from webapp.storage.db import Database

CONFIG = Config("https://a.example", "lanescope", "", "Example Ltd", "preferred_username", "viewer")
ADA = Person("https://a.example s-ada", "ada", True)
BOB = Person("https://a.example s-bob", "ada", True)


@pytest.mark.databases("sqlite", "postgresql")
def test_an_account_is_tied_once(database: Database) -> None:
    """Who read it as free a moment ago and comes second gets nothing; nor does one subject get two accounts."""
    with database.session() as session:
        user = users.add(session, name="Ada", role="editor", now=1.0)
        other = users.add(session, name="Other", role="editor", now=1.0)
        assert users.tie(session, user, ADA.subject)
        assert not users.tie(session, user, BOB.subject)
        assert not users.tie(session, other, ADA.subject)
    with database.session() as session:
        assert account_of(session, CONFIG, ADA, 2.0).user.pk == user.pk
        with pytest.raises(NoAccount, match="belongs to somebody else"):
            account_of(session, CONFIG, BOB, 2.0)
        found = {each.name: each.subject for each in users.list_all(session)}
    assert found == {"Ada": ADA.subject, "Other": None}


@pytest.mark.databases("sqlite", "postgresql")
def test_one_person_in_two_tabs_gets_one_account(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds what the first has just made; another of the same name does not."""
    add = users.add

    def slower(session: object, **given: object) -> object:
        with database.session() as first:
            made.append(add(first, **given))  # type: ignore[arg-type]
        raise BadInput("There is an account named ada already; choose another name.")

    made: list[users.User] = []
    monkeypatch.setattr(users, "add", slower)
    with database.session() as session:
        entered = account_of(session, CONFIG, ADA, 1.0)
        assert (entered.user.pk, entered.done) == (made[0].pk, "")

    def taken(*_given: object, **_more: object) -> object:
        raise BadInput("There is an account named ada already; choose another name.")

    monkeypatch.setattr(users, "add", taken)
    monkeypatch.setattr(users, "by_name", lambda *_given: None)
    with database.session() as session, pytest.raises(NoAccount, match="belongs to somebody else"):
        account_of(session, CONFIG, BOB, 1.0)


def test_the_role_is_the_settings_and_the_provider_has_no_say(database: Database) -> None:
    """A new account is a viewer here."""
    with database.session() as session:
        entered = account_of(session, CONFIG, ADA, 1.0)
        assert (entered.user.role, entered.user.password, entered.done) == ("viewer", None, "added")
