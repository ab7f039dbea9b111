"""Values as Node shows them (`util.inspect`, `console.log`): objects without quotes round names, and what was cut.

Rules of this file: scanned by hand, never evaluated; each character is looked at a bounded number of times. What was
not shown (`[Object]`, `... 3 more items`) is the value `CUT`; a text that cannot be such a value raises `Broken`.
"""

from __future__ import annotations

import re
from typing import Any, Final, Never

from webapp.readers.python.literal import Broken

MAX_DEPTH = 60


class _Cut:
    """The one value of what was not shown."""

    def __repr__(self) -> str:
        return "CUT"


CUT: Final = _Cut()
MORE = "\0more"  # a member of objects of which some members were not shown
_GAP = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\"|`(?:[^`\\]|\\.)*+`", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|.)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_CUT_STRING = re.compile(r"\.\.\. \d[\d,]*+ more characters?")
_MORE = re.compile(r"\.\.\. \d[\d,]*+ more (?:items?|properties|property)|<\d++ empty items?>")
_OPAQUE = re.compile(
    r"\[(?:Object|Array|Circular|Function|AsyncFunction|AsyncGeneratorFunction|GeneratorFunction|class|Getter|Setter|[A-Z][\w$]*)"
    r"(?:(?:: |[ (/*])[^\]\n]{0,300})?\](?! *[{(])"
)
_SHADOW = re.compile(r"\[Object: null prototype\] (?=\{)")
_ANGLE = re.compile(r"<ref \*\d++> ")
_BUFFER = re.compile(r"<[^<>\n]{0,400}>")
_CLASS = re.compile(r"[A-Za-z_$][\w$.]*+(?:\(\d++\))?(?: \[[\w$ ]{1,80}\])?(?: <[^<>\n]{1,80}>)? (?=[\[{])")
_KEY = re.compile(r"([A-Za-z_$][\w$]*+|-?\d++|\[[^\]\n]{1,200}\]):[ \t\r\n]")
_CALL = re.compile(r"[A-Za-z_$][\w$]*+\([^()\n]{0,300}\)")
_WORD = re.compile(r"[^\s,{}\[\]()'\"`]++")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?")
_ERROR = re.compile(r"(?:[A-Z][\w$]*)?(?:Error|Exception)\b[^\n{]*+")
_STACK = re.compile(
    r"\n[ \t]++at [^\n]*?(?=(?: \{)?[ \t\r]*(?:\n|$))|\n[ \t]*+\.\.\. \d++ lines matching[^\n]*+"
)
_WORDS = {"true": True, "false": False, "null": None}
UNDEFINED: Final = "\0undefined"


