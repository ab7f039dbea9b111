"""A file that holds several streams: what they are, and one of them taken out.

Rules of this file: shapes and the refusals; each form says itself what its streams are. Nothing is kept of a stream
that nobody picked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Protocol

from webapp.readers.base import Artefact
from webapp.readers.tally import parse

PIECE = 256 * 1024
SPOOL = 4_000_000  # bytes held in memory before they go to disk
MAX_PARTS = 500  # streams of one file that can be told apart; a person picks from the list
MAX_TITLE = 120  # characters
MAX_INPUT_BYTES = 32_000_000  # of a request body that is kept as the run input


@dataclass(frozen=True, slots=True)
class Part:
    """One stream of a file.

    id:           names it within the file, always the same for the same bytes; never holds white space or `@`
    title:        what a person knows it by: `POST /agent`, `logs/run.sse`, `agent research`
    form:         the form it is read as once it is taken out; None: no recording
    size:         bytes of it, about; events_guess: how many events, about (None: not known)
    reasons:      what it is, and what is to be known before it is picked
    """

    id: str
    title: str
    form: str | None
    protocol: str | None = None
    size: int = 0
    events_guess: int | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """A stream taken out. pieces: the sifted original, which holds nothing of the others; used up once.

    run_input: the request that asked for it, where the file has it
    """

    pieces: Iterable[bytes]
    artefacts: tuple[Artefact, ...] = ()
    run_input: dict[str, Any] | None = None


class Several(Protocol):
    """The streams of one file.

    whole: with one stream alone, the file is read as it is; notes: sentences about what is in it besides
    """

    @property
    def parts(self) -> Sequence[Part]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    @property
    def whole(self) -> bool: ...

    def take(self, id: str) -> Taken: ...


class Refused(ValueError):
    """The file is not looked into; `str()` is a sentence for the user."""


class Unpicked(ValueError):
    """Several streams, and nobody said which."""

    def __init__(self, parts: Sequence[Part], notes: Sequence[str] = ()) -> None:
        self.parts = tuple(parts)
        self.notes = tuple(notes)
        super().__init__(f"The file holds {len(parts):,} streams; say which of them to take.")


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    """The file from its beginning, in pieces."""
    file.seek(0)
    while piece := file.read(PIECE):
        yield piece


def spooled(pieces: Iterable[bytes]) -> IO[bytes]:
    """A file that is gone when it is closed, at its beginning."""
    file: IO[bytes] = SpooledTemporaryFile(SPOOL)  # noqa: SIM115 - closed by whoever asked
    try:
        for piece in pieces:
            file.write(piece)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def numbered(parts: Iterable[Part]) -> list[Part]:
    """The first MAX_PARTS, with titles cut and told apart: `POST /agent`, `POST /agent #2`."""
    seen: dict[str, int] = {}
    out = []
    for part in parts:
        title = part.title if len(part.title) <= MAX_TITLE else f"{part.title[: MAX_TITLE - 1]}…"
        seen[title] = count = seen.get(title, 0) + 1
        out.append(replace(part, title=title if count == 1 else f"{title} #{count}"))
        if len(out) == MAX_PARTS:
            break
    return out


def left_out(count: int, one: str, more: str) -> tuple[str, ...]:
    """A note about what is not offered: `1 connection without an event is left out.`"""
    if not count:
        return ()
    return (f"1 {one} is left out.",) if count == 1 else (f"{count:,} {more} are left out.",)


def run_input_of(text: bytes | str | None) -> dict[str, Any] | None:
    """The `RunAgentInput` a request body is, else None."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if not data or len(data) > MAX_INPUT_BYTES:
        return None
    try:
        look = parse(data)
    except ValueError:
        return None
    if isinstance(look, dict) and isinstance(look.get("body"), dict):  # a runtime's own envelope
        look = look["body"]
    if not (
        isinstance(look, dict) and "type" not in look and {"threadId", "runId", "messages"} <= look.keys()
    ):
        return None
    return _exact(data)


def _exact(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data.decode("utf-8", "replace"))
        json.dumps(value)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and isinstance(value.get("body"), dict):
        value = value["body"]
    return value if isinstance(value, dict) else None
