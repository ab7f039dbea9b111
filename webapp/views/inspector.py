"""The inspector: one record, its findings with their causes, and what was received.

Rules of this file: a handful of lookups by key, whatever the trace's size; sentences carry the engine's two
marks. What a finding says is `views/cards.py`, the item's life `views/life_strip.py`, the payload's layout
`views/raw.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.core.records import REFUSED
from webapp.storage import causes, events, findings, items
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import cards, clocks, content, life_strip, names, raw
from webapp.views.cards import Card
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams import facts, words

CARDS = 3  # findings of one record that are told whole; the rest is counted
LIVES = 2  # of them with the item's life drawn
LISTED = 5  # places of a merged finding, and consequences
WHOLE = 200_000  # characters of a payload that are loaded for one record
COPIED = 20_000  # characters the Copy button carries in the page
MAX_ID = 2_000  # characters of an id that are written out
_WORD = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Inspector:
    """The chosen record. reached_cls: `c-fatal` where it was refused; copy: the payload, if short enough.
    times: its clocks by name, where it has several

    call: of an exchange with Teams, what it has in the place of the fields from item to becomes
    """

    event: int
    prefix: str
    verb: str
    item: str
    item_id: str
    lane: str
    lane_cls: str
    when: str
    times: Sequence[tuple[str, str]]
    reached: str
    reached_cls: str
    becomes: Sequence[str]
    cards: Sequence[Card]
    cards_more: int
    payload: Markup
    cut: bool
    place: str
    copy: str
    prev_hit: int | None
    next_hit: int | None
    call: facts.Facts | None = None


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> Inspector | None:
    """None when the trace holds no record."""
    line = events.some(session, trace.pk, [page.event]).get(page.event)
    if line is None:
        return None
    row = events.one(session, trace.pk, page.event) if line.size <= WHOLE else None
    text = row.raw if row is not None else line.raw
    derived = content.derived(line.seq, line.synth)
    known = items.by_ords(session, trace.pk, [line.item, *(d.item for d in derived)])
    item = known.get(line.item) if line.item is not None else None
    chosen = page.findings[:CARDS]
    shown = raw.pretty(text, _culprits(chosen))
    prefix, verb = names.type_parts(line.type)
    lane = page.lanes.get(line.lane)
    size = len(text.encode()) if row is not None else line.size
    cards = [
        _card(session, trace, sel, page, finding, item, line.type, index < LIVES)
        for index, finding in enumerate(chosen)
    ]
    call = None
    if trace.protocol == "teams":
        ex, call = facts.build(session, trace, page, line, text, row is not None)
        prefix, verb = "", words.kind_of(line.type, ex)
        if call.said:
            cards = [replace(each, said=call.said) if not n else each for n, each in enumerate(cards)]
    return Inspector(
        event=line.seq,
        prefix=prefix,
        verb=verb,
        item=names.item_name(item) if item is not None else "",
        item_id=content.showable(names.clip(item.id, MAX_ID)) if item is not None else "",
        lane="parent agent" if line.lane == 0 else names.lane_name(lane),
        lane_cls=names.lane_class(line.lane),
        when=_when(page, line),
        times=_times(page, line),
        reached=_reached(line.reached, line.type),
        reached_cls="c-fatal" if line.reached == REFUSED else "",
        # of a record that is refused nothing comes into being, except the end of what it interrupts
        becomes=[
            _becomes(d, known.get(d.item)) for d in derived if line.reached != 2 or d.change == "closed"
        ],
        cards=cards,
        cards_more=max(0, len(page.findings) - CARDS),
        payload=shown.html,
        cut=shown.cut or row is None,
        place=f"line {names.count(line.line)}, {names.size_words(size)}",
        copy=text if row is not None and len(text) <= COPIED else "",
        prev_hit=events.prev_hit(session, trace.pk, page.event),
        next_hit=events.next_hit(session, trace.pk, page.event),
        call=call,
    )


def _when(page: PageContext, line: events.Line) -> str:
    clock = page.clock
    seconds = clock.read(line)
    if not clock.known:
        return "no clock in this recording"
    if seconds is None:
        return "this event bears no time"
    return f"{clock.since(seconds)} {clock.words}"


def _times(page: PageContext, line: events.Line) -> list[tuple[str, str]]:
    """The record's clocks apart; one alone is told by `when`, unless it is a time of day."""
    known = clocks.told(line, page.clock)
    return known if len(known) > 1 or page.clock.kind == "time-of-day" else []


def _reached(reached: int, type_: str | None) -> str:
    return {
        0: "The application",
        1: "Dropped on the way in, never shown",
        2: "Refused by the client, never shown",
        3: "Nothing: the client had stopped",
    }.get(reached, "")


def _becomes(event: content.Derived, item: ItemRow | None) -> str:
    """`#21a TEXT_MESSAGE_START of message 2`, with marks."""
    kind = item.kind if item is not None else "text"
    type_ = content.DERIVED.get(kind, content.DERIVED["text"]).get(event.change, event.change)
    return f"#{event.number} `{type_}`" + (f" of {names.item_name(item)}" if item is not None else "")


def _culprits(chosen: Sequence[FindingRow]) -> set[str]:
    """Keys and values the findings speak of: the item's id and the words in code. A run is only where it is found."""
    found = {finding.item_id for finding in chosen if finding.item_id and finding.item_kind != "run"}
    for finding in chosen:
        found.update(word.rsplit("/", 1)[-1].rsplit(".", 1)[-1] for word in _WORD.findall(finding.title))
    return {word for word in found if word}


def _card(
    session: Session,
    trace: Trace,
    sel: Selection,
    page: PageContext,
    finding: FindingRow,
    item: ItemRow | None,
    type_: str | None,
    with_life: bool,
) -> Card:
    again = findings.repeats(finding)
    behind = causes.followers(session, trace.pk, [finding.key], LISTED + 1).get(finding.key, [])
    cause = findings.by_key(session, trace.pk, finding.cause) if finding.cause else None
    return replace(
        cards.card(finding, page, again[:LISTED]),
        life=life_strip.strip(session, trace, sel, page, finding, item, type_) if with_life else Markup(""),
        here_again=finding.event if finding.event != page.event else None,
        again_more=max(0, finding.count - 1 - min(len(again), LISTED)),
        follows=[cards.place(row) for row in behind[:LISTED]],
        follows_more=max(0, len(behind) - LISTED),
        cause=None if cause is None else cards.place(cause),
    )