class Scan:
    """One text. `value(pos)` gives a value and where it ends."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, pos: int, depth: int = 0) -> tuple[Any, int]:
        """str, int, float, bool, None, list, dict, UNDEFINED or CUT, and the position behind it."""
        text = self.text
        pos = self._gap(pos)
        if depth > MAX_DEPTH:
            self._fail(pos)
        for pattern in (_ANGLE, _SHADOW, _CLASS):
            if (found := pattern.match(text, pos)) is not None:
                pos = found.end()
        first = text[pos : pos + 1]
        if first == "{":
            return self._object(pos + 1, depth)
        if first == "[":
            if (found := _OPAQUE.match(text, pos)) is not None:
                return CUT, found.end()
            return self._array(pos + 1, depth)
        if (found := _STRING.match(text, pos)) is not None:
            return self._strings(found)
        if (found := _ERROR.match(text, pos)) is not None:
            return self._error(found, depth)
        if first == "<" and (found := _BUFFER.match(text, pos)) is not None:
            return CUT, found.end()
        if (found := _CALL.match(text, pos)) is not None:
            return CUT, found.end()
        if (found := _WORD.match(text, pos)) is not None:
            return _word(found.group()), found.end()
        self._fail(pos)

    # -- parts

    def _gap(self, pos: int) -> int:
        found = _GAP.match(self.text, pos)
        return found.end() if found else pos

    def _fail(self, pos: int) -> Never:
        raise Broken(ended=pos >= len(self.text))

    def _strings(self, found: re.Match[str]) -> tuple[Any, int]:
        """A string, or pieces of one with plus signs between."""
        parts, end = [], found.end()
        one: re.Match[str] | None = found
        while one is not None:
            parts.append(_ESCAPE.sub(_unescape, one.group()[1:-1]))
            end = one.end()
            plus = self._gap(end)
            one = _STRING.match(self.text, self._gap(plus + 1)) if self.text[plus : plus + 1] == "+" else None
        if (cut := _CUT_STRING.match(self.text, end)) is not None:
            return CUT, cut.end()
        return "".join(parts), end

    def _error(self, found: re.Match[str], depth: int) -> tuple[Any, int]:
        """`Error: words`, its stack, and perhaps its members behind."""
        said, pos = found.group().strip(), found.end()
        while (line := _STACK.match(self.text, pos)) is not None:
            pos = line.end()
        after = self._gap(pos)
        members: Any = {}
        if self.text[after : after + 1] == "{":
            members, pos = self._object(after + 1, depth + 1)
        return (
            {"message": said.partition(": ")[2] or said, **members} if isinstance(members, dict) else CUT
        ), pos

    def _array(self, pos: int, depth: int) -> tuple[Any, int]:
        out: list[Any] = []
        while True:
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == "]":
                return out, pos + 1
            if (found := _MORE.match(self.text, pos)) is not None:
                out.append(CUT)
                pos = found.end()
            elif (key := _KEY.match(self.text, pos)) is not None:
                _, pos = self.value(key.end(), depth + 1)  # arrays may have members beside: `[ 1, index: 0 ]`
            else:
                value, pos = self.value(pos, depth + 1)
                out.append(value)
            pos = self._comma(pos, "]")

    def _object(self, pos: int, depth: int) -> tuple[Any, int]:
        out: dict[str, Any] = {}
        while True:
            pos = self._gap(pos)
            if self.text[pos : pos + 1] == "}":
                return out, pos + 1
            if (found := _MORE.match(self.text, pos)) is not None:
                out[MORE] = CUT
                pos = self._comma(found.end(), "}")
                continue
            name, pos = self._key(pos, depth)
            if name is not None:
                value, pos = self.value(pos, depth + 1)
                if value is not UNDEFINED and not name.startswith("["):
                    out[name] = value
            pos = self._comma(pos, "}")

    def _key(self, pos: int, depth: int) -> tuple[str | None, int]:
        """A member's name; None: there is a value without one, as sets have them."""
        if (found := _KEY.match(self.text, pos)) is not None:
            return found[1], found.end()
        value, pos = self.value(pos, depth + 1)
        after = self._gap(pos)
        if self.text[after : after + 1] == ":":
            return str(value), after + 1
        if self.text[after : after + 2] == "=>":
            return str(value), after + 2
        return None, pos

    def _comma(self, pos: int, closing: str) -> int:
        pos = self._gap(pos)
        if self.text[pos : pos + 1] == ",":
            return pos + 1
        if self.text[pos : pos + 1] != closing:
            self._fail(pos)
        return pos


def cut(value: Any) -> bool:
    """Whether something of a value was not shown."""
    stack = [value]
    while stack:
        one = stack.pop()
        if one is CUT:
            return True
        if isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    return False


def shown(value: Any) -> Any:
    """The value without what was not shown."""
    if isinstance(value, dict):
        return {name: shown(each) for name, each in value.items() if each is not CUT}
    return [shown(each) for each in value if each is not CUT] if isinstance(value, list) else value


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xu" and len(code) > 1:
        number = int(code.strip("xu{}"), 16)
        return chr(number) if number < 0x110000 else "�"
    return _PLAIN_ESCAPES.get(code, code)


def _word(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text == "undefined":
        return UNDEFINED
    bare = text.removesuffix("n")
    if len(text) < 300 and _NUMBER.fullmatch(bare):
        number = float(bare) if any(sign in bare for sign in ".eE") else int(bare)
        return number if abs(number) != float("inf") else text
    return None if text in ("NaN", "Infinity", "-Infinity") else text
