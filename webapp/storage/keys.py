"""Keys with which programs ask: made, found, ended.

Rules of this file: queries on `api_keys`. The key exists once, in the answer of `make`; the table has its SHA-256. A
lookup by hash compares nothing secret: whoever times it learns about hashes of guesses.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Literal

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from webapp.storage.ids import fingerprint, public_id
from webapp.storage.models import ApiKey, User

Scope = Literal["push", "read", "admin"]
PREFIX = "lsk_"  # so that a key that went astray is known for one
KEY_BYTES = 32
NAME_LENGTH = 80
USED_SECONDS = 60  # how exactly the last use is known


def make(
    session: Session, user_pk: int, *, name: str, scope: Scope, now: float, days: float | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret, `lsk_…`. now: unix seconds; days: how long it works, None for ever."""
    secret = PREFIX + secrets.token_urlsafe(KEY_BYTES)
    key = ApiKey(
        id=public_id(),
        user=user_pk,
        name=name[:NAME_LENGTH],
        scope=scope,
        key_hash=fingerprint(secret),
        created=now,
        expires=None if days is None else now + days * 86_400,
    )
    session.add(key)
    session.flush()
    return key, secret


def found(session: Session, secret: str, now: float) -> tuple[ApiKey, User] | None:
    """The key of a secret and whose it is, unless it was revoked, has expired or its account is disabled."""
    query = select(ApiKey, User).join(User, User.pk == ApiKey.user)
    query = query.where(
        ApiKey.key_hash == fingerprint(secret),
        ApiKey.revoked.is_(None),
        or_(ApiKey.expires.is_(None), ApiKey.expires > now),
        User.disabled.is_(None),
    )
    row = session.execute(query).one_or_none()
    return None if row is None else (row[0], row[1])


def used(session: Session, key: ApiKey, now: float) -> None:
    """Remember that a key was used: written once a minute at most."""
    if key.used is not None and now - key.used < USED_SECONDS:
        return
    session.execute(
        update(ApiKey)
        .where(ApiKey.id == key.id, or_(ApiKey.used.is_(None), ApiKey.used <= now - USED_SECONDS))
        .values(used=now)
    )


def get(session: Session, key_id: str, user_pk: int | None = None) -> ApiKey | None:
    """The key of this id, ended or not; user_pk: only if it is theirs."""
    key = session.get(ApiKey, key_id)
    return None if key is None or (user_pk is not None and key.user != user_pk) else key


def revoke(session: Session, key_id: str, now: float, user_pk: int | None = None) -> ApiKey | None:
    """End a key for good and give it; None when no such key stands any more. user_pk: only if it is theirs."""
    key = get(session, key_id, user_pk)
    if key is None or key.revoked is not None:
        return None
    key.revoked = now
    return key


def list_of(session: Session, user_pk: int) -> Sequence[ApiKey]:
    """Every key of an account, newest first, those that ended included."""
    query = select(ApiKey).where(ApiKey.user == user_pk)
    return session.scalars(query.order_by(ApiKey.created.desc(), ApiKey.id)).all()


def list_all(session: Session, *, offset: int = 0, limit: int = 50) -> Sequence[tuple[ApiKey, User]]:
    """A page of the keys of all accounts and whose they are, newest first, those that were revoked left out."""
    query = select(ApiKey, User).join(User, User.pk == ApiKey.user).where(ApiKey.revoked.is_(None))
    rows = session.execute(query.order_by(ApiKey.created.desc(), ApiKey.id).offset(offset).limit(limit)).all()
    return [(row[0], row[1]) for row in rows]


def count_all(session: Session) -> int:
    """How many keys there are in all accounts, those that were revoked left out."""
    return session.scalar(select(func.count()).select_from(ApiKey).where(ApiKey.revoked.is_(None))) or 0
