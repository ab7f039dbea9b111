"""A key opens what it is for until it ends, and the table does not give it away."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from webapp.storage import keys, users
from webapp.storage.db import Database
from webapp.storage.models import ApiKey, User

NOW = 1_800_000_000.0
DAY = 86_400


@pytest.fixture
def ada(session: Session) -> User:
    users.add(session, name="Root", role="admin", now=NOW)
    return users.add(session, name="Ada", role="editor", now=NOW)


def test_a_key_leads_to_its_account(session: Session, ada: User) -> None:
    """The row and whose it is; the secret is told once and begins so that it is known for one."""
    key, secret = keys.make(session, ada.pk, name="nightly", scope="push", now=NOW, days=30)
    found = keys.found(session, secret, NOW + 1)
    assert found is not None
    assert (found[0].id, found[1].name, found[0].scope) == (key.id, "Ada", "push")
    assert secret.startswith("lsk_")
    assert len(secret) > 40


def test_the_secret_is_not_stored(session: Session, ada: User) -> None:
    """Who reads the table cannot use a key."""
    key, secret = keys.make(session, ada.pk, name="x", scope="read", now=NOW)
    stored = {column.name: getattr(key, column.name) for column in ApiKey.__table__.columns}
    assert all(secret not in str(value) and secret[4:] not in str(value) for value in stored.values())
    assert keys.found(session, key.key_hash, NOW) is None
    assert keys.found(session, f"lsk_{key.key_hash}", NOW) is None


def test_an_expired_revoked_or_wrong_key_opens_nothing(session: Session, ada: User) -> None:
    """And neither does one of an account that is disabled, until it is enabled."""
    _, old = keys.make(session, ada.pk, name="old", scope="read", now=NOW, days=30)
    gone, revoked = keys.make(session, ada.pk, name="gone", scope="read", now=NOW)
    _, lasting = keys.make(session, ada.pk, name="lasting", scope="read", now=NOW)
    assert keys.revoke(session, gone.id, NOW + 1) is not None
    assert keys.found(session, old, NOW + 30 * DAY - 1) is not None
    assert keys.found(session, old, NOW + 30 * DAY) is None
    assert keys.found(session, revoked, NOW + 2) is None
    assert keys.found(session, "lsk_\ud800", NOW) is None
    assert keys.found(session, lasting, NOW + 5000 * DAY) is not None
    users.disable(session, ada, NOW + 3)
    session.flush()
    assert keys.found(session, lasting, NOW + 4) is None
    users.enable(session, ada)
    session.flush()
    assert keys.found(session, lasting, NOW + 5) is not None


def test_a_key_is_ended_once_and_by_its_owner(session: Session, ada: User) -> None:
    """Another account cannot end it; ending it again changes nothing."""
    key, _ = keys.make(session, ada.pk, name="x", scope="read", now=NOW)
    assert keys.revoke(session, key.id, NOW, ada.pk + 1) is None
    assert keys.get(session, key.id, ada.pk + 1) is None
    assert keys.revoke(session, key.id, NOW, ada.pk) is key
    assert keys.revoke(session, key.id, NOW + 5, ada.pk) is None
    assert key.revoked == NOW


def test_the_last_use_is_known_to_the_minute(session: Session, ada: User) -> None:
    """A program that asks ten times a second writes once a minute, also when it holds an old row."""
    key, secret = keys.make(session, ada.pk, name="x", scope="read", now=NOW)

    def last_use_after(*times: float) -> float | None:
        for time in times:
            found = keys.found(session, secret, time)
            assert found is not None
            keys.used(session, found[0], time)
            session.flush()
            session.expire_all()
        return session.get_one(ApiKey, key.id).used

    assert last_use_after(NOW + 1) == NOW + 1
    assert last_use_after(NOW + 2, NOW + 60) == NOW + 1
    assert last_use_after(NOW + 61) == NOW + 61


def test_keys_are_listed_newest_first(session: Session, ada: User) -> None:
    """One's own with those that ended; of everybody those that were not revoked, with whose they are."""
    first, _ = keys.make(session, ada.pk, name="first", scope="read", now=NOW)
    keys.make(session, ada.pk, name="second", scope="push", now=NOW + 1)
    keys.revoke(session, first.id, NOW + 2)
    session.flush()
    assert [key.name for key in keys.list_of(session, ada.pk)] == ["second", "first"]
    assert [(key.name, user.name) for key, user in keys.list_all(session)] == [("second", "Ada")]


def test_keys_go_with_their_account(database: Database) -> None:
    """A removed account's key opens nothing, and no row of it is left."""
    with database.session() as session:
        users.add(session, name="Root", role="admin", now=NOW)
        user = users.add(session, name="Ada", role="editor", now=NOW)
        _, secret = keys.make(session, user.pk, name="x", scope="read", now=NOW)
    with database.session() as session:
        known = users.by_name(session, "ada")
        assert known is not None
        users.remove(session, known)
    with database.session() as session:
        assert keys.found(session, secret, NOW) is None
        assert keys.list_all(session) == []
