"""The State panel: the shared state as of the chosen event, what the last change did, and the changes around it.

Rules of this file: which moment, and which value in it is opened. How the state is rebuilt is `views/state_load.py`,
which lines of it are shown `views/state_tree.py`, what is said about it `views/state_say.py`; activity messages are
`views/state_acts.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.core.agui import changes
from webapp.core.agui.changes import Path
from webapp.core.agui.pointers import Refused, tokens_of
from webapp.core.agui.shared import UNSET
from webapp.storage import states
from webapp.storage.models import Trace
from webapp.views import bodies, names, sealed, state_acts, state_load, state_redacted, state_say
from webapp.views import state_words as words
from webapp.views.bodies import Body
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.state_acts import Activity, Named
from webapp.views.state_say import Last, Line
from webapp.views.state_tree import Link, Node, Tree

LINES = 150  # lines of the tree
MAX_PATH = 1_500  # characters of a path that a link carries


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step of the opened path; href "" = it is the last."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class StatePanel:
    """as_of, at_end: URLs of the two moments; prev, next: numbers of the neighbouring state records.

    starts, lost, missing, empty: sentences with marks, "" = not to be said; unseen: what is shown never reached the
    application, `stop` says since when; tree: the opened value; body: a long text that was opened alone
    """

    as_of: str
    at_end: str
    ended: bool
    moment: int
    count: str
    prev: int | None
    next: int | None
    starts: str
    stop: str
    unseen: bool
    lost: str
    repaired: int | None
    empty: str
    missing: str
    crumbs: Sequence[Crumb]
    window: str
    tree: Node | None
    body: Body | None
    last: Last | None
    lines: Sequence[Line]
    earlier: bool
    later: bool
    activities: Sequence[Activity]
    named: Sequence[Named]
    many: bool
    redacted: str = ""  # what the state held was taken out: a sentence instead of its tree


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> StatePanel:
    ended = sel.asof == "end"
    upto = page.last if ended else page.event
    number = sum(trace.types.get(name, 0) for name in states.TYPES)
    found = state_load.rebuild(session, trace, page, upto)
    known = found.value is not UNSET
    nothing = not found.places and not found.source
    marks = state_say.marks(found)
    focus, missing = _focus(found.value, sel.path, upto) if known else ((), "")
    value = changes.at(found.value, focus) if known else None
    long = isinstance(value, str) and bool(focus or len(value) > 160)
    acts, named, many = state_acts.build(session, trace, sel, page, upto)
    link = _linked(sel, page)
    start = sel.start or 0
    stop, unseen = state_say.stop(trace, found, upto)
    panel = StatePanel(
        as_of=sel.href(event=page.event, asof="", start=None),
        at_end=sel.href(event=page.event, asof="end", start=None),
        ended=ended,
        moment=upto,
        count=names.plural(number, "state event") if number else "no state event",
        prev=max((place.seq for place in found.places if place.seq < upto), default=None),
        next=min((place.seq for place in found.places if place.seq > upto), default=None),
        starts=state_say.starts(found) if not nothing else "",
        stop=stop,
        unseen=unseen,
        lost=found.lost,
        repaired=states.snapshot_after(session, trace.pk, upto) if found.lost else None,
        empty=_empty(number, bool(acts)) if nothing else "",
        missing=missing,
        crumbs=_crumbs(focus, link) if known and not nothing else (),
        window=_window(value, start),
        tree=Tree(value, focus, marks.all, link, LINES, start).node()
        if known and not nothing and not long
        else None,
        body=bodies.body(value) if isinstance(value, str) and long else None,
        last=state_say.last(found, marks, link),
        lines=[state_say.line(trace, page, found, place) for place in found.places],
        earlier=len([p for p in found.places if p.seq <= upto]) >= state_load.BEFORE,
        later=len([p for p in found.places if p.seq > upto]) >= state_load.AFTER,
        activities=acts,
        named=named,
        many=many,
    )
    return state_redacted.told(panel, found) if sealed.without_texts(trace) else panel


def _empty(number: int, acts: bool) -> str:
    also = " Its activity messages are below." if acts else ""
    return f"This recording sends no shared state.{also}" if not number else ""


# ── where in the value ───────────────────────────────────────


def _linked(sel: Selection, page: PageContext) -> Link:
    def link(path: Path, start: int | None) -> str:
        text = words.pointer(path)
        if len(text) > MAX_PATH or not text.isprintable() or text != text.strip():
            return ""
        return sel.href(event=page.event, path=text, start=start or None)

    return link


def _focus(value: Any, asked: str, upto: int) -> tuple[Path, str]:
    """The asked path as far as it leads, and a sentence when it leads no further."""
    if not asked.startswith("/"):
        return (), ""
    try:
        tokens = tokens_of(asked)
    except Refused:
        return (), ""
    path: list[str | int] = []
    for token in tokens:
        holder = changes.at(value, tuple(path))
        key: str | int = (
            int(token) if isinstance(holder, list) and token.isdigit() and len(token) < 10 else token
        )
        if changes.at(value, (*path, key)) is changes.NOTHING:
            where = f"`{words.shown_path((*path, key)).replace('`', '')}`"
            return tuple(path), f"There is no {where} in the state as of #{upto}."
        path.append(key)
    return tuple(path), ""


def _crumbs(focus: Path, link: Link) -> list[Crumb]:
    if not focus:
        return []
    steps = [Crumb("state", link((), None))]
    for depth, key in enumerate(focus, 1):
        name = showable(names.clip(str(key), 40)) or '""'
        steps.append(Crumb(name, link(focus[:depth], None) if depth < len(focus) else ""))
    return steps if len(steps) <= 9 else [*steps[:2], Crumb("…", ""), *steps[-6:]]


def _window(value: Any, start: int) -> str:
    """Which members are shown, when a link has skipped some."""
    if not start or not isinstance(value, dict | list) or start >= len(value):
        return ""
    last = min(len(value), start + 100)
    return f"{names.count(start + 1)}–{names.count(last)} of {words.counted(value)}"
