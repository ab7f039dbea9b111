"""Values as Python shows them (`repr`): models, enum members, dicts, lists, strings, numbers.

Rules of this file: scanned by hand, never evaluated; each character is looked at a bounded number of times. A text that
cannot be such a value raises `Broken`; what a model's members mean is for the caller.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Never

MAX_DEPTH = 100
_GAP = re.compile(r"[ \t\r\n]*+")
_NAME = re.compile(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+")
_MEMBER = re.compile(r"[ \t\r\n,]*+([^\W\d]\w*+)=(?!=)")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?j?")
_STRING = re.compile(r"([bBrRuUfF]{0,2})('(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\")")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_ENUM = re.compile(r"<[\w.]++: ")
_OBJECT = re.compile(r"<[^<>\n]{1,300}>")
_PLAIN_ESCAPES = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\n": "",
}
_WORDS = {"None": None, "True": True, "False": False, "nan": None, "inf": None}
_STAMPS = ("datetime", "datetime.datetime")


class Broken(ValueError):
    """Not such a value. ended: the text ended inside it, so that more of it could help."""

    def __init__(self, *, ended: bool) -> None:
        super().__init__("not a value as Python shows it")
        self.ended = ended


class Model(NamedTuple):
    """`RunStartedEvent(type=…, …)`: its class and members in order."""

    name: str
    members: dict[str, Any]


class Scan:
    """One text. `value(pos)` gives a value and where it ends; `fields(pos)` reads `a=1 b='x'` until something else."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, pos: int, depth: int = 0) -> tuple[Any, int]:
        """str, int, float, bool, None, list, dict or Model, and the position behind it."""
        text = self.text
        pos = self._gap(pos)
        if depth > MAX_DEPTH:
            self._fail(pos)
        first = text[pos : pos + 1]
        if first == "{":
            return self._braces(pos + 1, depth)
        if first in ("[", "("):
            return self._list(pos + 1, depth, "]" if first == "[" else ")")
        if first == "<":
            return self._angle(pos, depth)
        if (found := _STRING.match(text, pos)) is not None:
            return self._strings(found)
        if (found := _NUMBER.match(text, pos)) is not None:
            return _number(found.group()), found.end()
        if (found := _NAME.match(text, pos)) is not None:
            return self._named(found.group(), found.end(), depth)
        self._fail(pos)

    def fields(self, pos: int, depth: int = 0, *, closing: str = "") -> tuple[dict[str, Any], int]:
        """Members until one does not follow; with `closing` that character must, and is passed."""
        out: dict[str, Any] = {}
        while (found := _MEMBER.match(self.text, pos)) is not None:
            value, pos = self.value(found.end(), depth + 1)
            out.setdefault(found[1], value)
        if closing:
            pos = self._gap(pos, commas=True)
            if self.text[pos : pos + 1] != closing:
                self._fail(pos)
            pos += 1
        return out, pos

    # -- parts

    def _gap(self, pos: int, *, commas: bool = False) -> int:
        found = _GAP.match(self.text, pos)
        pos = found.end() if found else pos
        return self._gap(pos + 1) if commas and self.text[pos : pos + 1] == "," else pos

    def _fail(self, pos: int) -> Never:
        raise Broken(ended=pos >= len(self.text))

    def _strings(self, found: re.Match[str]) -> tuple[str, int]:
        """A string, and those that stand behind it: long ones are shown in pieces."""
        parts = []
        one: re.Match[str] | None = found
        end = found.end()
        while one is not None:
            raw = one[2][1:-1]
            parts.append(raw if "r" in one[1].lower() or "\\" not in raw else _ESCAPE.sub(_unescape, raw))
            end = one.end()
            one = _STRING.match(self.text, self._gap(end))
        return "".join(parts), end

    def _angle(self, pos: int, depth: int) -> tuple[Any, int]:
        """`<EventType.RUN_STARTED: 'RUN_STARTED'>` is its value; of any other object only its words are known."""
        if (found := _ENUM.match(self.text, pos)) is not None:
            value, end = self.value(found.end(), depth + 1)
            if self.text[end : end + 1] == ">":
                return value, end + 1
            self._fail(end)
        if (found := _OBJECT.match(self.text, pos)) is not None:
            return found.group(), found.end()
        self._fail(len(self.text) if "\n" not in self.text[pos:] else pos)

    def _named(self, name: str, pos: int, depth: int) -> tuple[Any, int]:
        if self.text[pos : pos + 1] == "(":
            return self._call(name, pos + 1, depth)
        if name in _WORDS:
            return _WORDS[name], pos
        if pos >= len(self.text):
            self._fail(pos)  # a word cut off: it could be anything
        return name.rpartition(".")[2], pos

    def _call(self, name: str, pos: int, depth: int) -> tuple[Any, int]:
        given: list[Any] = []
        while _MEMBER.match(self.text, pos) is None:
            pos = self._gap(pos, commas=True)
            if self.text[pos : pos + 1] == ")":
                break
            value, pos = self.value(pos, depth + 1)
            given.append(value)
            pos = self._gap(pos)
            if self.text[pos : pos + 1] not in (",", ")"):
                self._fail(pos)
        members, pos = self.fields(pos, depth, closing=")")
        if name in _STAMPS:
            return _stamp(given), pos
        if given and not members:
            return (given[0] if len(given) == 1 else given), pos
        return Model(name, members), pos

    def _list(self, pos: int, depth: int, closing: str) -> tuple[Any, int]:
        out: list[Any] = []
        commas = 0
        while True:
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == closing:
                # brackets round one value without a comma are only brackets
                return (out[0] if closing == ")" and len(out) == 1 and not commas else out), pos + 1
            value, pos = self.value(pos, depth + 1)
            out.append(value)
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == ",":
                commas += 1
                pos += 1
            elif self.text[pos : pos + 1] != closing:
                self._fail(pos)

    def _braces(self, pos: int, depth: int) -> tuple[Any, int]:
        """A dict, or a set, which is taken as a list."""
        keyed: dict[str, Any] = {}
        loose: list[Any] = []
        while True:
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == "}":
                return (loose or keyed), pos + 1
            value, pos = self.value(pos, depth + 1)
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == ":" and not loose:
                if isinstance(value, list | dict | Model):
                    self._fail(pos)
                key = value if isinstance(value, str) else str(value)
                keyed[key], pos = self.value(pos + 1, depth + 1)
                pos = self._gap(pos)
            elif keyed:
                self._fail(pos)
            else:
                loose.append(value)
            if self.text[pos : pos + 1] == ",":
                pos += 1
            elif self.text[pos : pos + 1] != "}":
                self._fail(pos)


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else "�"
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _PLAIN_ESCAPES.get(code, code)


def _number(text: str) -> int | float | str | None:
    text = text.replace("_", "")
    if len(text) > 300 or text.endswith("j"):
        return text
    if text.lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    return number if abs(number) != float("inf") else None


def _stamp(given: list[Any]) -> str:
    """A moment as ISO 8601; its zone is not looked at, since Python writes it in too many ways: UTC."""
    numbers = [part for part in given if isinstance(part, int)]
    year, month, day, hour, minute, second, micro = (numbers + [0] * 7)[:7]
    fraction = f".{micro:06}" if micro else ""
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"
