"""The upload itself: all of it, or some of its lines.

Rules of this file: reading `originals`. Only the parts that are needed are expanded. A line ends with LF; in
an SSE stream also with CR or CR LF, as its grammar has it. Offsets and numbers are those the readers give to
records.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.storage.models import Original, Trace

PART_BYTES = 64 * 1024  # before compression: small enough to expand one for a few lines
_SSE_END = re.compile(rb"\r\n|\r|\n")
_END = re.compile(rb"\n")


def whole(session: Session, trace: int) -> Iterator[bytes]:
    """The upload byte for byte, a part at a time."""
    return _parts(session, trace, 0, 1)


def text(session: Session, trace: int) -> Iterator[bytes]:
    """What the readers saw: the upload, expanded if it was compressed."""
    step = _direction(session, trace)
    return _parts(session, trace, 0 if step > 0 else -1, step)


def lines(
    session: Session, trace: int, first_line: int, count: int, width: int | None = None
) -> list[tuple[int, int, bytes]]:
    """`count` lines from 1-based number `first_line` on: (number, byte offset, bytes without the line end).

    Of an upload that was compressed these are the expanded text's. width: how many bytes of a line are kept.
    """
    if first_line < 1 or count < 1:
        return []
    step = _direction(session, trace)
    near = select(Original.part, Original.offset, Original.line).where(
        Original.trace == trace, Original.part < 0 if step < 0 else Original.part >= 0
    )
    # A line begins in the last part whose first byte belongs to a lower line, or right where the next part
    # does.
    lower = near.where(Original.line < max(first_line, 2)).order_by(Original.offset.desc()).limit(1)
    found = session.execute(lower).first()
    if found is None:
        return []
    part, offset, number = found
    form = session.scalar(select(Trace.format).where(Trace.pk == trace))
    cut = _split(_parts(session, trace, part, step), form == "sse", number, offset, first_line, width)
    return [line for line, _ in zip(cut, range(count), strict=False)]


def text_size(session: Session, trace: int) -> tuple[int, bool]:
    """Bytes of the text the readers saw, and whether that is not the upload itself (it was compressed)."""
    packed = _direction(session, trace) < 0
    mine = Original.part < 0 if packed else Original.part >= 0
    ends = select(func.max(Original.offset + Original.size)).where(Original.trace == trace, mine)
    return session.scalar(ends) or 0, packed


def numbered_parts(session: Session, trace: int) -> Iterator[tuple[int, bytes]]:
    """(part, bytes) of what the readers saw, in order."""
    step = _direction(session, trace)
    first = 0 if step > 0 else -1
    for place, data in enumerate(_parts(session, trace, first, step)):
        yield first + step * place, data


def _direction(session: Session, trace: int) -> int:
    """-1 when the text lies in the parts -1, -2 …, else 1."""
    least = session.scalar(select(func.min(Original.part)).where(Original.trace == trace))
    return -1 if least is not None and least < 0 else 1


def _parts(session: Session, trace: int, part: int, step: int) -> Iterator[bytes]:
    while True:
        query = select(Original.data).where(Original.trace == trace, Original.part == part)
        data = session.scalar(query)
        if data is None:
            return
        yield zlib.decompress(data)
        part += step


def _split(
    parts: Iterator[bytes], sse: bool, number: int, offset: int, first: int, width: int | None
) -> Iterator[tuple[int, int, bytes]]:
    """Lines from number `first` on; number and offset are those of the first byte of `parts`."""
    ends = _SSE_END if sse else _END
    kept = b""  # of the line being read
    begun = offset  # where that line begins
    held = b""  # a CR that an LF may follow in the next part
    for part in parts:
        data = held + part
        base = offset - len(held)
        offset += len(part)
        held = b"\r" if sse and data.endswith(b"\r") else b""
        if held:
            data = data[:-1]
        at = 0
        for end in ends.finditer(data):
            if number >= first:
                yield number, begun, (kept + data[at : end.start()])[:width]
            number += 1
            at = end.end()
            begun = base + at
            kept = b""
        if number >= first:
            kept = (kept + data[at:])[:width]
    if number >= first and begun < offset:
        yield number, begun, kept
