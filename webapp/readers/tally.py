"""What all readers share: the account of lines, the record limit, and small questions about bytes.

Rules of this file: no grammar of any form. A reader decides what a line is; here it is only written down.
"""

from __future__ import annotations

import json
from typing import Any, Never

from webapp.readers.base import MAX_STRAYS, Account, Artefact, Stray
from webapp.readers.cut import CUT_LINES, CutLines, cut_words
from webapp.readers.limits import Limits, in_words

STRAY_CHARS = 200
BLANK = "blank line"
PAST = "past the record limit"
HEAD_MISSING = "head-missing"
NO_HEAD = (
    "The capture may start in the middle of a run: what came before is cut off, so rules about missing starts cannot "
    "be judged."
)


class Tally:
    """The base of a reader: its account and the count of records.

    `full` is true once a record came that was over the limit; from there on lines are only counted.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.account = Account()
        self.count = 0
        self.full = False

    def artefact(self, kind: str, message: str, line: int | None = None) -> None:
        """Note what the capture did; each kind once a trace, at its first place."""
        if all(known.kind != kind for known in self.account.artefacts):
            self.account.artefacts.append(Artefact(kind, message, line))

    def ignore(self, reason: str, lines: int = 1) -> None:
        """Count lines that carry no record, by reason."""
        if lines:
            self.account.ignored[reason] = self.account.ignored.get(reason, 0) + lines

    def stray(self, line: int, offset: int, text: bytes) -> None:
        """Count a line that nobody could use and keep the beginning of its text."""
        self.account.not_understood += 1
        if len(self.account.strays) < MAX_STRAYS:
            start = text[: STRAY_CHARS * 4].decode("utf-8", "replace")[:STRAY_CHARS]
            self.account.strays.append(Stray(line, offset, start))

    def begins_late(self, line: int | None = None) -> None:
        """Note that the beginning of what was recorded is missing; say it before the first record."""
        self.account.head_missing = True
        self.artefact(HEAD_MISSING, NO_HEAD, line)

    def cut_lines(self, lengths: CutLines) -> None:
        """Note, at the end of the input, that lines were cut at one length; it takes the place of a vaguer note."""
        if (found := lengths.found()) is not None:
            size, count, line = found
            artefacts = self.account.artefacts
            artefacts[:] = [each for each in artefacts if each.kind != CUT_LINES]
            self.artefact(CUT_LINES, cut_words(size, count), line)

    def room(self, line: int) -> bool:
        """Whether one more record may be offered; takes the place if so, else says why not."""
        if self.count >= self.limits.max_records:
            self.full = True
            self.artefact(
                "too-many-records",
                f"The input holds more than {self.limits.max_records:,} records; the rest was not read.",
                line,
            )
            return False
        self.count += 1
        return True

    def cut(self, payload: bytes, line: int) -> bytes:
        """The beginning of a payload over the limit, whole characters only; the artefact says so."""
        size = in_words(self.limits.max_record_bytes)
        self.artefact("too-long-record", f"A record is longer than {size}; only its beginning is kept.", line)
        return whole_characters(payload[: self.limits.cut_bytes])


def is_utf8(text: bytes) -> bool:
    """Whether the bytes decode as UTF-8."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def whole_characters(text: bytes) -> bytes:
    """The bytes without a UTF-8 sequence that a cut left unfinished at the end."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return text[: error.start]
    return text


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


def parse(text: bytes) -> Any:
    """The JSON value of a text, for looking at it only: integers stay text, wrong bytes become U+FFFD.

    Raises ValueError when it is no JSON, too deep for the parser included.
    """
    try:
        # decoded here, since json.loads would guess UTF-16 from zero bytes
        return json.loads(text.decode("utf-8", "replace"), parse_int=str, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("too deep") from error


def is_json(text: bytes) -> bool:
    """Whether the text is one JSON document (NaN and Infinity are not JSON)."""
    try:
        parse(text)
    except ValueError:
        return False
    return True


def is_object(text: bytes) -> bool:
    """Whether the text is one JSON object."""
    text = text.strip(b" \t\r\n")
    return text.startswith(b"{") and text.endswith(b"}") and is_json(text)


def is_tail(text: bytes) -> bool:
    """Whether a line looks like the end of a JSON object whose beginning was cut off: `d":"m-1"}`."""
    text = text.rstrip()
    if not text.endswith((b"}", b"},")) or text.startswith((b"{", b"[")):
        return False
    text = text[-STRAY_CHARS * 4 :]
    return text.count(b"}") > text.count(b"{") and b'"' in text
