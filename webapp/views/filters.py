"""The filter box: `type:args item:call_p0 text` to a selection and back, and to what storage is asked.

Rules of this file: pure, apart from knowing the trace's lanes. What the box shows is what the URL says.
"""

from __future__ import annotations

import re
from dataclasses import replace

from webapp.core.agui.events import EVENTS
from webapp.storage.events import Filters
from webapp.views.page import PageContext
from webapp.views.selection import Selection

_TOKEN = re.compile(r'(?:(type|lane|item):)?(?:"([^"]*)"|(\S+))')


def split(sel: Selection) -> Selection:
    """The selection with the words `type:…`, `lane:…`, `item:…` of its box moved to where they belong."""
    if ":" not in sel.q:
        return sel
    found: dict[str, str] = {}
    rest: list[str] = []
    for name, quoted, word in _TOKEN.findall(sel.q):
        value = quoted or word
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


def compose(sel: Selection) -> str:
    """What the box shows."""
    parts = [
        f"{name}:{_quote(getattr(sel, name))}" for name in ("type", "lane", "item") if getattr(sel, name)
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


def lane(word: str, page: PageContext) -> int | None:
    """The lane a typed word means, by tag or by name; -1 (no such lane) when there is none."""
    if not word:
        return None
    for ord_, row in page.lanes.items():
        if word in (row.tag, row.name) or word.casefold() == page.lane_name(ord_).casefold():
            return ord_
    return -1


def wanted(sel: Selection, page: PageContext) -> Filters:
    """What storage is asked. A folded view is not filtered further: filters show records, not folds."""
    if not sel.filtered:
        return Filters(heads=sel.fold)
    meant = types(sel.type) if sel.type else ()
    return Filters(q=sel.q, types=meant, lane=lane(sel.lane, page), item=sel.item, hits=sel.hits)
