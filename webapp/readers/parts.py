"""What a file holds when it holds several streams, and one of them taken out so that nothing of the others is stored.

Rules of this file: which form splits how, and archives around them. Only one layer of archive is opened; of a file
with one stream nothing is asked. Part ids: `m2` a file of an archive, `m2.c1` a stream of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import IO

from webapp.readers.ahead import ahead
from webapp.readers.exports import agui_devtools, copilotkit, envelopes, inspector
from webapp.readers.har import connector, streamed
from webapp.readers.har.parts import HarParts
from webapp.readers.har.signs import hides, holds_har, is_har, may_hide
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.lines import BOM
from webapp.readers.packing.layers import SIGN_BYTES, ZIP, expanded, is_archive, unpacker
from webapp.readers.packing.zip_parts import HAR_PIECES, ZipParts
from webapp.readers.registry import FORMS, best, inner
from webapp.readers.several import (
    MAX_PARTS,
    Part,
    Refused,
    Several,
    Unpicked,
    pieces_of,
    spooled,
)

ALL = "all"

Splitter = Callable[[IO[bytes], Limits], Several]
SPLITTERS: dict[str, Splitter] = {
    streamed.NAME: HarParts,
    connector.NAME: HarParts,
    agui_devtools.NAME: agui_devtools.Connections,
    inspector.NAME: inspector.Exchanges,
    copilotkit.NAME: copilotkit.Agents,
    envelopes.NAME: lambda file, limits: envelopes.Runs(file, limits, inner),
}


def splits(head: bytes, form: str | None = None) -> bool:
    """Whether a file that begins so may hold several streams. form: as which it is to be read, if that was chosen."""
    return head.startswith(ZIP) or holds_har(head) or may_hide(head) or _splitter(head, form) is not None


def _splitter(head: bytes, form: str | None) -> Splitter | None:
    if form in (connector.NAME, streamed.NAME) or is_har(head.removeprefix(BOM)):
        return HarParts  # whatever it is to be read as: the other calls are not to be stored
    if form is not None:
        return SPLITTERS.get(form)
    look = Head(head, complete=len(head) <= HEAD_BYTES)
    if all(
        FORMS[name].score(look) is None for name in SPLITTERS
    ):  # nearly always: spares the other forms' scores
        return None
    found = best(look)
    return None if found is None else SPLITTERS.get(found[0].name)


def look(file: IO[bytes], limits: Limits, form: str | None = None) -> Several | None:
    """The streams of a plain file; None: it is one stream. Raises Refused and TooLarge."""
    head = beginning(file)
    if head.startswith(ZIP):
        return ZipParts(file, limits, form, look)
    if holds_har(head) or (may_hide(head) and hides(pieces_of(file))):
        return _odd_har(file, limits)
    splitter = _splitter(head, form)
    return None if splitter is None else splitter(file, limits)


def _odd_har(file: IO[bytes], limits: Limits) -> HarParts:
    """A HAR file whose `log` stands behind other members. Raises Refused for every other odd shape."""
    several = HarParts(file, limits)
    if not several.entries:
        raise Refused(
            f"This holds {HAR_PIECES}. Nothing of it was kept, since it has cookies and credentials in it."
        )
    return several


def beginning(file: IO[bytes]) -> bytes:
    """The first bytes, one more than are looked at where there are more."""
    file.seek(0)
    return file.read(HEAD_BYTES + 1)


def begins(file: IO[bytes], signs: tuple[bytes, ...]) -> bool:
    """Whether the file begins with one of these."""
    file.seek(0)
    return file.read(SIGN_BYTES).startswith(signs)


def notes_of(several: Several) -> tuple[str, ...]:
    """What is to be said beside the list of streams."""
    full = (f"Only the first {MAX_PARTS:,} streams are listed.",) if len(several.parts) == MAX_PARTS else ()
    return (*several.notes, *full)


def picked(several: Several, part: str | None) -> Part | None:
    """The part to take: the one asked for, or the only one; None when there is none at all.

    Raises Unpicked when several are there and none was named, Refused when the name is unknown.
    """
    if part is not None:
        for each in several.parts:
            if each.id == part:
                return each
        raise Refused(f"The file has no stream called {part[:60]}; choose the file again.")
    if len(several.parts) > 1:
        raise Unpicked(several.parts, notes_of(several))
    return several.parts[0] if several.parts else None


def plain_file(source: Iterable[bytes], limits: Limits, form: str | None = None) -> IO[bytes] | None:
    """The file, expanded; None when it cannot hold several streams. form: as which it is to be read, if chosen."""
    first, pieces = ahead(source, SIGN_BYTES)
    packed = unpacker(first, limits.max_expanded_bytes)
    if packed is not None:
        pieces = expanded(packed, pieces)
    begun, pieces = ahead(pieces, HEAD_BYTES + 1)
    head = begun[: HEAD_BYTES + 1]
    if (packed is not None and is_archive(head)) or not splits(head, form):
        return None
    return spooled(pieces)


def streams(
    source: Iterable[bytes], limits: Limits | None = None, form: str | None = None
) -> tuple[list[Part], tuple[str, ...]]:
    """The streams of a file that may hold several, and notes; none for one that cannot. Raises Refused and TooLarge."""
    bounds = limits or Limits()
    file = plain_file(source, bounds, form)
    if file is None:
        return [], ()
    with file:
        several = look(file, bounds, form)
        return ([], ()) if several is None else (list(several.parts), notes_of(several))
