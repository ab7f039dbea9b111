"""The filter box: `type:args item:call_p0 text` to a selection and back, and to what storage is asked.

Rules of this file: pure, apart from knowing the trace's lanes. What the box shows is what the URL says. A Teams trace
says `kind:` for `type:` and `stream:` for `lane:`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from webapp.core.agui.events import EVENTS
from webapp.storage.events import Filters
from webapp.views import vocabulary
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams.words import KINDS, stream_name
from webapp.views.vocabulary import AGUI, Words

_TOKEN = re.compile(r'(?:([a-z]+):)?(?:"([^"]*)"|(\S+))')
_NAMES = {
    AGUI.event: {"type": "type", "lane": "lane", "item": "item"},
    vocabulary.TEAMS.event: {
        "kind": "type",
        "type": "type",
        "stream": "lane",
        "lane": "lane",
        "item": "item",
    },
}


def split(sel: Selection, words: Words = AGUI) -> Selection:
    """The selection with the words `type:…`, `lane:…`, `item:…` of its box moved to where they belong."""
    if ":" not in sel.q:
        return sel
    found: dict[str, str] = {}
    rest: list[str] = []
    known = _NAMES[words.event]
    for typed, quoted, word in _TOKEN.findall(sel.q):
        name = known.get(typed, "")
        value = quoted or word
        if typed and not name:
            value = f"{typed}:{value}"  # a word of the text that happens to have a colon
        if name and value:
            found[name] = value
        elif value:
            rest.append(f'"{value}"' if quoted else value)
    return replace(
        sel,
        q=" ".join(rest),
        type=found.get("type", sel.type),
        lane=found.get("lane", sel.lane),
        item=found.get("item", sel.item),
    )


def compose(sel: Selection, words: Words = AGUI) -> str:
    """What the box shows."""
    shown = {member: name for name, member in reversed(_NAMES[words.event].items())}
    parts = [
        f"{shown[member]}:{_quote(getattr(sel, member))}"
        for member in ("type", "lane", "item")
        if getattr(sel, member)
    ]
    return " ".join([*parts, sel.q] if sel.q else parts)


def _quote(value: str) -> str:
    return f'"{value}"' if re.search(r"\s", value) else value


def types(word: str) -> tuple[str, ...]:
    """The event types a typed word means: `args` is TOOL_CALL_ARGS; an unknown word means itself."""
    wanted = word.upper()
    if wanted in EVENTS:
        return (wanted,)
    return tuple(name for name in EVENTS if wanted in name) or (word,)


def kinds(word: str) -> tuple[str, ...]:
    """The kinds of exchanges a typed word means: `status` is `informative`; an unknown word means itself."""
    wanted = word.casefold()
    if wanted in KINDS:
        return (wanted,)
    return tuple(kind for kind, said in KINDS.items() if said.startswith(wanted)) or (word,)


def lane(word: str, page: PageContext) -> int | None:
    """The lane a typed word means, by tag or by name; -1 (no such lane) when there is none."""
    if not word:
        return None
    for ord_, row in page.lanes.items():
        if word in (row.tag, row.name) or word.casefold() == page.lane_name(ord_).casefold():
            return ord_
    if page.trace.protocol == "teams":
        return _stream(word)
    return -1


def _stream(word: str) -> int:
    """`2` and `stream 2` name the second stream, `chat` what stands outside any."""
    number = word.casefold().removeprefix("stream").strip()
    if number.isascii() and number.isdigit() and len(number) < 8:
        return int(number) or -1
    return 0 if word.casefold() == stream_name(0) else -1


def wanted(sel: Selection, page: PageContext) -> Filters:
    """What storage is asked. A folded view is not filtered further: filters show records, not folds."""
    if not sel.filtered:
        return Filters(heads=sel.fold)
    said = kinds if page.trace.protocol == "teams" else types
    meant = said(sel.type) if sel.type else ()
    return Filters(q=sel.q, types=meant, lane=lane(sel.lane, page), item=sel.item, hits=sel.hits)
