"""What reached the user's screen, and what was sent and never did.

Rules of this file: queries on `items` by what was delivered of them, each bounded; no wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from webapp.storage.models import ItemRow

MAX_LOST = 2000  # items that are counted: a trace rejected at once loses all it holds


@dataclass(frozen=True, slots=True)
class Lost:
    """What never reached the user: characters of text and results of calls. more: not all were counted."""

    chars: int
    results: int
    more: bool


def last_seen(session: Session, trace: int) -> ItemRow | None:
    """The newest text message of which the user saw something."""
    query = select(ItemRow).where(ItemRow.trace == trace, ItemRow.kind == "text", ItemRow.chars_seen > 0)
    return session.scalar(query.order_by(ItemRow.ord.desc()).limit(1))


def shown_texts(session: Session, trace: int, upto: int, limit: int) -> Sequence[ItemRow]:
    """The newest text messages the user saw something of, first mentioned at or before record `upto`, in order.

    Those that a snapshot had taken away by then are not among them.
    """
    query = select(ItemRow).where(
        ItemRow.trace == trace,
        ItemRow.kind == "text",
        ItemRow.chars_seen > 0,
        ItemRow.first <= upto,
        ItemRow.gone.is_(None) | (ItemRow.gone > upto),
    )
    return session.scalars(query.order_by(ItemRow.ord.desc()).limit(limit)).all()[::-1]


def lost(session: Session, trace: int, after: int) -> Lost:
    """What was sent and not delivered; after: number of the record at which the client stopped."""
    cut = (ItemRow.kind == "text") & (ItemRow.chars > ItemRow.chars_seen)
    unanswered = ItemRow.result > after
    found = (
        select(
            case((cut, ItemRow.chars - ItemRow.chars_seen), else_=0).label("chars"),
            case((unanswered, 1), else_=0).label("results"),
        )
        .where(ItemRow.trace == trace, cut | unanswered)
        .order_by(ItemRow.ord.desc())
        .limit(MAX_LOST)
        .subquery()
    )
    total = select(func.count(), func.sum(found.c.chars), func.sum(found.c.results)).select_from(found)
    number, chars, results = session.execute(total).one()
    return Lost(chars or 0, results or 0, number >= MAX_LOST)
