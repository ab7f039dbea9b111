"""What was done, line by line: appended here, read here, never changed.

Rules of this file: queries on `acts`. A line tells who, what and about which trace, and never holds text of a
recording, a name that somebody gave to a trace, a token or a password.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.storage.models import Act, Trace

What = Literal[
    "uploaded", "recorded", "edited", "read anew", "deleted", "exported",
    "shared", "viewed by link", "revoked",
    "signed in", "not signed in", "signed out",
    "user added", "user changed", "user removed", "key made", "key revoked",
]  # fmt: skip
WHAT: tuple[What, ...] = get_args(What)


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, for what is written down elsewhere than where they asked for it.

    user: `users.pk`, None when it is no account; name, how: as a line has them
    """

    user: int | None
    name: str
    how: str


COMMAND = By(None, "command line", "command")
RETENTION = By(None, "retention", "command")


def done(
    session: Session,
    by: By | None,
    what: What,
    about: str,
    *,
    at: float,
    detail: dict[str, Any] | None = None,
) -> None:
    """Append what somebody did to a trace; nothing when nobody did, as with the samples of the first start."""
    if by is not None:
        add(session, at=at, who=by.name, how=by.how, what=what, about=about, detail=detail)


def add(
    session: Session,
    *,
    at: float,
    who: str,
    how: str,
    what: What,
    about: str = "",
    detail: dict[str, Any] | None = None,
) -> None:
    """Append one line. at: unix seconds; about: public id of a trace; detail: small, see the rules above."""
    session.add(Act(at=at, who=who[:100], how=how, what=what, about=about, detail=detail or {}))


def happened(session: Session, what: What, about: str, who: str, *, since: float) -> bool:
    """Whether there is such a line not older than `since`, unix seconds."""
    wanted = select(Act.pk).where(Act.about == about, Act.what == what, Act.who == who[:100], Act.at > since)
    return session.scalar(wanted.limit(1)) is not None


def newest(
    session: Session, *, what: str = "", about: str = "", offset: int = 0, limit: int = 100
) -> tuple[Sequence[Act], int]:
    """One page of lines, newest first, and how many there are."""
    wanted = [Act.what == what] if what else []
    wanted += [Act.about == about] if about else []
    total = session.scalar(select(func.count()).select_from(Act).where(*wanted)) or 0
    page = select(Act).where(*wanted).order_by(Act.pk.desc()).offset(offset).limit(limit)
    return session.scalars(page).all(), total


def names_of(session: Session, abouts: Iterable[str]) -> dict[str, str]:
    """Of the traces these lines are about, those that still stand: public id -> what it is called now."""
    wanted = select(Trace.id, Trace.name).where(Trace.id.in_({about for about in abouts if about}))
    return {row.id: row.name for row in session.execute(wanted)}


def all_lines(session: Session, batch: int = 1000) -> Iterator[Act]:
    """Every line, oldest first, a batch at a time."""
    last = 0
    while rows := session.scalars(select(Act).where(Act.pk > last).order_by(Act.pk).limit(batch)).all():
        yield from rows
        last = rows[-1].pk
        session.expunge_all()
