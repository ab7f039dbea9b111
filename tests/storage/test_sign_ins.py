"""Sign-ins: a token opens until it is ended, unused for too long, or too old."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.storage import sign_ins, users
from webapp.storage.models import SignIn, User

DAY = 86_400.0


@pytest.fixture
def ada(session: Session) -> User:
    return users.add(session, name="Ada", role="admin", now=0.0)


def begun(session: Session, user: User, now: float = 0.0, days: float = 30) -> tuple[SignIn, str]:
    return sign_ins.begin(session, user.pk, now=now, agent="Browser " + "x" * 300, days=days)


def test_a_token_finds_its_account_and_is_not_stored(session: Session, ada: User) -> None:
    """A stolen database signs nobody in."""
    row, token = begun(session, ada, now=5.0)
    assert sign_ins.found(session, token, 6.0) == (row, ada)
    assert sign_ins.found(session, token + "x", 6.0) is None
    assert sign_ins.found(session, row.token_hash, 6.0) is None
    kept = session.execute(select(SignIn.__table__)).one()
    assert not any(token in str(value) for value in kept)
    assert (ada.seen, len(row.agent)) == (5.0, 200)


def test_a_sign_in_ends_when_it_is_not_used(session: Session, ada: User) -> None:
    """Use makes it live on, until 90 days in any case."""
    row, token = begun(session, ada)
    assert sign_ins.found(session, token, 30 * DAY) is None
    now = 0.0
    while (found := sign_ins.found(session, token, now)) is not None:
        sign_ins.touch(session, found[0], now, 30)
        now += 20 * DAY
    assert row.expires == 90 * DAY
    assert now == 100 * DAY


def test_the_last_use_is_noted_once_in_ten_minutes(session: Session, ada: User) -> None:
    """Most requests write nothing."""
    row, _ = begun(session, ada)
    assert not sign_ins.touch(session, row, 599.0, 30)
    assert sign_ins.touch(session, row, 600.0, 30)
    assert (row.seen, row.expires) == (600.0, 600.0 + 30 * DAY)


def test_a_disabled_account_is_not_signed_in(session: Session, ada: User) -> None:
    """At once, without its sign-ins being ended."""
    _, token = begun(session, ada)
    ada.disabled = 1.0
    session.flush()
    assert sign_ins.found(session, token, 2.0) is None


def test_one_is_ended_by_its_own_account_only(session: Session, ada: User) -> None:
    """Knowing the id of another's browser ends nothing."""
    bob = users.add(session, name="Bob", role="viewer", now=0.0)
    row, token = begun(session, ada)
    assert not sign_ins.end(session, bob.pk, row.id)
    assert sign_ins.found(session, token, 1.0)
    assert sign_ins.end(session, ada.pk, row.id)
    assert sign_ins.found(session, token, 1.0) is None
    assert not sign_ins.end(session, ada.pk, row.id)


def test_all_are_ended_at_once_or_all_but_one(session: Session, ada: User) -> None:
    """Those of others stay."""
    bob = users.add(session, name="Bob", role="viewer", now=0.0)
    (one, _), (two, token), (others, _) = begun(session, ada), begun(session, ada), begun(session, bob)
    assert sign_ins.end_all(session, ada.pk, but=two.id) == 1
    assert [row.id for row in sign_ins.list_of(session, ada.pk, 1.0)] == [two.id]
    assert sign_ins.end_token(session, token)
    assert not sign_ins.end_token(session, token)
    assert sign_ins.end_all(session, ada.pk) == 0
    assert [row.id for row in sign_ins.list_of(session, bob.pk, 1.0)] == [others.id]
    assert one.id != two.id


def test_what_has_ended_by_itself_is_cleared_away(session: Session, ada: User) -> None:
    """Once an hour, whoever's."""
    begun(session, ada, days=1)
    latest, _ = begun(session, ada, now=2 * DAY)
    sign_ins.drop_ended(session, 2 * DAY)
    assert session.scalars(select(SignIn.id)).all() == [latest.id]
