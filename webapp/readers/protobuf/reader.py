"""AG-UI's binary binding (form A21): frames of protobuf messages, as bytes or as base64 or hexadecimal text.

Rules of this file: the account, and where a frame stands. In a binary body a line is a frame: lines are numbered by
frames and offsets are theirs. In text a frame stands on the line its first byte is on. A frame that is no event is a
record all the same: its payload shows its bytes, its framing says what is wrong with it.
"""

from __future__ import annotations

from webapp.core.evidence import OVERSIZE
from webapp.core.records import Record
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.lines import HEAD, LineCutter, Long
from webapp.readers.protobuf.events import UNKNOWN_ARM, decode
from webapp.readers.protobuf.frames import PREFIX, Frame, FrameCutter
from webapp.readers.protobuf.text import FIRST, Digits
from webapp.readers.tally import BLANK, PAST, Tally, is_utf8

MEDIA_TYPE = "application/vnd.ag-ui.event+proto"
PROTO = ("proto",)
SHOWN = 64  # bytes of a frame that is no event, in its payload
GIVE_UP = 1_000  # frames in a row that are no events: what follows is not cut into frames any more
BEHIND = "behind frames that are none"
SLACK = 64
CANNOT = (
    "Binary frames cannot show everything that JSON can. A required text or list that is missing arrives empty; a "
    "`null` that stands for nothing looks like a member that is absent. Members and events that the binding has no "
    "field for, extra members of patch operations and digits beyond double precision are lost. Rules about these were "
    "skipped."
)


