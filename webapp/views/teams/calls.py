"""Exchanges of a window, decoded.

Rules of this file: loading and decoding, bounded by `streams.BUDGET` characters; what is larger stays undecoded and is
said to be so. What an exchange is called is `words.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from webapp.core.teams import answers
from webapp.core.teams.answers import Answer
from webapp.core.teams.exchanges import Exchange, read
from webapp.storage import streams
from webapp.storage.models import FindingRow

TOO_LONG = "too long to be shown here"


def load(
    session: Session, trace: int, seqs: Iterable[int], near: int, budget: int = streams.BUDGET
) -> dict[int, Exchange]:
    """Exchanges by record number; those nearest to record `near` first, until the budget of characters is spent."""
    found = streams.payloads(session, trace, seqs, near, budget)
    decoded = {seq: read(raw) for seq, raw in found.items()}
    return {seq: ex for seq, ex in decoded.items() if ex is not None}


def one(session: Session, trace: int, seq: int) -> Exchange | None:
    """One exchange; None when there is none there, or it is too large."""
    return load(session, trace, [seq], seq).get(seq)


def answer_row(ex: Exchange | None) -> Answer | None:
    """What its answer means; None after a success or without an answer."""
    return None if ex is None or ex.key is None else answers.BY_KEY.get(ex.key)


def is_stop(ex: Exchange | None) -> bool:
    """Whether it was refused because the user had pressed Stop."""
    return ex is not None and ex.key == "E403-STOP"


def blames(row: FindingRow | None) -> bool:
    """Whether a finding at a Stop makes it a fault after all."""
    return row is not None and row.severity <= 1


def ends(ex: Exchange | None) -> str:
    """How the stream goes on after this answer: `answers.Answer.ends`, "" after a success or without an answer."""
    row = answer_row(ex)
    return "" if row is None else row.ends


def said(ex: Exchange) -> str:
    """The service's own words in a recorded answer that is no success; else empty."""
    if ex.answered not in ("refused", "dropped"):
        return ""
    code, message = answers.error_of(ex.answer)
    return message or code or ""
