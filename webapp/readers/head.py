"""The first bytes of an input, looked at by every form's score.

Rules of this file: views of the same bytes, each made once; no opinion.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from webapp.readers.lines import BOM
from webapp.readers.tally import parse

HEAD_BYTES = 64 * 1024


class Head:
    """data: at most HEAD_BYTES, without a byte order mark; complete: there are no more than these."""

    def __init__(self, data: bytes, *, complete: bool) -> None:
        self.complete = complete and len(data) <= HEAD_BYTES
        self.data = data[:HEAD_BYTES].removeprefix(BOM)

    @cached_property
    def lines(self) -> list[bytes]:
        """Lines that are not blank, without white space at their ends; one cut off in the middle is left out."""
        lines = self.data.splitlines()
        if not self.complete and len(lines) > 1:
            lines.pop()
        return [line.rstrip() for line in lines if line.strip()]

    @cached_property
    def text(self) -> bytes:
        """All of it without white space around."""
        return self.data.strip()

    @cached_property
    def value(self) -> Any:
        """The JSON document that it is, when it is all there; else None."""
        if not self.complete or not self.text.startswith((b"{", b"[", b'"')):
            return None
        try:
            return parse(self.text)
        except ValueError:
            return None
