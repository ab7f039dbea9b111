"""Accounts: making them, finding them, and what may change of them.

Rules of this file: queries on `users`. An installation that has accounts keeps one admin who may sign in: the last one
can be neither removed, disabled nor given another role. Two workers that try at once are kept apart by the database.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.errors import BadInput
from webapp.storage.db import write_first
from webapp.storage.ids import public_id
from webapp.storage.models import User

ROLES = ("viewer", "editor", "admin")
MAX_NAME = 80
_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def key_of(name: str) -> str:
    """What a name is looked up by: `  Ada Lovelace ` and `ada lovelace` are one person."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def add(
    session: Session,
    *,
    name: str,
    role: str,
    password_hash: str | None = None,
    subject: str | None = None,
    now: float,
) -> User:
    """A new account. now: unix seconds. BadInput when the name cannot be one or is taken, or there is no such role."""
    shown, key = checked_name(name), key_of(name)
    _check_role(role)
    if by_name(session, shown) is not None:
        raise BadInput(f"There is an account named {shown} already; choose another name.")
    user = User(
        id=public_id(), name=shown, key=key, role=role, password=password_hash, subject=subject, created=now
    )
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError:  # somebody else was quicker
        raise BadInput(f"There is an account like {shown} already; choose another name.") from None
    return user


def checked_name(name: str) -> str:
    """The name as it is shown, spaces tidied. BadInput when it is empty, too long or cannot be read."""
    tidy = " ".join(name.split())
    if not tidy or not key_of(tidy):
        raise BadInput("An account needs a name.")
    if max(len(tidy), len(key_of(tidy))) > MAX_NAME:
        raise BadInput(f"A name has {MAX_NAME} characters at most; choose a shorter one.")
    if any(unicodedata.category(sign).startswith("C") for sign in tidy):
        raise BadInput("A name is made of letters, numbers and signs that can be seen; choose another.")
    return tidy


def by_pk(session: Session, pk: int) -> User | None:
    return session.get(User, pk)


def by_id(session: Session, user_id: str) -> User | None:
    return session.scalar(select(User).where(User.id == user_id))


def by_name(session: Session, name: str) -> User | None:
    """Upper and lower case, and spaces around, make no difference."""
    return session.scalar(select(User).where(User.key == key_of(name)))


def is_spelt(user: User, name: str) -> bool:
    """Whether a name that somebody else vouches for means this account. Names are looked up by a form in which letters
    of several alphabets are one; to whoever vouches they may be two people."""
    return name.translate(_ASCII_LOWER) == user.name.translate(_ASCII_LOWER)


def by_subject(session: Session, subject: str) -> User | None:
    return session.scalar(select(User).where(User.subject == subject))


def list_all(session: Session) -> Sequence[User]:
    return session.scalars(select(User).order_by(User.key)).all()


def any_accounts(session: Session) -> bool:
    """Whether signing in is needed here: one account is enough, a disabled one too."""
    return session.scalar(select(User.pk).limit(1)) is not None


def check_first(session: Session, role: str) -> None:
    """Refuse a first account that would leave nobody in charge. BadInput."""
    if role != "admin" and not _admins(session):
        raise BadInput("The first account must be an admin, or nobody could add others; choose that role.")


def set_role(session: Session, user: User, role: str) -> None:
    """BadInput when there is no such role, or nobody else is an admin."""
    _check_role(role)
    if role != "admin":
        _keep_one_admin(session, user, "given another role")
    user.role = role


def set_password(session: Session, user: User, password_hash: str | None) -> None:
    """password_hash: argon2; None: this account signs in elsewhere only."""
    user.password = password_hash
    session.flush()


def tie(session: Session, user: User, subject: str) -> bool:
    """Say who signs in to it at the provider: once, and of several that try at once the first. False when it was tied
    before, or another account has this subject."""
    free = update(User).where(User.pk == user.pk, User.subject.is_(None)).values(subject=subject)
    try:
        with session.begin_nested():
            return session.scalar(free.returning(User.pk)) is not None
    except IntegrityError:
        return False


def disable(session: Session, user: User, now: float) -> None:
    """It may not sign in any more, and what is signed in acts no more. BadInput for the last admin."""
    _keep_one_admin(session, user, "disabled")
    if user.disabled is None:
        user.disabled = now


def enable(_session: Session, user: User) -> None:
    user.disabled = None


def remove(session: Session, user: User) -> None:
    """Its sign-ins and keys go with it, its traces stay. BadInput for the last admin."""
    _keep_one_admin(session, user, "removed")
    session.delete(user)
    session.flush()


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise BadInput(f"There is no such role; choose one of {', '.join(ROLES)}.")


def _admins(session: Session) -> list[int]:
    """Those admins who may sign in; nobody else changes them before this session ends."""
    write_first(session)
    wanted = select(User.pk).where(User.role == "admin", User.disabled.is_(None)).order_by(User.pk)
    return list(session.scalars(wanted.with_for_update()))


def _keep_one_admin(session: Session, user: User, done: str) -> None:
    if _admins(session) == [user.pk]:
        raise BadInput(f"{user.name} is the only admin and cannot be {done}; make somebody else admin first.")
