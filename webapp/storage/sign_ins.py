"""Browsers that are signed in.

Rules of this file: queries on `sign_ins`. The token exists once, in the answer of `begin`; the table has its hash.
Deleting a row signs a browser out at once. A sign-in ends when it was not used for some days, and after ABSOLUTE_DAYS
in any case.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from webapp.storage.ids import fingerprint, public_id
from webapp.storage.models import SignIn, User

TOKEN_BYTES = 32
DAY = 86_400.0
ABSOLUTE_DAYS = 90
TOUCH_SECONDS = 600.0  # the last use is known to ten minutes: most requests write nothing
_AGENT_LENGTH = 200


def begin(session: Session, user_pk: int, *, now: float, agent: str, days: float) -> tuple[SignIn, str]:
    """Sign a browser in: its row, and the token that stands for it. days: how long it lives unused.

    agent: the browser as it names itself
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    row = SignIn(
        token_hash=fingerprint(token),
        id=public_id(),
        user=user_pk,
        created=now,
        seen=now,
        expires=now + min(days, ABSOLUTE_DAYS) * DAY,
        agent=agent[:_AGENT_LENGTH],
    )
    session.add(row)
    user = session.get(User, user_pk)
    if user is not None:
        user.seen = now
    session.flush()
    return row, token


def found(session: Session, token: str, now: float) -> tuple[SignIn, User] | None:
    """The sign-in of a token and whose it is; None when it has ended or the account is disabled."""
    query = select(SignIn, User).join(User, User.pk == SignIn.user)
    query = query.where(
        SignIn.token_hash == fingerprint(token), SignIn.expires > now, User.disabled.is_(None)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else (row[0], row[1])


def touch(session: Session, sign_in: SignIn, now: float, days: float) -> bool:
    """Note a use, which makes it live `days` longer, at most once in TOUCH_SECONDS. Says whether it was noted."""
    if now - sign_in.seen < TOUCH_SECONDS:
        return False
    expires = min(now + days * DAY, sign_in.created + ABSOLUTE_DAYS * DAY)
    mine = update(SignIn).where(SignIn.token_hash == sign_in.token_hash).values(seen=now, expires=expires)
    return session.scalar(mine.returning(SignIn.id)) is not None  # it may have been signed out meanwhile


def end(session: Session, user_pk: int, sign_in_id: str) -> bool:
    """Sign one browser of this account out; False when there is none of that id."""
    return _ended(session, delete(SignIn).where(SignIn.user == user_pk, SignIn.id == sign_in_id)) > 0


def end_token(session: Session, token: str) -> bool:
    """Sign out the browser that holds this token; False when it was not signed in."""
    return _ended(session, delete(SignIn).where(SignIn.token_hash == fingerprint(token))) > 0


def end_all(session: Session, user_pk: int, but: str = "") -> int:
    """Sign every browser of this account out, except the one of the id `but`; says how many."""
    return _ended(session, delete(SignIn).where(SignIn.user == user_pk, SignIn.id != but))


def drop_ended(session: Session, now: float) -> None:
    """Clear away those that ended by themselves."""
    session.execute(delete(SignIn).where(SignIn.expires <= now))


def list_of(session: Session, user_pk: int, now: float) -> Sequence[SignIn]:
    """The browsers of this account that are signed in, the one used last first."""
    query = select(SignIn).where(SignIn.user == user_pk, SignIn.expires > now)
    return session.scalars(query.order_by(SignIn.seen.desc(), SignIn.id)).all()


def _ended(session: Session, statement: object) -> int:
    """How many rows a deletion took, told by the rows themselves: both databases return them."""
    return len(session.scalars(statement.returning(SignIn.id)).all())  # type: ignore[attr-defined]
