"""Activity messages as of one moment: what each held, and what the last change did to it.

Rules of this file: which records and snapshots make an activity's content, and how it is told. Bounded: SHOWN of them
with their content, the rest by name; MAX_RECORDS records of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.core.agui import changes
from webapp.core.agui.shared import Change, Copies, Failure, applied, echoed, held_messages, read
from webapp.storage import items, states
from webapp.storage.models import ItemRow, Trace
from webapp.storage.states import Place
from webapp.views import names
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.state_tree import Node, Tree

SHOWN = 2
LISTED = 8
LINES = 26
MAX_RECORDS = 1_500
MAX_CHARS = 8_000_000
MAX_MESSAGES = 5_000  # a checkpoint lists no more, see `ingest.index`
TRIES = 6  # snapshots looked at, of the activity and of the messages


@dataclass(frozen=True, slots=True)
class Activity:
    """One activity. at: record of its last change so far; what: that change in words, with marks.

    failed: why the last change was not applied; gone: what became of it, "" = it is there; tree: its content
    """

    name: str
    id: str
    lane: str
    lane_cls: str
    at: int
    what: str
    failed: str
    unseen: bool
    gone: str
    tree: Node | None
    current: bool


@dataclass(frozen=True, slots=True)
class Named:
    """An activity that is only named; href: the page at its first record."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class _Held:
    value: Any
    before: Any
    change: Change | None
    failure: Failure | None
    gone: int | None
    lost: bool


def build(
    session: Session, trace: Trace, sel: Selection, page: PageContext, upto: int
) -> tuple[list[Activity], list[Named], bool]:
    """Those told with their content, those only named, and whether there are still more."""
    if not any(name in trace.types for name in ("ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA")):
        return [], [], False
    found = _one_each(states.activities(session, trace.pk, upto, LISTED + 1))
    at = states.item_of(session, trace.pk, page.event)
    chosen = None if at is None else items.by_ord(session, trace.pk, at)
    if chosen is not None and chosen.kind == "activity" and chosen.first <= upto:
        found = [chosen, *(row for row in found if row.id != chosen.id)]
    told = [_activity(session, trace, sel, page, row, upto) for row in found[:SHOWN]]
    named = [
        Named(names.item_name(row), sel.href(event=row.first, start=None, path=""))
        for row in found[SHOWN:LISTED]
    ]
    return told, named, len(found) > LISTED


def _one_each(rows: Sequence[ItemRow]) -> list[ItemRow]:
    """One row an id: a later run that uses it again goes on with the same message."""
    return list({row.id: row for row in reversed(rows)}.values())[::-1]


def _activity(
    session: Session, trace: Trace, sel: Selection, page: PageContext, row: ItemRow, upto: int
) -> Activity:
    same = [each.ord for each in items.by_id(session, trace.pk, row.id, "activity") if each.first <= upto]
    places = states.activity_records(session, trace.pk, same, upto, MAX_RECORDS + 1)
    held = _rebuilt(session, trace, page, row.id, places, upto)
    last = places[-1]
    marks = _marks(held)
    value = held.value
    tree = None
    if held.gone is None and not held.lost and value is not changes.NOTHING:
        tree = Tree(value, (), marks.all, lambda path, start: "", LINES, 0).node()
    return Activity(
        name=showable(names.clip(names.item_name(row), 80)),
        id=showable(names.clip(row.id, 80)),
        lane=page.lane_name(row.lane) if trace.lane_count > 1 else "",
        lane_cls=names.lane_class(row.lane),
        at=last.seq,
        what=_what(held, last, marks),
        failed=_failed(held),
        unseen=last.reached >= 2,
        gone=_gone(held),
        tree=tree,
        current=last.seq == page.event,
    )


