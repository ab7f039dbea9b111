"""Streamed items: text messages, tool calls, reasoning messages and spans open, grow and close.

Rules of this file: the table decides what follows and which rule breaks; this file finds the cell, words the
finding and lets the assembly follow. Explicit events and those derived from chunks come through the same functions.
Source: specification 3.2, 3.3; events/text-messages, events/tool-calls, events/reasoning, events/subagents#ownership.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import awaited, explain, hazards, history, mistaken, owners
from webapp.core.agui.tables import ITEM, SPAN
from webapp.core.agui.world import World, named, quoted
from webapp.core.findings import Finding
from webapp.core.kinds import ItemKind
from webapp.core.records import Item
from webapp.core.words import NOUNS

PIECE = {"text": "text", "tool": "arguments", "reasoning": "text"}
MAX_READ = (
    64  # times a call is opened again and its arguments read at each end; then where the times have doubled
)
_TABLES = {**ITEM, "span": SPAN}
_START = {kind: table.columns["start"] for kind, table in _TABLES.items()}
_CONTENT = {kind: table.columns["content"] for kind, table in ITEM.items()}
_END = {kind: table.columns["end"] for kind, table in _TABLES.items()}
_HANDED = "A client hands the application an empty object in their place."
_END_NOT_OPEN = "an end for {}, which is not open"
_decode_any = msgspec.json.Decoder().decode


def start(w: World, kind: ItemKind, id_: str, tag: Any, parent: Any = UNSET, *, chunk: bool = False) -> Item:
    """An opener; `parent` is a call's parentMessageId."""
    items = w.items[kind]
    item = items.get(id_)
    state = "never" if item is None else item.state
    cell = _START[kind][state]
    if cell.rule is not None and item is not None:
        why = explain.still_open(w, item, chunk=chunk)
        mixed = w.mixed.get((kind, id_)) if why.label is not None else None
        finding = w.find(
            cell.rule,
            f"{'a chunk starts ' if chunk else ''}{named(kind, id_, item)}{'' if chunk else ' is started'} again while "
            "it is open",
            why.text,
            reason=why.reason,
            related=why.related,
            label=why.label,
            cause=why.cause if mixed is None else mixed.key,
            lane=_lane(item, tag),
            item=(kind, id_),
        )
        if why.reason == "end-lost":
            w.reopen(item)  # the lost end was meant to close it, and closes it once
        elif finding is not None and mixed is None:
            w.mixed[kind, id_] = finding
        item.last = w.seq
        return item
    owner = owners.claim(w, kind, id_, item, tag, parent)
    if item is None and kind != "span":
        history.opened(w, kind, id_)
    if state == "phantom" or (item is not None and item.opened is None):
        _opens_late(w, kind, id_)
    elif not chunk and item is not None and item.closed_by == w.seq:
        w.find(
            "AGUI-CHK-13",
            f"{named(kind, id_, item)} is being streamed in chunks and is started again in the explicit form",
            f"The chunks began at #{explain.last_opening(item)}. The new start closes the chunk stream and reopens the "
            "id: clients accept it, but one item should keep to one form.",
            reason="mixed-spelling",
            lane=owners.lane_of(tag),
            item=(kind, id_),
            related=((item.opened if item.opened is not None else item.first, "opened"),),
        )
    if w.facts.awaited:
        awaited.opened(w, kind, id_)
    return w.open(kind, id_, id_, owner, cell.next, via="chunk" if chunk else "explicit")


def content(w: World, kind: ItemKind, id_: str, tag: Any, delta: str) -> Item:
    """A piece of an item."""
    item = w.items[kind].get(id_)
    state = "never" if item is None else item.state
    cell = _CONTENT[kind][state]
    if item is None or cell.rule is not None:
        was_open = item is not None and (item.opened is not None or explain.begun_before(w, item))
        already = ", which is already closed" if was_open else ", which is not open"
        more = "more " if was_open else ""
        item = _orphan(
            w, kind, id_, tag, cell.rule or "", f"{more}{PIECE[kind]} for {{}}{already}", "phantom"
        )
    elif state == "phantom":
        finding = w.orphans.get((kind, id_))
        if finding is not None and finding.rule == _CONTENT[kind]["never"].rule:
            w.ledger.again(finding, w.seq)
    elif tag is not UNSET and item.state == "open":
        owners.agree(w, kind, item, tag, PIECE[kind])
    item.last = w.seq
    item.count += 1
    item.chars += len(delta)
    return item


def end(w: World, kind: ItemKind, id_: str, tag: Any, *, by: int | None = None) -> Item:
    """The end of an item; `by` names the event that ended a chunk stream."""
    item = w.items[kind].get(id_)
    state = "never" if item is None else item.state
    cell = _END[kind][state]
    if cell.rule is not None or item is None:
        was_open = item is not None and (item.opened is not None or explain.begun_before(w, item))
        title = "a second end for {}, which is already closed" if was_open else _END_NOT_OPEN
        return _orphan(w, kind, id_, tag, cell.rule or "", title, "closed", derived=by is not None)
    if tag is not UNSET and item.state == "open":
        owners.agree(w, kind, item, tag, "an end")
    if w.facts.again:
        history.ended(w, kind, item)
    if kind == "tool" and item.state == "open":
        _check_arguments(w, item)
    w.close(item, by=by)
    if kind == "text":
        hazards.closed(w, item)
    return item


