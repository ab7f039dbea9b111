"""The same reading as `read`, for bytes that come by and by: records are given once it is fairly clear what they are.

Rules of this file: when to look, and what happens when it turns out otherwise. How it is read, `read` decides: for any
split of the bytes the last word is that of an upload of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from webapp.core.records import Record
from webapp.readers import parts
from webapp.readers.base import Account, Reader
from webapp.readers.detect import Detection, detect, open_reader
from webapp.readers.har.signs import hides, holds_har, may_hide
from webapp.readers.head import HEAD_BYTES
from webapp.readers.limits import Limits
from webapp.readers.packing.layers import SIGN_BYTES, unpacker
from webapp.readers.protobuf.reader import looks_binary
from webapp.readers.read import chosen_form, decided, in_order, through_all
from webapp.readers.several import Refused

# Why bytes are not read while they come; such phrases follow "This is "
PACKED = "packed, or text in UTF-16, which is not undone while it comes; read it again, or upload it"
BINARY = "a binary body, which is not read while it comes; read it again, or upload it"
HIDDEN = "a HAR file inside of something else, which is not read while it comes; upload it"

Through = Callable[[Iterator[Record], Detection, Account], Iterator[Record]]


class Anew(Exception):
    """What came has to be read once more from its beginning, as `found` says, by a `Pushed` that is told so."""

    def __init__(self, found: Detection) -> None:
        super().__init__(found.form)
        self.found = found


class Pushed:
    """`feed` what comes, then `close`; both may raise Anew.

    form, protocol: as of `read`; through: what the records go through behind that of `read`, one for one;
    settled: how it is read, where that is known; found: how it is read by now, None: that is not known yet.
    """

    def __init__(
        self,
        form: str | None,
        protocol: str | None,
        limits: Limits,
        through: Through,
        settled: Detection | None = None,
    ) -> None:
        self.found = settled
        self._form = form
        self._protocol = protocol
        self._limits = limits
        self._through = through
        self._sure = settled is not None
        self._held = bytearray()  # all of it, until it is sure how it is read
        self._look_at = 1  # bytes held
        self._waits = False  # nothing is read before the end
        self._reader: Reader | None = None
        self._ready: deque[Record] = deque()  # given by the reader
        self._whole: Iterator[Record] | None = None  # what they go through
        self._under_way = 0  # records that went in, less those that came out

    @property
    def spoken(self) -> str:
        """The protocol the records are judged by."""
        return self._protocol or (self.found and self.found.protocol) or "ag-ui"

    @property
    def account(self) -> Account:
        """That of the reader; of one that reads nothing while it is not known how."""
        return Account() if self._reader is None else self._reader.account

    def feed(self, data: bytes) -> list[Record]:
        """The next bytes; the records they give, as soon as it is known what they are."""
        if self._waits:
            return []
        if not self._sure:
            self._held += data
            if len(self._held) >= self._look_at:
                self._look(ended=False)
        return self._read(data)

    def close(self) -> list[Record]:
        """There is nothing more."""
        if not self._sure:
            self._look(ended=True)
        if self._waits:
            assert self.found is not None
            raise Anew(self.found)
        records = self._read(b"")
        assert self._reader is not None
        self._ready.extend(self._reader.close())
        in_order(self._reader.account)
        records += self._given(ended=True)
        return records

    # ── how it is read ───────────────────────────────────────

    def _look(self, ended: bool) -> None:
        found, self._sure = self._decided(ended)
        size = len(self._held)
        soon = size + size // 4 + 1 if self.found is None else 2 * size
        self._look_at = min(soon, HEAD_BYTES + 1) if size <= HEAD_BYTES else soon
        if found is None:
            return
        if self._reader is not None:
            assert self.found is not None
            if not self._sure:
                return  # one guess is as good as another
            if (found.form, found.protocol) != (self.found.form, self.found.protocol):
                raise Anew(found)
        self.found = found
        # which of its streams is meant is not known before the end
        self._waits = self._sure and found.form in parts.SPLITTERS

    def _decided(self, ended: bool) -> tuple[Detection | None, bool]:
        """How what came is read, None: not known; and whether that is the last word."""
        held = bytes(self._held)
        if (len(held) >= SIGN_BYTES or ended) and (what := _not_now(held, self._form)):
            return Detection(None, 0.0, (what,)), True
        try:
            found = decided(_so_far(held, ended), self._form, self._protocol)[0]
        except _Dry:
            found = detect(held, complete=False, protocol=self._protocol)
            if self._form is not None:
                found = chosen_form(self._form, found, held[:HEAD_BYTES], False, self._protocol)
            speaks = found.form is not None and (self._protocol or found.protocol) is not None
            return (found if speaks and found.form not in parts.SPLITTERS else None), False
        return found, True

    # ── records ──────────────────────────────────────────────

    def _read(self, data: bytes) -> list[Record]:
        if self.found is None or self._waits:
            return []
        if self._reader is None:
            self._reader = open_reader(self.found.form, self._limits)
            data = bytes(self._held) or data
        if self._sure:
            self._held.clear()
        self._ready.extend(self._reader.feed(data))
        return self._given(ended=False)

    def _given(self, ended: bool) -> list[Record]:
        """What has come through. Nothing is asked for that would need a record that is not there."""
        out: list[Record] = []
        if self._whole is None:
            if not self._ready:
                return out
            assert self.found is not None
            account = self.account
            whole = through_all(self._taken(), self.found, account, self._limits)
            self._whole = self._through(whole, self.found, account)
        while ended or self._ready or self._under_way > 0:
            record = next(self._whole, None)
            if record is None:  # no more are taken
                self._ready.clear()
                self._under_way = 0
                break
            self._under_way -= 1
            out.append(record)
        return out

    def _taken(self) -> Iterator[Record]:
        while self._ready:
            self._under_way += 1
            yield self._ready.popleft()


class _Dry(Exception):
    """More bytes may come, and have not."""


def _so_far(held: bytes, ended: bool) -> Iterator[bytes]:
    yield held
    if not ended:
        raise _Dry


def _not_now(held: bytes, form: str | None) -> str:
    """Why bytes that begin so are not read while they come; "" where they are."""
    head = held[: HEAD_BYTES + 1]
    if unpacker(held[:SIGN_BYTES], 1) is not None:
        return PACKED
    if form in (None, "protobuf") and looks_binary(head[:HEAD_BYTES], sure=form is not None):
        return BINARY
    if holds_har(head) or (may_hide(head) and hides([held])):
        return HIDDEN
    return ""


def holds(text: Iterator[bytes], found: Detection, limits: Limits) -> tuple[int, dict[str, Any] | None]:
    """How many streams a file holds that is read as `found`; of one alone, the request it tells for it."""
    if found.form not in parts.SPLITTERS:
        return 1, None
    file = parts.plain_file(text, limits, found.form)
    if file is None:
        return 1, None
    with file:
        try:
            several = parts.look(file, limits, found.form)
        except Refused:
            return 1, None
        if several is None or not several.parts:
            return 1, None
        count = len(several.parts)
        return count, several.take(several.parts[0].id).run_input if count == 1 else None
