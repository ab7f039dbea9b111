"""The streams of a zip archive: its files, those that hold several streams taken apart.

Rules of this file: one layer of archive; what is in a file, `parts.look` says. A `NAME.input.json` goes with `NAME`.
Part ids: `m2` a file of the archive, `m2.c1` a stream of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, Any

from webapp.readers.detect import detect, form_name
from webapp.readers.event_names import ANY_IN_JSON
from webapp.readers.head import HEAD_BYTES
from webapp.readers.limits import Limits
from webapp.readers.packing.layers import is_archive
from webapp.readers.packing.zipped import Archive, Member
from webapp.readers.several import Part, Refused, Several, Taken, numbered, pieces_of, run_input_of, spooled

INPUT_SUFFIX = ".input.json"
HAR_PIECES = "calls of a HAR file, but not as a HAR file has them: give the exported file as it is"
Look = Callable[[IO[bytes], Limits, str | None], Several | None]


class ZipParts:
    """See `several.Several`. look: takes a file apart that holds several streams, None for one that does not."""

    whole = False

    def __init__(self, file: IO[bytes], limits: Limits, form: str | None, look: Look) -> None:
        self._limits = limits
        self._form = form
        self._inside_of = look
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
            try:
                several = self._inside_of(file, self._limits, self._form)
            except Refused:
                return [Part(id, member.name, None, reasons=(f"this holds {HAR_PIECES}",))]
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
                sum(len(ANY_IN_JSON.findall(piece)) for piece in pieces_of(file))
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
        several = self._inside_of(file, self._limits, self._form)
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
