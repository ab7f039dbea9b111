"""Accounts in words: the page on which admins add, change and remove them, and see every key of a program.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as `now`. A password
is seen by `Made` alone, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.storage.models import ApiKey, User
from webapp.views import dates
from webapp.views.choice import Choice
from webapp.views.keys import KeyLine, line
from webapp.views.pages import Pages, pages

KEYS_AT_ONCE = 50  # keys of programs on a page
# what a role may; each may what stands above it, too
ROLES: dict[str, tuple[str, str]] = {
    "viewer": ("Viewer", "reads every trace"),
    "editor": ("Editor", "uploads, records, notes, shares; deletes what they uploaded"),
    "admin": ("Admin", "deletes any trace, manages accounts, reads the audit"),
}


@dataclass(frozen=True, slots=True)
class UserLine:
    """One account. seen: last sign-in, "never" before the first; you: it is the reader's own."""

    id: str
    name: str
    role: str
    roles: Sequence[Choice]
    signs_in: str
    seen: str
    disabled: str
    you: bool


@dataclass(frozen=True, slots=True)
class UserForm:
    """For another account. elsewhere: it may be made without a password, since people can sign in elsewhere."""

    name: str
    roles: Sequence[Choice]
    elsewhere: bool
    without: bool


@dataclass(frozen=True, slots=True)
class Made:
    """What was just done and is told once. password: "" when there is none."""

    name: str
    said: str
    password: str


@dataclass(frozen=True, slots=True)
class UsersPage:
    """`/users`. keys, pages: a page of everybody's, and where the others are; problem: what could not be done, and what
    to do instead."""

    lines: Sequence[UserLine]
    form: UserForm
    keys: Sequence[KeyLine]
    pages: Pages
    problem: str = ""
    made: Made | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """The question before an account is removed."""

    id: str
    name: str
    role: str
    you: bool


def page(
    users: Sequence[User],
    keys: Sequence[tuple[ApiKey, User]],
    form: UserForm,
    keys_page: int,
    keys_found: int,
    *,
    now: float,
    own: int | None,
    problem: str = "",
    made: Made | None = None,
) -> UsersPage:
    """keys: those of page `keys_page`; keys_found: how many are on all pages; own: `users.pk` of the reader, None when
    they have no account."""
    back = "users" if keys_page == 1 else f"users&keys={keys_page}"
    return UsersPage(
        lines=[_line(user, own) for user in users],
        form=form,
        keys=[line(key, now, owner=user.name, back=back) for key, user in keys],
        pages=pages(keys_page, KEYS_AT_ONCE, keys_found, keys_address),
        problem=problem,
        made=made,
    )


def keys_address(number: int) -> str:
    """Of a page of everybody's keys, where they stand."""
    return f"/users{f'?keys={number}' if number > 1 else ''}#keys"


def form(first: bool, elsewhere: bool, name: str = "", role: str = "", without: bool = False) -> UserForm:
    """first: no account exists yet, so that it has to be an admin."""
    offered = ["admin"] if first else list(ROLES)
    chosen = role if role in offered else offered[0]
    return UserForm(name[:400], _roles(chosen, offered), elsewhere, without and elsewhere)


def removal(user: User, own: int | None) -> Removal:
    return Removal(user.id, user.name, role_word(user.role), user.pk == own)


def role_word(role: str) -> str:
    """`Viewer`, `Editor` or `Admin`."""
    return ROLES[role][0] if role in ROLES else role


def _roles(chosen: str, offered: Sequence[str]) -> list[Choice]:
    return [Choice(each, ROLES[each][0], each == chosen, ROLES[each][1]) for each in offered]


def _line(user: User, own: int | None) -> UserLine:
    ways = [
        word
        for word, has in (("password", user.password), ("OpenID Connect", user.subject))
        if has is not None
    ]
    return UserLine(
        id=user.id,
        name=user.name,
        role=role_word(user.role),
        roles=_roles(user.role, list(ROLES)),
        signs_in=" or ".join(ways) or "no password",
        seen="never" if user.seen is None else dates.moment(user.seen),
        disabled="" if user.disabled is None else dates.day(user.disabled),
        you=user.pk == own,
    )