def _orphan(
    w: World, kind: ItemKind, id_: str, tag: Any, rule: str, title: str, state: str, *, derived: bool = False
) -> Item:
    """Something for an item that is not open: the finding, and the recovery that keeps it one finding."""
    known = w.items[kind].get(id_)
    why = explain.not_open(w, kind, id_, id_)
    if derived and known is not None:
        # an untagged END closed a subagent's chunk stream; the derived END is what a client trips over
        why = explain.derived_end(w, known)
    elif why.reason == "mixed-spelling":
        what = "an explicit end" if state == "closed" else f"explicit {PIECE[kind]}"
        title = f"{what} for {{}}, which is being streamed in chunks"
    cause = why.cause
    if (why.label == "AGUI-CHK-12" or why.reason in ("own-end", "stream-ended")) and (kind, id_) in w.mixed:
        cause = w.mixed[kind, id_].key  # the same mixture, or the same second start, told where it began
    elif known is not None and known.opened is None and (kind, id_) in w.orphans:
        cause = w.orphans[kind, id_].key  # the same missing opener
    begun = known is None and cause is None and w.unseen(rule)  # perhaps before the recording
    finding = (
        None
        if begun
        else w.find(
            rule,
            title.replace("{}", f"a {NOUNS[kind]}" if id_ in w.trace.retired else named(kind, id_, known)),
            why.text,
            reason=why.reason,
            related=why.related,
            label=why.label,
            cause=cause,
            lane=_lane(known, tag),
            item=(kind, id_),
        )
    )
    fresh = known is None
    item = known if known is not None else w.open(kind, id_, id_, owners.lane_of(tag), state)
    item.state = state
    item.last = w.seq
    if state == "closed" and fresh:
        item.closed = w.seq
    if known is None:
        mistaken.noted(w, kind, item.lane, why, finding, ends=state == "closed")
    if finding is not None:
        w.orphans[kind, id_] = finding
        if kind == "tool":
            unspoilt(w, id_, finding if finding.rule == "AGUI-TOL-02" else None)
    return item


def _lane(item: Item | None, tag: Any) -> str | None:
    """The lane of a finding, as that of its step: an event without a tag is in its item's."""
    return item.lane if tag is UNSET and item is not None else owners.lane_of(tag)


def _opens_late(w: World, kind: ItemKind, id_: str) -> None:
    finding = w.orphans.pop((kind, id_), None)
    if finding is None:
        return
    if finding.rule == _END[kind]["never"].rule:
        w.late[kind, id_] = finding
    else:
        w.early[kind, id_] = finding
    if finding.item is not None and finding.item.id == id_ and finding.reason == "never-opened":
        w.ledger.amend(
            finding,
            reason="opens-later",
            why=explain.opens_later(w, kind),
            place=(w.seq, "later"),
        )
    else:
        w.ledger.amend(finding, place=(w.seq, "later"))


def _check_arguments(w: World, item: Item) -> None:
    """TOL-08: by convention a call's arguments are JSON when it ends."""
    again = 0 if item.reopened is None else len(item.reopened)
    if again > MAX_READ and again & (again - 1):
        return
    call = w.held.calls.get(item.id)
    text = "" if call is None else call.arguments.whole()
    if text and item.id in w.spoilt:  # told once a call, however often it is opened again
        if is_json(text):
            _mended(w, item.id)
        elif w.spoilt[item.id].count == 1:
            w.ledger.amend(
                w.spoilt[item.id], why=f"{_HANDED} Opened again, they are not whole by #{w.seq} either."
            )
        return
    if not text or is_json(text) or (item.via == "chunk" and w.unseen("AGUI-TOL-08")):
        return
    lost = w.lost.find("piece", "tool", item.id, item.first - 1)
    told = w.early.get(("tool", item.id)) or w.mixed.get(("tool", item.id))
    source = told if lost is None else lost.finding
    finding = w.find(
        "AGUI-TOL-08",
        f"the arguments of {named('tool', item.id, item)} end as {quoted(text[-40:])}, which is not complete JSON",
        _HANDED,
        lane=item.lane,
        item=("tool", item.id),
        cause=None if source is None else source.key,
    )
    if finding is not None and source is None:
        w.spoilt[item.id] = finding
        w.trace.broken[finding.key] += 1
        whole = w.trace.mended.pop(item.id, None)
        if whole is not None:  # what the finding says of that is no longer so
            since = f" Opened again, they were whole by #{whole}, but no longer by #{w.seq}."
            alone = w.trace.broken[finding.key] == 1
            w.ledger.amend(finding, why=f"{_HANDED}{since if alone else ''}")
        elif finding.why != _HANDED:
            w.ledger.amend(finding, why=_HANDED)  # of another call, which this one is not


def _mended(w: World, id_: str) -> None:
    """A call whose arguments ended too early was opened again and is whole; said when all of the finding's are."""
    broken = w.spoilt.pop(id_)
    w.trace.mended[id_] = w.seq
    w.trace.broken[broken.key] -= 1
    if not w.trace.broken[broken.key]:
        w.ledger.amend(
            broken, why=f"{_HANDED} Opened again, they are whole by #{w.seq}.", place=(w.seq, "later")
        )


def unspoilt(w: World, id_: str, cause: Finding | None) -> None:
    """More of a call came than was taken: what its arguments lack may be in that. Told when it is so of all calls of
    the finding."""
    broken = w.spoilt.pop(id_, None)
    if broken is None:
        return
    w.trace.broken[broken.key] -= 1
    if cause is not None and not w.trace.broken[broken.key]:
        w.follows(broken, cause)


def is_json(text: str) -> bool:
    """Whether a text is one JSON value; what the fast decoder refuses (lone surrogates) is asked again."""
    try:
        _decode_any(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, RecursionError):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
    return True
