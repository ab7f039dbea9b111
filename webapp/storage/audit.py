"""What was done, line by line: appended here, read here, never changed.

Rules of this file: queries on `acts`. A line tells who, what and about which trace, and never holds text of a
recording, a name that somebody gave to a trace, a token or a password.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.storage.models import Act

What = Literal[
    "uploaded", "recorded", "edited", "read anew", "deleted", "exported",
    "shared", "viewed by link", "revoked",
    "signed in", "not signed in", "signed out",
    "user added", "user changed", "user removed", "key made", "key revoked",
]  # fmt: skip


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


def newest(
    session: Session, *, what: str = "", about: str = "", offset: int = 0, limit: int = 100
) -> tuple[Sequence[Act], int]:
    """One page of lines, newest first, and how many there are."""
    wanted = [Act.what == what] if what else []
    wanted += [Act.about == about] if about else []
    total = session.scalar(select(func.count()).select_from(Act).where(*wanted)) or 0
    page = select(Act).where(*wanted).order_by(Act.pk.desc()).offset(offset).limit(limit)
    return session.scalars(page).all(), total


def all_lines(session: Session, batch: int = 1000) -> Iterator[Act]:
    """Every line, oldest first, a batch at a time."""
    last = 0
    while rows := session.scalars(select(Act).where(Act.pk > last).order_by(Act.pk).limit(batch)).all():
        yield from rows
        last = rows[-1].pk
        session.expunge_all()
