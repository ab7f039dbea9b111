"""The records of a Teams trace as lines: form T1 of docs/exchange-lines.md, or bare activities where it had those.

Rules of this file: one query a window, never the whole trace. A line is a record as it was received, but for line ends
inside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.storage.models import EventRow

WINDOW = 200  # records read at once


def exchange_lines(session: Session, trace: int) -> Iterator[bytes]:
    """One record a line, in order; reading them again gives the same records."""
    query = (
        select(EventRow.seq, EventRow.raw).where(EventRow.trace == trace).order_by(EventRow.seq).limit(WINDOW)
    )
    seq, raw, end = -1, "", b""
    while rows := session.execute(query.where(EventRow.seq > seq)).all():
        for seq, raw in rows:  # noqa: B007 - both are needed behind the loop
            # a tab, like a line end, is white space between tokens and not allowed inside a string
            yield end + raw.replace("\r", "\t").replace("\n", "\t").encode("utf-8", "replace")
            end = b"\n"
    if raw.endswith("}"):  # a record that was cut stays the cut end of the file
        yield end
