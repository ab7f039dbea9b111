"""What a file holds when it holds several streams, and one of them taken out so that nothing of the others is stored.

Rules of this file: which form splits how, and archives around them. Only one layer of archive is opened; of a file
with one stream nothing is asked. Part ids: `m2` a file of an archive, `m2.c1` a stream of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from webapp.readers import agui_devtools, copilotkit, envelopes, har, harstreams, inspector
from webapp.readers.detect import detect, form_name
from webapp.readers.harparts import HarParts
from webapp.readers.head import HEAD_BYTES, Head
from webapp.readers.limits import Limits
from webapp.readers.lines import BOM
from webapp.readers.packing import SIGN_BYTES, ZIP, expanded, is_archive, unpacker
from webapp.readers.registry import FORMS, best, inner
from webapp.readers.several import (
    MAX_PARTS,
    Part,
    Refused,
    Several,
    Taken,
    Unpicked,
    numbered,
    pieces_of,
    run_input_of,
)
from webapp.readers.signs import holds_har, is_har
from webapp.readers.zipped import Archive, Member

SPOOL = 4_000_000  # bytes held in memory before they go to disk
INPUT_SUFFIX = ".input.json"
ALL = "all"
HAR_PIECES = "calls of a HAR file, but not as a HAR file has them: give the exported file as it is"
_EVENT = re.compile(rb'"type"\s*:\s*"[A-Z][A-Z_]+"')

Splitter = Callable[[IO[bytes], Limits], Several]
SPLITTERS: dict[str, Splitter] = {
    harstreams.NAME: HarParts,
    har.FORM.name: HarParts,
    agui_devtools.NAME: agui_devtools.Connections,
    inspector.NAME: inspector.Exchanges,
    copilotkit.NAME: copilotkit.Agents,
    envelopes.NAME: lambda file, limits: envelopes.Runs(file, limits, inner),
}


def splits(head: bytes, form: str | None = None) -> bool:
    """Whether a file that begins so may hold several streams. form: as which it is to be read, if that was chosen."""
    return head.startswith(ZIP) or holds_har(head) or _splitter(head, form) is not None


def _splitter(head: bytes, form: str | None) -> Splitter | None:
    if form in (har.FORM.name, harstreams.NAME) or is_har(head.removeprefix(BOM)):
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
    file.seek(0)
    head = file.read(HEAD_BYTES + 1)
    if head.startswith(ZIP):
        return ZipParts(file, limits, form)
    if holds_har(head):
        raise Refused(
            f"This holds {HAR_PIECES}. Nothing of it was kept, since it has cookies and credentials in it."
        )
    splitter = _splitter(head, form)
    return None if splitter is None else splitter(file, limits)


class ZipParts:
    """See `several.Several`: the files of an archive, those that hold several streams taken apart."""

    whole = False

    def __init__(self, file: IO[bytes], limits: Limits, form: str | None = None) -> None:
        self._limits = limits
        self._form = form
        self._archive = Archive(file, limits.max_expanded_bytes)
        self._members: dict[str, Member] = {f"m{member.number}": member for member in self._archive.members}
        self._inputs: dict[str, dict[str, Any]] = {}
        found: list[Part] = []
        nested, others = [], []
        for id, member in self._members.items():
            if member.locked:
                others.append(f"{member.name} (it needs a password)")
                continue
            parts = self._look(id, member)
            if parts is None:
                nested.append(member.name)
            elif any(part.form is not None for part in parts):
                found += parts
            elif not member.name.endswith(INPUT_SUFFIX):
                others += [f"{member.name} ({reason})" for part in parts for reason in part.reasons[:1]]
        if not found:
            raise Refused(_nothing(nested, others))
        self.parts = numbered(found)
        self.notes = tuple(
            note
            for note in (
                nested and f"Archives inside the archive are not opened: {_named(nested)}.",
                others and f"No recordings: {_named(others)}.",
            )
            if note
        )

    def _look(self, id: str, member: Member) -> list[Part] | None:
        """The streams of a member; None: it is an archive itself."""
        with spooled(self._archive.pieces(member)) as file:
            head = file.read(HEAD_BYTES + 1)
            if is_archive(head):
                return None
            if member.name.endswith(INPUT_SUFFIX):
                file.seek(0)
                if (value := run_input_of(file.read())) is not None:
                    self._inputs[member.name.removesuffix(INPUT_SUFFIX)] = value
                    return [Part(id, member.name, None)]
            if holds_har(head):
                return [Part(id, member.name, None, reasons=(f"this holds {HAR_PIECES}",))]
            several = None if head.startswith(ZIP) else look(file, self._limits, self._form)
            if several is not None and several.parts:
                if len(several.parts) == 1:
                    return [replace(several.parts[0], id=f"{id}.{several.parts[0].id}", title=member.name)]
                return [
                    replace(part, id=f"{id}.{part.id}", title=f"{member.name} › {part.title}")
                    for part in several.parts
                ]
            found = detect(head, complete=len(head) <= HEAD_BYTES)
            form = self._form or found.form
            events = (
                sum(len(_EVENT.findall(piece)) for piece in pieces_of(file))
                if found.protocol == "ag-ui"
                else None
            )
            reasons = (f"this is {', '.join(found.reasons)}",) if form is None else (form_name(found),)
            return [Part(id, member.name, form, found.protocol, member.size, events, reasons)]

    def take(self, id: str) -> Taken:
        name, _, inside = id.partition(".")
        member = self._members[name]
        stem = next((s for s in (member.name, member.name.rpartition(".")[0]) if s in self._inputs), "")
        asked = self._inputs.get(stem)
        if not inside:
            return Taken(self._archive.pieces(member), (), asked)
        return self._inside(member, inside, asked)

    def _inside(self, member: Member, id: str, asked: dict[str, Any] | None) -> Taken:
        file = spooled(self._archive.pieces(member))
        several = look(file, self._limits, self._form)
        assert several is not None  # it was when the member was looked at
        if several.whole and len(several.parts) == 1:
            taken = replace(several.take(id), pieces=pieces_of(file))
        else:
            taken = several.take(id)
        return replace(taken, pieces=_closing(taken.pieces, file), run_input=asked or taken.run_input)


def _closing(pieces: Iterable[bytes], file: IO[bytes]) -> Iterator[bytes]:
    with file:
        yield from pieces


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5:,} more"


def _nothing(nested: Sequence[str], others: Sequence[str]) -> str:
    if nested:
        return f"Archives inside an archive are not opened ({_named(nested)}): unpack it once and give what is inside."
    if others:
        return f"No file of the zip archive is a recording: {_named(others)}."
    return "The zip archive is empty."


def begins(file: IO[bytes], signs: tuple[bytes, ...]) -> bool:
    """Whether the file begins with one of these."""
    file.seek(0)
    return file.read(SIGN_BYTES).startswith(signs)


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
    pieces = iter(source)
    first = b""
    while len(first) < SIGN_BYTES and (more := next(pieces, b"")):
        first += more

    def all_of() -> Iterator[bytes]:
        yield first
        yield from pieces

    packed = unpacker(first, limits.max_expanded_bytes)
    plain = all_of() if packed is None else expanded(packed, all_of())
    head, held = bytearray(), []
    for piece in plain:
        held.append(piece)
        head += piece[:HEAD_BYTES]
        if len(head) > HEAD_BYTES:
            break
    if packed is not None and is_archive(bytes(head)):
        return None
    if not splits(bytes(head[: HEAD_BYTES + 1]), form):
        return None

    def rest() -> Iterator[bytes]:
        yield from held
        yield from plain

    return spooled(rest())


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


def parts(source: Iterable[bytes], limits: Limits | None = None) -> list[Part]:
    """The same without the notes."""
    return streams(source, limits)[0]


def take(source: Iterable[bytes], id: str, limits: Limits | None = None) -> bytes:
    """The sifted original of one stream, which holds nothing of the others. Raises Refused for an unknown id."""
    bounds = limits or Limits()
    file = plain_file(source, bounds)
    if file is None:
        raise Refused("The file holds one stream only.")
    with file:
        several = look(file, bounds)
        part = None if several is None else picked(several, id)
        assert several is not None
        assert part is not None
        return b"".join(several.take(part.id).pieces)
