"""Text of a conversation as a page may show it: whole characters, odd ones as codes, long ones cut.

Rules of this file: pure; text in, escaped markup out. What a page cannot hold (lone surrogates), or would obey
(direction marks, control characters), is shown as a sign with its code in a title.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from webapp.redact import marked
from webapp.views import raw
from webapp.views.names import count

SHOWN = 4_000  # characters of one text in the page
TAIL = 1_000  # of them from its end, where it broke
SHORT = 72  # characters of JSON that stay on one line
MAX_ODD = 15  # signs with a title in one text; a text made of nothing else must not fill the page

_ODD = re.compile("[\ud800-\udfff\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class Body:
    """A text. tail: its end, when the middle is left out; left: how many characters; href: where all of it is.

    code: laid out as JSON or kept as typed, in the code face
    """

    head: Markup
    tail: Markup
    left: int
    href: str
    code: bool = False

    @property
    def words(self) -> str:
        return f"{count(self.left)} characters left out"


def paired(text: str) -> str:
    """Surrogate pairs that were split over two pieces joined; lone ones stay."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def of_bytes(data: bytes, width: int) -> str:
    """At most `width` bytes as text; of one that is longer, without the character the cut went through."""
    if len(data) > width:
        data = re.sub(rb"[\xc0-\xff][\x80-\xbf]{0,2}$", b"", data[:width])
    return data.decode("utf-8", "replace")


def shown(text: str) -> Markup:
    """The text escaped, odd characters as signs."""
    out: list[Markup] = []
    start = 0
    for number, found in enumerate(_ODD.finditer(text)):
        out.append(escape(text[start : found.start()]))
        start = found.end()
        signs = "".join(map(_sign, found[0][:8]))
        if number < MAX_ODD:
            codes = " ".join(f"U+{ord(char):04X}" for char in found[0][:8])
            out.append(Markup('<span class="odd" title="{}">{}</span>').format(_told(found[0], codes), signs))
        else:
            out.append(escape(signs))
    out.append(escape(text[start:]))
    return Markup("").join(out)


def _sign(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\ufffd" if 0xD800 <= code < 0xE000 or char == "\ufffd" else "¤"


def _told(chars: str, codes: str) -> str:
    if all(0xD800 <= ord(char) < 0xE000 for char in chars):
        return f"{codes}: half of a character, as it was sent"
    if set(chars) == {"\ufffd"}:
        return f"{codes}: stands for what is no character"
    return f"{codes}: not shown as it is, because it would change how the page reads"


def body(text: str, href: str = "", *, tail: str | None = None, chars: int | None = None) -> Body:
    """A text for reading. tail, chars: its end and length when `text` is only its beginning."""
    text = paired(text)
    if tail is None and len(text) > SHOWN:
        text, tail, chars = text[: SHOWN - TAIL], text[-TAIL:], len(text)
    if tail is None:
        return Body(shown(text), Markup(""), 0, href)
    left = max(0, (chars or 0) - len(text) - len(tail))
    return Body(shown(text), shown(paired(tail)), left, href)


def code(text: str, href: str = "", *, tail: str | None = None, chars: int | None = None) -> Body:
    """JSON laid out for reading when it is whole, else the text as far as it came."""
    if tail is None and SHORT < len(text) <= SHOWN and is_json(text):
        laid = raw.pretty(raw.spelled(paired(text)))
        if not laid.cut:
            return Body(laid.html, Markup(""), 0, href, code=True)
    made = body(text, href, tail=tail, chars=chars)
    return Body(made.head, made.tail, made.left, href, code=True)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def value(content: Any, href: str = "") -> Body:
    """Content of an activity or a result: text as text, anything else as JSON."""
    if isinstance(content, str):
        return code(content, href) if content[:1] in ("{", "[") else body(content, href)
    if isinstance(content, dict) and marked(str(content.get("redacted", ""))) is not None:
        return body(content["redacted"], href)  # what is left of an object; patches have added markers to it
    try:
        text = json.dumps(content, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body("nested too deeply to be shown", href)
    return code(text, href)


def parts(content: Any) -> tuple[str, list[str]]:
    """The text of a message's content and a word for each part that is none: `image/png`."""
    if isinstance(content, str):
        return content, []
    told: list[str] = []
    texts: list[str] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            source = part.get("source")
            kind = part.get("mimeType") or (source.get("mimeType") if isinstance(source, dict) else None)
            told.append(str(kind or part.get("type") or "a part that is no text")[:60])
    return "\n".join(texts), told[:10]


_CONTENT = re.compile(r'"content"\s*:\s*"((?:[^"\\]|\\.)*)', re.S)


def result(payload: str, whole: bool) -> Any:
    """Content of a TOOL_CALL_RESULT; of a payload that was cut, what can be read of it."""
    if whole:
        try:
            return json.loads(payload).get("content")
        except (ValueError, AttributeError, RecursionError):
            return None
    found = _CONTENT.search(payload)
    if found is None:
        return None
    text = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "", found[1])
    try:
        return json.loads(f'"{text}"', strict=False)
    except ValueError:
        return None
