"""A payload as received, laid out for reading: every token as it was sent, only the white space is ours.

Rules of this file: pure. Numbers, escapes and double keys stay as on the wire: this is no re-encoding. Text
that is no JSON stays as it is. Bounded: the first MAX_LINES lines of at most MAX_CHARS characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from markupsafe import Markup, escape

from webapp.views.content import harmless

MAX_LINES = 120
MAX_CHARS = 60_000
MAX_TOKEN = 2_000  # characters of one string that are shown
MAX_LEAVES = 600  # keys and values: what is no JSON may have any number in a line
MAX_DEPTH = 40  # deeper levels are not indented further

# a string that does not end is one token up to where the text does: looked at once, whatever it holds
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]:,]|[^\s{}\[\]:,"]+')


@dataclass(frozen=True, slots=True)
class Raw:
    """html: the payload with keys and culprits marked; cut: whether something was left out."""

    html: Markup
    cut: bool


def pretty(text: str, culprits: Collection[str] = ()) -> Raw:
    """culprits: keys or string values to mark, without their quotes."""
    body = text[:MAX_CHARS].strip()
    if not body.startswith(("{", "[")):
        return Raw(escape(harmless(body)), len(text) > MAX_CHARS)
    printer = _Printer(culprits)
    for found in _TOKEN.finditer(body):
        printer.take(found[0])
        if printer.full:
            break
    return Raw(printer.html(), printer.full or len(text) > MAX_CHARS)


def spelled(text: str) -> str:
    """JSON made from a parsed value, its lone surrogates as the escapes they were sent as."""
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


class _Printer:
    def __init__(self, culprits: Collection[str]) -> None:
        self.culprits = culprits
        self.lines: list[list[Markup]] = [[]]
        self.stack: list[str] = []
        self.key: str | None = None
        self.fresh = False  # just after an opening bracket
        self.leaves = 0

    @property
    def full(self) -> bool:
        return len(self.lines) > MAX_LINES or self.leaves > MAX_LEAVES

    def html(self) -> Markup:
        return Markup("\n").join(Markup("").join(line) for line in self.lines[:MAX_LINES])

    def take(self, token: str) -> None:
        if token in "{[":
            self._open(token)
        elif token in "}]":
            self._close(token)
        elif token == ",":
            self._put(",")
            self._line()
        elif token == ":":
            pass  # written with its key
        else:
            self._leaf(token)

    def _leaf(self, token: str) -> None:
        self._start()
        self.leaves += 1
        is_key = bool(self.stack) and self.stack[-1] == "{" and self.key is None
        guilty = token[1:-1] in self.culprits if token.startswith('"') else False
        shown = harmless(token if len(token) <= MAX_TOKEN else f"{token[:MAX_TOKEN]}…")
        if is_key:
            self.key = token
            body = Markup("<mark>{}:</mark> ") if guilty else Markup('<span class="k">{}:</span> ')
            self.lines[-1].append(body.format(shown))
            return
        self.key = None
        self._put(Markup("<mark>{}</mark>").format(shown) if guilty else shown)

    def _open(self, token: str) -> None:
        self._start()
        self._put(token)
        self.stack.append(token)
        self.key = None
        self.fresh = True

    def _close(self, token: str) -> None:
        if self.stack:
            self.stack.pop()
        if not self.fresh:
            self._line()
        self.fresh = False
        self.key = None
        self._put(token)

    def _start(self) -> None:
        if self.fresh:
            self._line()
            self.fresh = False

    def _put(self, text: str | Markup) -> None:
        self.lines[-1].append(escape(text))

    def _line(self) -> None:
        self.lines.append([Markup("  " * min(len(self.stack), MAX_DEPTH))])
