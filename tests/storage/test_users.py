"""Accounts: names are one whatever their case, and somebody stays in charge."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy.orm import Session

from webapp.errors import BadInput
from webapp.storage import sign_ins, users
from webapp.storage.db import Database
from webapp.storage.models import User


def added(session: Session, name: str, role: str = "admin") -> User:
    return users.add(session, name=name, role=role, now=1.0)


def test_a_name_is_found_whatever_its_case_and_spaces(session: Session) -> None:
    """People do not remember how they wrote it."""
    user = added(session, "  Ada   Lovelace ")
    assert user.name == "Ada Lovelace"
    for typed in ("ada lovelace", "ADA LOVELACE", " Ada  Lovelace", "Ａda Lovelace"):
        assert users.by_name(session, typed) is user
    assert users.by_name(session, "ada") is None
    assert users.by_id(session, user.id) is user
    assert users.by_pk(session, user.pk) is user


@pytest.mark.parametrize("name", ["ADA", "ada ", "ａｄａ"])
def test_two_accounts_cannot_have_one_name(session: Session, name: str) -> None:
    """Neither in another case nor in letters that look the same."""
    added(session, "Ada")
    with pytest.raises(BadInput, match="already"):
        added(session, name)
    assert [user.name for user in users.list_all(session)] == ["Ada"]


@pytest.mark.parametrize("name", ["", "   ", "a" * 81, "ß" * 41, "a\x00b", "a\u202eb", "a\u200bb"])
def test_a_name_can_be_read_and_typed(session: Session, name: str) -> None:
    """Nothing empty, too long (before or after folding), or made of signs that nobody sees."""
    with pytest.raises(BadInput):
        added(session, name)
    assert not users.any_accounts(session)


def test_an_account_is_found_by_the_subject_of_another_service(session: Session) -> None:
    """One subject is one account."""
    user = users.add(session, name="Ada", role="viewer", subject="https://id.example 7", now=1.0)
    assert users.by_subject(session, "https://id.example 7") is user
    assert users.by_subject(session, "https://id.example 8") is None
    with pytest.raises(BadInput):
        users.add(session, name="Bob", role="viewer", subject="https://id.example 7", now=1.0)


def test_there_are_three_roles(session: Session) -> None:
    """Any other is refused, for a new account and an old one."""
    user = added(session, "Ada")
    with pytest.raises(BadInput, match="role"):
        added(session, "Bob", "owner")
    with pytest.raises(BadInput, match="role"):
        users.set_role(session, user, "")
    assert user.role == "admin"


def demote(session: Session, user: User) -> None:
    users.set_role(session, user, "editor")


def disable(session: Session, user: User) -> None:
    users.disable(session, user, 2.0)


@pytest.mark.parametrize("lose", [demote, disable, users.remove])
def test_the_last_admin_cannot_be_lost(session: Session, lose: Callable[[Session, User], None]) -> None:
    """A disabled admin and an editor are no help; another admin is."""
    ada, bob = added(session, "Ada"), added(session, "Bob")
    users.disable(session, bob, 1.0)
    added(session, "Eve", "editor")
    with pytest.raises(BadInput, match="only admin"):
        lose(session, ada)
    assert (ada.role, ada.disabled) == ("admin", None)
    users.enable(session, bob)
    lose(session, ada)
    session.flush()
    with pytest.raises(BadInput, match="only admin"):
        lose(session, bob)


def test_the_first_account_is_an_admin(session: Session) -> None:
    """Otherwise everybody would be locked out of the page of accounts."""
    with pytest.raises(BadInput, match="admin"):
        users.check_first(session, "editor")
    users.check_first(session, "admin")
    added(session, "Ada")
    users.check_first(session, "editor")


def test_one_account_is_enough_to_need_signing_in(session: Session) -> None:
    """A disabled one too: what was closed does not open by itself."""
    assert not users.any_accounts(session)
    added(session, "Ada").disabled = 1.0
    session.flush()
    assert users.any_accounts(session)


def test_with_an_account_its_sign_ins_go(database: Database) -> None:
    """And the number of a removed account is not given to another."""
    with database.session() as session:
        added(session, "Ada")
        bob = added(session, "Bob")
        sign_ins.begin(session, bob.pk, now=1.0, agent="", days=30)
    with database.session() as session:
        gone = users.by_name(session, "Bob")
        assert gone is not None
        users.remove(session, gone)
    with database.session() as session:
        assert sign_ins.list_of(session, bob.pk, 2.0) == []
        assert added(session, "Eve").pk > bob.pk


def test_two_admins_who_demote_each_other_leave_one(database: Database) -> None:
    """At the same moment, each in a session of its own: the second sees what the first did."""
    with database.session() as session:
        pks = [users.add(session, name=name, role="admin", now=1.0).pk for name in ("ada", "bob")]
    ready = Barrier(2)

    def demote(pk: int) -> bool:
        with database.session() as session:
            user = users.by_pk(session, pk)
            assert user is not None
            ready.wait()
            try:
                users.set_role(session, user, "viewer")
            except BadInput:
                return False
            return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(demote, pks)) == [False, True]
    with database.session() as session:
        assert sorted(user.role for user in users.list_all(session)) == ["admin", "viewer"]
