"""Whose account it is that somebody signs in to at the provider.

Rules of this file: the subject alone says who somebody is; a name ties an account to a subject once, or makes one. An
account that is tied is never anybody else's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from webapp.accounts.oidc.config import Config
from webapp.accounts.oidc.provider import Person
from webapp.errors import BadInput, Refused
from webapp.storage import users
from webapp.storage.models import User

_TELL = "ask an admin of this Lanescope"
_WORDS = {"preferred_username": "user name", "email": "address of mail"}


@dataclass(frozen=True, slots=True)
class Entered:
    """done: what had to be done so that there is an account"""

    user: User
    done: Literal["", "tied", "added"] = ""


class NoAccount(Refused):
    """Known at the provider, but not let in. name: of the account here that it is about, "" when there is none."""

    def __init__(self, sentence: str, name: str = "") -> None:
        super().__init__(sentence)
        self.name = name


def account_of(session: Session, config: Config, person: Person, now: float) -> Entered:
    """The account of a person, tied or made where that may be. now: unix seconds. Raises NoAccount."""
    known = users.by_subject(session, person.subject)
    if known is not None:
        return Entered(_enabled(known))
    if not person.label:
        raise NoAccount(
            f"The sign-in at {config.name} does not say your {_WORDS[config.claim]}, by which accounts here are "
            f"named; {_TELL}."
        )
    if not person.sure:
        raise NoAccount(
            f"Your address of mail is not verified at {config.name}; have it verified there, then sign in again."
        )
    try:
        name = users.checked_name(person.label)
    except BadInput:
        raise NoAccount(
            f"Your {_WORDS[config.claim]} at {config.name} cannot be the name of an account here: it has more than "
            f"{users.MAX_NAME} characters, or some that cannot be seen; {_TELL}."
        ) from None
    named = users.by_name(session, name)
    if named is not None:
        return _tied(session, config, person, _enabled(named), name)
    if not config.role:
        raise NoAccount(
            f"You are known at {config.name} but have no account here; ask an admin of this Lanescope to add {name}."
        )
    try:
        return Entered(
            users.add(session, name=name, role=config.role, subject=person.subject, now=now), "added"
        )
    except BadInput:  # somebody was quicker: the same person in another tab, or another of that name
        again = users.by_subject(session, person.subject)
        if again is None:
            raise _others(config, name) from None
        return Entered(_enabled(again))


def _tied(session: Session, config: Config, person: Person, user: User, name: str) -> Entered:
    """An account that waits for its owner; one that has an owner, or is only spelt alike, is somebody else's. One with
    a password has an owner too: a name at the provider, which people may choose there, must not take it over."""
    if user.password is not None:
        raise NoAccount(
            f"The account {user.name} signs in with its password, so nobody was tied to it; {_TELL}.",
            user.name,
        )
    if users.is_spelt(user, name) and users.tie(session, user, person.subject):
        return Entered(user, "tied")
    raise _others(config, user.name)


def _enabled(user: User) -> User:
    if user.disabled is not None:
        raise NoAccount(f"Your account {user.name} is disabled; {_TELL}.", user.name)
    return user


def _others(config: Config, name: str) -> NoAccount:
    return NoAccount(
        f"The account {name} belongs to somebody else at {config.name}, or is spelt otherwise; {_TELL}.", name
    )
