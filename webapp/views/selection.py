"""What the reader has chosen: the URL is the state.

Rules of this file: parse and build query strings; no database, no HTML. Every link on a trace page is made here, so
that Back, Forward and a pasted link land on the same spot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

PANELS = ("events", "sequence", "timeline", "conversation", "state", "findings", "source")


@dataclass(frozen=True, slots=True)
class Selection:
    """One view of one trace.

    base:    URL path of the trace page: `/traces/ID`, or `/s/TOKEN` on a shared page
    panel:   one of PANELS
    event:   chosen record number, None = the page chooses (the first cause)
    start:   first record of the panel's window, None = around the chosen event (Timeline: first lane shown;
             State: first member shown of the opened value)
    q, type, lane, item, hits: filters of the Events panel (hits: findings only); item is an id as typed
    fold:    Events and Sequence: bursts folded
    axis:    Timeline: `time` or `number`
    a, b:    Timeline: ends of the zoomed window, in axis units
    line:    Source: first line shown
    only:    Source: `strays` lists the lines that were not understood, from the start-th on
    level:   Findings: only this severity
    asof:    Conversation, State: `end` tells it as of the last record instead of the chosen one
    path:    State: the opened value, as a JSON Pointer; "" = all of it
    """

    base: str
    panel: str = "events"
    event: int | None = None
    start: int | None = None
    q: str = ""
    type: str = ""
    lane: str = ""
    item: str = ""
    hits: bool = False
    fold: bool = True
    axis: str = ""
    a: float | None = None
    b: float | None = None
    line: int | None = None
    only: str = ""
    level: str = ""
    asof: str = ""
    path: str = ""

    @property
    def filtered(self) -> bool:
        return bool(self.q or self.type or self.lane or self.item or self.hits)

    def href(self, **changes: Any) -> str:
        """The URL of this view with some members changed; members at their default are left out.

        Changing the panel drops the window (`start`, `a`, `b`, `line`, `only`, `level`, `asof`, `path`) unless given.
        """
        if changes.get("panel", self.panel) != self.panel:
            window = dict.fromkeys(("start", "a", "b", "line"))
            changes = {**window, **dict.fromkeys(("only", "level", "asof", "path"), ""), **changes}
        chosen = replace(self, **changes)
        query: dict[str, str] = {}
        if chosen.panel != "events":
            query["panel"] = chosen.panel
        for name in ("event", "start", "line"):
            value = getattr(chosen, name)
            if value is not None:
                query[name] = str(value)
        for name in ("q", "type", "lane", "item", "axis", "only", "level", "asof", "path"):
            value = getattr(chosen, name)
            if value:
                query[name] = value
        if chosen.hits:
            query["hits"] = "1"
        if not chosen.fold:
            query["fold"] = "0"
        for name in ("a", "b"):
            value = getattr(chosen, name)
            if value is not None:
                query[name] = f"{value:.10g}" if isinstance(value, float) else str(value)
        return f"{chosen.base}?{urlencode(query)}" if query else chosen.base


MAX_BOX = 500  # characters of a filter that are looked at
MAX_PATH = 2_000
_NUMBER = re.compile(r"\d{1,9}")


def parse(base: str, query: Mapping[str, str], panel: str | None = None) -> Selection:
    """The view a URL asks for. panel: from the path, else from the query; what cannot be read has its default."""
    chosen = panel or query.get("panel", "events")
    words = ("q", "type", "lane", "item", "axis", "only", "level", "asof")
    text = {name: query.get(name, "").strip()[:MAX_BOX] for name in words}
    return Selection(
        base=base,
        panel=chosen if chosen in PANELS else "events",
        event=whole_number(query.get("event")),
        start=whole_number(query.get("start")),
        hits=query.get("hits") == "1",
        fold=query.get("fold") != "0",
        a=_real(query.get("a")),
        b=_real(query.get("b")),
        line=whole_number(query.get("line")),
        path=query.get("path", "")[:MAX_PATH],
        **text,
    )


def whole_number(text: str | None) -> int | None:
    """A record or line number as typed, `12` or `#12`; None for anything else."""
    word = (text or "").strip().removeprefix("#")
    return int(word) if _NUMBER.fullmatch(word) else None


def _real(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