class ProtobufReader(Tally):
    """payload: the event's JSON bytes, in the names of the JSON binding; framing begins with `proto`."""

    name = "protobuf"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._frames = FrameCutter(self.limits.max_record_bytes, self.limits.cut_bytes)
        self._cutter: LineCutter | None = None  # of a body that is text
        self._most = (
            3 * self.limits.max_record_bytes + SLACK
        )  # of a line: three digits a byte, and the length
        self._digits = Digits()
        self._begun = False
        self._line = 0  # number of the newest line
        self._offset = -1  # of the next line of text
        self._bad = 0  # frames in a row that are no events
        self._place = (1, 0)  # line and offset of the frame that is being read
        self._records: list[Record] = []

    def feed(self, chunk: bytes) -> list[Record]:
        """Take the next bytes; the records whose frames are whole."""
        if chunk and not self._begun:
            self._begun = True
            if chunk[0] in FIRST:
                self._cutter = LineCutter(self._most, cr=False)
        if self._cutter is not None:
            self._text(self._cutter, self._cutter.feed(chunk))
        elif not self.full:
            for frame in self._frames.feed(chunk):
                self._binary(frame)
        return self._taken()

    def close(self) -> list[Record]:
        """The input ended: a frame that was cut, if there is one."""
        if self._cutter is not None:
            self._text(self._cutter, self._cutter.close())
            for frame in self._frames.feed(self._digits.rest()):
                self._offer(frame, *self._place)
        cut = self._frames.close()
        if cut is not None and self._cutter is None:
            self._binary(cut)
        elif cut is not None:
            self._offer(cut, *self._place)
        return self._taken()

    # ── a binary body ────────────────────────────────────────

    def _binary(self, frame: Frame) -> None:
        if self.full:
            return
        self._line += 1
        self.account.lines += 1
        if self._offer(frame, self._line, frame.offset):
            self.account.records += 1
        else:
            self.ignore(BEHIND if self._bad >= GIVE_UP else PAST)

    # ── text ─────────────────────────────────────────────────

    def _text(self, cutter: LineCutter, parts: list[bytes | Long]) -> None:
        if parts and self._offset < 0:
            self._offset = cutter.bom
        for part in parts:
            if isinstance(part, Long):
                self._one(part.head, part.length + len(part.end))
                continue
            lines = part.split(b"\n")
            last = lines.pop()
            for line in lines:
                self._one(line, len(line) + 1)
            if last:
                self._one(last, len(last))

    def _one(self, line: bytes, length: int) -> None:
        """A line, or the beginning of a long one; length: with its end."""
        long = length > self._most
        line = line[:HEAD] if long else line
        self._line += 1
        here = (self._line, self._offset)
        self._offset += length
        self.account.lines += 1
        if self.full:
            self.ignore(BEHIND if self._bad >= GIVE_UP else PAST)
        elif not long and not line.strip():
            self.ignore(BLANK)
        elif long and self._long(line, here):
            pass
        elif long or (data := self._digits.take(line, self._frames.ends_with)) is None:
            self.stray(*here, line.strip())
        else:
            self.account.records += 1
            spelling = f"The frames were written down as {self._digits.spelling} text."
            self.artefact("binary-as-text", spelling, here[0])
            if self._frames.idle:
                self._place = here
            for frame in self._frames.feed(data):
                self._offer(frame, *self._place)
                self._place = here  # a further frame begins on this line

    def _long(self, line: bytes, here: tuple[int, int]) -> bool:
        """Whether a line too long to keep is one frame over the limit: then that is told, as of a binary body."""
        digits = Digits()
        body = digits.take(line[: len(line) // 12 * 12], lambda data: False) if self._frames.idle else None
        size = 0 if body is None else int.from_bytes(body[:PREFIX])
        if body is None or size <= self.limits.max_record_bytes:
            return False
        self.account.records += 1
        self._offer(Frame(0, size, body[PREFIX:][: self.limits.cut_bytes], size), *here)
        return True

    # ── records ──────────────────────────────────────────────

    def _offer(self, frame: Frame, line: int, offset: int) -> bool:
        """One record, if there is room for it."""
        if self.full or self._gives_up(line) or not self.room(line):
            return False
        self.artefact("binary", CANNOT)
        most = self.limits.max_record_bytes
        notes = PROTO if frame.size is None or frame.size <= OVERSIZE else (*PROTO, "oversize")
        if not frame.whole:
            payload, wrong = b"", "frame-cut"
        elif len(frame.body) != frame.size:
            payload, wrong = b"", "too-long"
            self.cut(payload, line)  # says so
        else:
            payload, wrong = decode(frame.body)
        self._bad = self._bad + 1 if wrong and wrong != UNKNOWN_ARM else 0
        if wrong:
            payload, notes = _shown(frame)[:most], (*notes, wrong)
        elif len(payload) > most:
            payload, notes = self.cut(payload, line), (*notes, "too-long")
        if not is_utf8(payload):
            notes = (*notes, "invalid-utf8")
        self._records.append(Record(payload, line, offset, None, notes))
        return True

    def _gives_up(self, line: int) -> bool:
        """Whether so many frames were no events that the rest is not looked at: the lengths mean nothing."""
        if self._bad >= GIVE_UP:
            self.full = True
            self.artefact(
                "frames-lost", f"{GIVE_UP:,} frames in a row are no events; what follows was not read.", line
            )
        return self.full

    def _taken(self) -> list[Record]:
        out, self._records = self._records, []
        return out


def _shown(frame: Frame) -> bytes:
    """A frame that is no event, for people: `frame of 40 bytes, 12 here: 0a 02 08 0b`."""
    if frame.size is None:
        return b"frame whose length is cut off"
    here = "" if frame.whole else f", {frame.have:,} here"
    more = " …" if frame.have > SHOWN else ""
    return f"frame of {frame.size:,} bytes{here}: {frame.body[:SHOWN].hex(' ')}{more}".encode()


# ── detection ────────────────────────────────────────────────


def looks_binary(data: bytes, *, sure: bool = False) -> bool:
    """Whether bytes begin as a binary body of frames, not as text. sure: they are frames, only not whether as text."""
    return bool(data) and data[0] not in FIRST and (sure or _fits(data) is not None)


def score(head: Head) -> Score | None:
    """Frames that are events, one after the other, are no accident."""
    data = head.data
    if data and data[0] in FIRST:
        digits = Digits()
        lines = [digits.take(line, lambda data: False) for line in head.lines]
        if None in lines:
            return None
        data = b"".join(line for line in lines if line)
    found = _fits(data)
    if found is None:
        return None
    noun = "the first frame is a message" if found == 1 else f"the first {found:,} frames are messages"
    return Score(0.99, (f"{noun} of the AG-UI binary binding",), "ag-ui")


def _fits(data: bytes) -> int | None:
    """How many frames these bytes begin with; None when fewer than half of them are events of the binding."""
    cutter = FrameCutter(len(data), len(data))
    frames = cutter.feed(data)
    good = sum(decode(frame.body).note in ("", UNKNOWN_ARM) for frame in frames)
    if not frames and (cut := cutter.close()) is not None:
        return 1 if _begins(cut) else None
    return len(frames) if good and good * 2 >= len(frames) else None


def _begins(cut: Frame) -> bool:
    """Whether a frame longer than the first bytes begins as one event that fills it."""
    tag, at = _varint(cut.body, 0)
    length, at = _varint(cut.body, at)
    arm = tag & 7 == 2 and 1 <= tag >> 3 <= 31
    return arm and at + length == cut.size and cut.body[at : at + 1] == b"\x0a"


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of the wire format and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 35:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    return value, at


FORM = Form(
    "protobuf",
    "binary frames of AG-UI events",
    "The binary binding: length-prefixed protobuf messages, as bytes, base64 or hexadecimal.",
    score,
    ProtobufReader,
)
