"""What is done about credentials in one recording: in its text, its records, its run input and what it is called.

Rules of this file: where `mask` is applied; everything goes through unchanged when a private installation turned it
off. A form that decodes has its records masked once more: base64 and binary text hide what they hold until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from webapp.core.masking.masker import Masker, masked, masked_json
from webapp.core.records import Record
from webapp.ingest.mask_titles import masked_title
from webapp.readers.several import Taken

DECODED = frozenset({"protobuf", "har", "har-stream"})


class Cleaner:
    """on: credentials are looked for."""

    def __init__(self, on: bool) -> None:
        self._masker = Masker() if on else None
        self._apart = 0  # of credentials that are no part of the text

    @property
    def on(self) -> bool:
        return self._masker is not None

    @property
    def count(self) -> int | None:
        """Credentials overwritten so far; None when they are not looked for."""
        return None if self._masker is None else self._masker.count + self._apart

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The text of the recording, which goes through once."""
        return iter(pieces) if self._masker is None else self._masker.pieces(pieces)

    def records(self, records: Iterable[Record], form: str | None) -> Iterator[Record]:
        """The records read out of that text."""
        return self._decoded(records) if self.on and form in DECODED else iter(records)

    def name(self, text: str) -> str:
        """A name or sentence about the recording; not counted, since the recording says it too."""
        return masked_title(text) if self.on else text

    def run_input(self, value: dict[str, Any] | None) -> dict[str, Any] | None:
        """The request that asked for the recording."""
        if not self.on or value is None:
            return value
        clean, count = masked_json(value)
        self._apart += count
        return dict(clean)

    def taken(self, taken: Taken) -> Taken:
        """A stream taken out of a file."""
        artefacts = tuple(replace(each, message=self.name(each.message)) for each in taken.artefacts)
        return Taken(self.pieces(taken.pieces), artefacts, self.run_input(taken.run_input))

    def _decoded(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            payload, count = masked(record.payload)
            self._apart += count
            yield msgspec.structs.replace(record, payload=payload) if count else record
