"""Small parts of the sentences about Teams: names of calls, quoted texts, ids, answers, times.

Rules of this file: words only; nothing is judged. What is quoted cannot be taken for one of the two marks of a
finding's text (`#12`, backticks) and holds no lone surrogate.
"""

from __future__ import annotations

import re

from webapp.core.teams.answers import error_of
from webapp.core.teams.values import plain
from webapp.core.teams.world import Call

QUOTED = 40  # characters of a text that a sentence shows
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_MARK = re.compile(r"#(?=\d)")
JOINED = "#\u2060"  # a word joiner: `#3` in a user's text is no record
_SHOWN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def name_of(call: Call) -> str:
    """What a call is called in sentences: `chunk 3`, `status line 2`, `the final`, `the edit`."""
    ex = call.ex
    number = "" if ex.number is None or abs(ex.number) >= 10**12 else f" {ex.number}"
    if ex.kind == "streaming":
        return f"chunk{number}" if number else "the chunk"
    if ex.kind == "informative":
        return f"status line{number}" if number else "the status line"
    return {"final": "the final", "edit": "the edit", "delete": "the deletion", "typing": "the typing sign",
            "message": "the message", "inbound": "the user’s message"}.get(ex.kind, "the call")  # fmt: skip


def quote(text: str, limit: int = QUOTED) -> str:
    """The text in quotation marks, cut to `limit` characters."""
    cut = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return f'"{_MARK.sub(JOINED, _plain(cut))}"'


def tail(text: str, limit: int = QUOTED) -> str:
    """The end of the text in quotation marks."""
    cut = text if len(text) <= limit else f"…{text[1 - limit :]}"
    return f'"{_MARK.sub(JOINED, _plain(cut))}"'


def code(text: object, limit: int = QUOTED) -> str:
    """An id, a field or a value in backticks, shortened."""
    word = _plain(plain(text)[:4000])
    if not word:
        return '`""`'
    return f"`{word}`" if len(word) <= limit else f"`{word[: limit - 13]}…{word[-12:]}`"


def answered(call: Call) -> str:
    """What the service said to a call, one sentence with a blank before it; empty where nothing is recorded."""
    ex = call.ex
    if ex.answered == "lost" and not ex.unrecorded:
        return " No answer came."
    if ex.status is None or ex.answered == "unknown":
        return ""
    if ex.answered == "ok":
        return f" The service took it all the same (answer {ex.status})."
    word, message = error_of(ex.answer)
    said = (message or word or "").rstrip(".")
    told = f": {quote(said, 100)}" if said else ""
    return f" The service answered {ex.status}{told}."


def later(seconds: float) -> str:
    """A span of time: `0.2 s`, `85 s`, `3 ms`."""
    if abs(seconds) < 0.1:
        return f"{round(seconds * 1000)} ms"
    return f"{seconds:.1f} s" if abs(seconds) < 10 else f"{round(seconds):,} s"


def names(words: list[str]) -> str:
    """Words in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    text = _CONTROL.sub(lambda found: _SHOWN.get(found[0], "\ufffd"), text)
    return text.replace("`", "'").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
