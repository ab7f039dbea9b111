"""Recordings of the "AG-UI DevTools" browser extension (form A11, `.agui.jsonl`): header, requests, events,
keepalives.

Rules of this file: lines of one connection are one stream; lines that interleave with it belong to others. `tMs`
counts from the beginning of the capture. What the header says was redacted is handed on, for rules that would need
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, NamedTuple

from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.lines import LineCutter, Long
from webapp.readers.linewise import LineReader
from webapp.readers.several import Part, Taken, left_out, numbered, pieces_of, run_input_of
from webapp.readers.slices import elements, members, number_of, string_of
from webapp.readers.tally import is_json

NAME = "agui-devtools"
OTHER = "a line of another connection"
# groups of the header's `redacted` -> what stands no more in the recording, rules that would need it
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "text": (
        "text of messages",
        ("AGUI-CHK-17", "AGUI-HAZ-02", "AGUI-HAZ-03", "AGUI-HAZ-05"),
    ),
    "reasoning": (
        "text of reasoning",
        ("AGUI-CHK-17", "AGUI-HAZ-02", "AGUI-HAZ-03", "AGUI-ENC-07", "AGUI-INP-05"),
    ),
    "toolArgs": ("text of tool arguments", ("AGUI-CHK-17", "AGUI-TOL-08", "AGUI-HAZ-04")),
    "toolResults": ("text of tool results", ("AGUI-TOL-09", "AGUI-TOL-10", "AGUI-TOL-21")),
    "state": (
        "content of state and history",
        ("AGUI-STA-04", "AGUI-STA-05", "AGUI-STA-06", "AGUI-INP-01", "AGUI-INP-06", "AGUI-INP-07"),
    ),
}
# how the extension writes nearly every line; read by other means in any other spelling
_USUAL = re.compile(
    rb'\{"kind":"event","connId":"([^"\\]{1,200})","seq":\d{1,12},"tMs":(\d{1,15}),"event":(?=\{)'
)
_KINDS = {"header": "header", "request": "request", "keepalive": "keepalive"}


class Line(NamedTuple):
    """One line. conn: its connection; value: the event, or the input of a request; b"" where there is none."""

    kind: str
    conn: str
    value: bytes
    at: float | None
    title: str = ""
    redacted: tuple[str, ...] = ()


def taken_apart(text: bytes) -> Line | None:
    """What a line says; None: it is none of this form."""
    usual = _USUAL.match(text)
    if usual and text.endswith(b"}}") and is_json(event := text[usual.end() : -1]):
        return Line("event", usual[1].decode("utf-8", "replace"), event, int(usual[2]) / 1000)
    found = members(text)

    def raw(name: str) -> bytes:
        return text[slice(*found[name])].strip() if name in found else b""

    def words(name: str) -> str:
        return string_of(raw(name)) or ""

    kind = words("kind")
    if kind == "header":
        redacted = raw("redacted")
        groups = tuple(string_of(redacted[start:end]) or "" for start, end in elements(redacted))
        return Line(kind, "", b"", None, redacted=groups)
    if kind not in ("request", "event", "keepalive") or "connId" not in found:
        return None
    conn = words("connId") or raw("connId").decode("utf-8", "replace")
    at = number_of(raw("tMs")) if "tMs" in found else None
    value = raw("event" if kind == "event" else "input")
    if kind == "event" and not value:
        return None
    title = f"{words('method')} {words('url').partition('?')[0]}".strip() if kind == "request" else ""
    return Line(kind, conn, value, None if at is None else at / 1000, title)


class AguiDevtoolsReader(LineReader):
    """payload: the event; at: seconds since the capture began. The connection is that of the first event."""

    name = NAME

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._conn: str | None = None

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        found = taken_apart(text)
        if found is None:
            self.stray(number, offset, text)
            return
        if found.kind == "header":
            self._header(found, number)
        if found.kind != "event":
            self.ignore(_KINDS[found.kind])
            return
        if self._conn is None:
            self._conn = found.conn
        if found.conn != self._conn:
            self.ignore(OTHER)
            self.artefact(
                "connections", f"Lines of other connections than {self._conn} were left out.", number
            )
            return
        whole = ended or text.rstrip().endswith(b"}")
        self.offer(found.value, number, offset, at=found.at, framing=() if whole else ("incomplete",))

    def _header(self, found: Line, number: int) -> None:
        groups = tuple(group for group in found.redacted if group in GROUPS)
        if groups:
            for group in groups:
                what, rules = GROUPS[group]
                reason = f"The {what} was redacted when the recording was exported."
                self.account.unjudged.update(dict.fromkeys(rules, reason))
            named = ", ".join(GROUPS[group][0] for group in groups)
            self.artefact(
                "redacted",
                f"Redacted when it was exported: {named}. Rules that need it are not judged.",
                number,
            )


@dataclass(slots=True)
class _Conn:
    title: str = ""
    events: int = 0
    size: int = 0
    input: bytes = b""


class Connections:
    """See `several.Several`."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._conns: dict[str, _Conn] = {}
        for text, found in self._lines():
            if found is None or found.kind == "header":
                continue
            conn = self._conns.setdefault(found.conn, _Conn())
            conn.events += found.kind == "event"
            conn.size += len(text)
            if found.kind == "request" and not conn.title:
                conn.title, conn.input = found.title, found.value
        speaking = {name: conn for name, conn in self._conns.items() if conn.events}
        self._names = list(speaking or self._conns)
        self.parts = numbered(
            Part(
                f"c{place}",
                conn.title or f"connection {name}",
                NAME,
                "ag-ui",
                conn.size,
                conn.events,
                (f"connection {name}",),
            )
            for place, name in enumerate(self._names, 1)
            for conn in (self._conns[name],)
        )
        silent = len(self._conns) - len(self._names)
        self.notes = left_out(silent, "connection without an event", "connections without an event")
        self.whole = len(self._conns) <= 1

    def take(self, id: str) -> Taken:
        name = self._names[int(id[1:]) - 1]
        wanted = self._conns[name]
        return Taken(self._of(name), (), run_input_of(wanted.input))

    def _of(self, name: str) -> Iterator[bytes]:
        for text, found in self._lines():
            if found is not None and (found.kind == "header" or found.conn == name):
                yield text + b"\n"

    def _lines(self) -> Iterator[tuple[bytes, Line | None]]:
        cutter = LineCutter(self._limits.max_record_bytes, cr=False)
        for piece in pieces_of(self._file):
            yield from _apart(cutter.feed(piece))
        yield from _apart(cutter.close())


def _apart(parts: list[bytes | Long]) -> Iterator[tuple[bytes, Line | None]]:
    for part in parts:
        if isinstance(part, Long):
            continue  # too long to be read: whose line it is cannot be told
        for text in part.split(b"\n"):
            if text.strip():
                yield text, taken_apart(text)


def score(head: Head) -> Score | None:
    if b'"kind"' not in head.data:
        return None
    lines = head.lines
    first = taken_apart(lines[0]) if lines else None
    if first is not None and first.kind == "header" and b"schemaVersion" in lines[0]:
        return Score(1.0, ("its first line is the header of an AG-UI DevTools recording",), "ag-ui")
    found = sum(taken_apart(line) is not None for line in lines)
    if not found or found * 2 < len(lines):
        return None
    reasons = (f"{found:,} of the first {len(lines):,} lines are those of an AG-UI DevTools recording",)
    return Score(round(0.95 + 0.05 * found / len(lines), 2), reasons, "ag-ui")


FORM = Form(
    NAME, "a recording of AG-UI DevTools", "A recording of the AG-UI DevTools browser extension (.agui.jsonl).",
    score, AguiDevtoolsReader,
)  # fmt: skip
