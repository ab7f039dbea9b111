"""The two marks of the engine's texts, as links and code.

Rules of this file: `#12` becomes a link to that record, a `backticked` word becomes code; every other
character is escaped. `#205a` (a derived event) links to the record that caused it. Nothing else is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from webapp.views.content import showable
from webapp.views.names import short_id, type_parts
from webapp.views.selection import Selection

_MARK = re.compile(r"`([^`]{1,400})`|(?<![\w&#/])#(\d{1,9})([a-z]?)\b")
LONG = 24  # characters of an id that a headline shows whole
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TYPE = re.compile(r"[A-Z][A-Z_]{2,}")


def marks(text: str | None, sel: Selection, short: bool = False) -> Markup:
    """The text as HTML. sel: the view the links keep (panel, filters); its window moves to the record.

    short: long ids lose their middle, as a headline wants it; the whole id is shown on hover.
    """
    out: list[Markup] = []
    for kind, word in parts(text):
        if kind == "code":
            out.append(_code(word, short))
        elif kind == "record":
            out.append(_link(word.rstrip(_LETTERS), word[len(word.rstrip(_LETTERS)) :], sel))
        else:
            out.append(escape(word))
    return Markup("").join(out)


def parts(text: str | None) -> Iterator[tuple[str, str]]:
    """The text in order as (kind, word): `text` as it is, `code` without its backticks, `record` as `205a`."""
    start = 0
    source = showable(text or "")
    for found in _MARK.finditer(source):
        if found.start() > start:
            yield "text", source[start : found.start()]
        start = found.end()
        yield ("code", found[1]) if found[1] is not None else ("record", found[2] + found[3])
    if start < len(source):
        yield "text", source[start:]


def _code(word: str, short: bool) -> Markup:
    if _TYPE.fullmatch(word):
        prefix, verb = type_parts(word)
        quiet = Markup("<i>{}</i>").format(prefix) if prefix else ""
        return Markup('<code class="ty">{}{}</code>').format(quiet, verb)
    if short and len(word) > LONG and not re.search(r"\s", word):
        return Markup('<code title="{}">{}</code>').format(word, short_id(word, LONG))
    return Markup("<code>{}</code>").format(word)


def _link(number: str, letter: str, sel: Selection) -> Markup:
    href = sel.href(event=int(number), start=None)
    return Markup('<a class="n" href="{}">#{}{}</a>').format(href, number, letter)


def plain(text: str | None) -> str:
    """The text without backticks, for titles and alternatives."""
    return (text or "").replace("`", "")