def _rebuilt(
    session: Session, trace: Trace, page: PageContext, id_: str, places: list[Place], upto: int
) -> _Held:
    first = _newest_whole(session, trace, places[:-1])  # before the last, whose own effect is told
    lost = first is None and len(places) > MAX_RECORDS
    since = places[first].seq if first is not None else -1
    value, at, gone = _from_messages(session, trace, id_, since, upto)
    if first is None and at is None:
        value = _asked(session, trace, page, id_)
    after = [place for place in places if place.seq > (at if at is not None else since - 1)]
    if sum(place.size for place in after) > MAX_CHARS:
        lost = True
        after = after[-1:]
    before, change, failure = value, None, None
    copies = Copies()
    for start in range(0, len(after), 100):
        part = after[start : start + 100]
        texts = states.payloads(session, trace.pk, [place.seq for place in part])
        for place in part:
            before, change, failure = value, read(texts.get(place.seq, "")), None
            if change is None or (value is changes.NOTHING and change.kind == "patch"):
                continue
            if change.kind == "snapshot" and not change.whole and value is not changes.NOTHING:
                continue
            value, failure = applied(value, change, copies)
            gone = None
            lost = lost and not (change.kind == "snapshot" and change.whole)
    return _Held(value, before, change, failure, gone, lost)


def _newest_whole(session: Session, trace: Trace, places: list[Place]) -> int | None:
    """Place in the list of the newest snapshot that takes effect whatever was there."""
    tries = 0
    for number in range(len(places) - 1, -1, -1):
        if places[number].type != "ACTIVITY_SNAPSHOT" or tries > TRIES:
            continue
        tries += 1
        change = read(states.payload(session, trace.pk, places[number].seq))
        if change is not None and change.whole:
            return number
    return None


def _from_messages(
    session: Session, trace: Trace, id_: str, since: int, upto: int
) -> tuple[Any, int | None, int | None]:
    """What the newest MESSAGES_SNAPSHOT that speaks of it made of it: content, its number, and where it was removed."""
    for seq in states.message_snapshots(session, trace.pk, since, upto, TRIES):
        kept = items.snapshot(session, trace.pk, seq)
        known = [] if kept is None or kept.messages is None else kept.messages
        if len(known) < MAX_MESSAGES and [id_, "activity"] not in known:
            return changes.NOTHING, seq, seq
        for message in held_messages(states.payload(session, trace.pk, seq)):
            if message["id"] == id_ and message["role"] == "activity":
                return message["content"], seq, None
    return changes.NOTHING, None, None


def _asked(session: Session, trace: Trace, page: PageContext, id_: str) -> Any:
    """Its content in the request, uploaded or echoed by the first run."""
    asked = trace.input
    if asked is None and page.runs:
        asked = echoed(states.payload(session, trace.pk, page.runs[0].first))
    for message in (asked or {}).get("messages") or ():
        if isinstance(message, dict) and message.get("id") == id_ and message.get("role") == "activity":
            return message.get("content")
    return changes.NOTHING


def _marks(held: _Held) -> changes.Marks:
    if held.change is None or held.failure is not None or held.lost or held.before is changes.NOTHING:
        return changes.NONE
    if held.change.kind == "patch":
        return changes.by_patch(held.before, held.change.operations)
    return changes.by_snapshot(held.before, held.value)


def _what(held: _Held, last: Place, marks: changes.Marks) -> str:
    kind = "sent whole" if last.type == "ACTIVITY_SNAPSHOT" else "patched"
    text = f"last {kind} at #{last.seq}"
    if marks.all:
        more = "more than " if marks.cut else ""
        text += f", {more}{names.plural(len(marks.all), 'change')}"
    return text


def _failed(held: _Held) -> str:
    if held.lost or held.gone is not None:
        return ""
    if held.failure is not None:
        return f"Not applied, the content stays as it was. {held.failure.sentence}"
    if held.change is None:
        return ""
    if held.change.kind == "patch" and held.before is changes.NOTHING:
        return "Not applied: no snapshot has created this activity."
    return ""


def _gone(held: _Held) -> str:
    if held.lost:
        return "Its content cannot be rebuilt here: too many changes since it was last sent whole."
    if held.gone is not None:
        return f"The message list sent at #{held.gone} does not have it, so a client removed it."
    return ""
