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

from webapp.core import explain
from webapp.core.agui import hazards, history
from webapp.core.agui.tables import ITEM, SPAN
from webapp.core.agui.world import BUCKETS, NOUNS, UNKNOWN, World, quoted, who
from webapp.core.records import Item

OWNER_RULE = {"text": "AGUI-TXT-05", "tool": "AGUI-TOL-05", "reasoning": "AGUI-RSN-08", "span": "AGUI-RSN-08"}
PIECE = {"text": "text", "tool": "arguments", "reasoning": "text"}
_TABLES = {**ITEM, "span": SPAN}
_START = {kind: table.columns["start"] for kind, table in _TABLES.items()}
_CONTENT = {kind: table.columns["content"] for kind, table in ITEM.items()}
_END = {kind: table.columns["end"] for kind, table in _TABLES.items()}
_END_NOT_OPEN = "an end for {}, which is not open"
_decode_any = msgspec.json.Decoder().decode


def named(kind: str, id_: str, item: Item | None = None) -> str:
    """How a title names an item: `` `weather` call `call_p0` `` or `` message `m1` ``."""
    if kind == "tool" and item is not None and item.name:
        return f"{quoted(item.name)} call {quoted(id_)}"
    return f"{NOUNS[kind]} {quoted(id_)}"


def start(w: World, kind: str, id_: str, tag: Any, parent: Any = UNSET, *, chunk: bool = False) -> Item:
    """An opener; `parent` is a call's parentMessageId."""
    items = w.items[kind]
    item = items.get(id_)
    state = "never" if item is None else item.state
    cell = _START[kind][state]
    if cell.rule is not None and item is not None:
        why = explain.still_open(item, chunk=chunk)
        finding = w.find(
            cell.rule,
            f"{'a chunk starts ' if chunk else ''}{named(kind, id_, item)}{'' if chunk else ' is started'} again while "
            "it is open",
            why.text,
            reason=why.reason,
            related=why.related,
            label=why.label,
            lane=_lane(tag),
            item=(kind, id_),
        )
        if finding is not None and why.reason == "mixed-spelling":
            w.mixed[kind, id_] = finding
        item.last = w.seq
        return item
    owner = _owner(w, kind, id_, item, tag, parent)
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
            lane=_lane(tag),
            item=(kind, id_),
            related=((item.opened if item.opened is not None else item.first, "opened"),),
        )
    return w.open(kind, id_, id_, owner, cell.next, via="chunk" if chunk else "explicit")


def content(w: World, kind: str, id_: str, tag: Any, delta: str) -> Item:
    """A piece of an item."""
    item = w.items[kind].get(id_)
    state = "never" if item is None else item.state
    cell = _CONTENT[kind][state]
    if item is None or cell.rule is not None:
        was_open = item is not None and item.opened is not None
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
        _agree(w, kind, item, tag, PIECE[kind])
    item.last = w.seq
    item.count += 1
    item.chars += len(delta)
    return item


def end(w: World, kind: str, id_: str, tag: Any, *, by: int | None = None) -> Item:
    """The end of an item; `by` names the event that ended a chunk stream."""
    item = w.items[kind].get(id_)
    state = "never" if item is None else item.state
    cell = _END[kind][state]
    if cell.rule is not None or item is None:
        left = w.left.get((kind, id_))
        if left is not None and state == "abandoned" and left.reason == "never-closed":
            w.ledger.amend(
                left, reason="ends-later", why=f"{left.why} {explain.ends_later(w)}", place=(w.seq, "later")
            )
        was_open = item is not None and item.opened is not None
        title = "a second end for {}, which is already closed" if was_open else _END_NOT_OPEN
        return _orphan(w, kind, id_, tag, cell.rule or "", title, "closed", derived=by is not None)
    if tag is not UNSET and item.state == "open":
        _agree(w, kind, item, tag, "an end")
    if w.facts.again:
        history.ended(w, kind, item)
    if kind == "tool" and item.state == "open":
        _check_arguments(w, item)
    w.close(item, by=by)
    if kind == "text":
        hazards.closed(w, item)
    return item


def _orphan(
    w: World, kind: str, id_: str, tag: Any, rule: str, title: str, state: str, *, derived: bool = False
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
    if why.label == "AGUI-CHK-12" and (kind, id_) in w.mixed:
        cause = w.mixed[kind, id_].key  # the same mixture, told where it began
    elif known is not None and known.opened is None and (kind, id_) in w.orphans:
        cause = w.orphans[kind, id_].key  # the same missing opener
    begun = known is None and cause is None and w.unseen(rule)  # perhaps before the recording
    finding = (
        None
        if begun
        else w.find(
            rule,
            title.replace("{}", named(kind, id_, known)),
            why.text,
            reason=why.reason,
            related=why.related,
            label=why.label,
            cause=cause,
            lane=_lane(tag),
            item=(kind, id_),
        )
    )
    fresh = known is None
    item = known if known is not None else w.open(kind, id_, id_, _lane(tag), state)
    item.state = state
    item.last = w.seq
    if state == "closed" and fresh:
        item.closed = w.seq
    if finding is not None:
        w.orphans[kind, id_] = finding
        spoilt = w.spoilt.pop(id_, None) if kind == "tool" else None
        if spoilt is not None and finding.rule == "AGUI-TOL-02":
            w.ledger.amend(spoilt, cause=finding.key)
    return item


def _opens_late(w: World, kind: str, id_: str) -> None:
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


def _agree(w: World, kind: str, item: Item, tag: Any, what: str) -> None:
    """A tagged continuation must name the recorded owner; an untagged one always agrees."""
    item.owner = w.owners.get((BUCKETS[kind], item.id), item.owner)
    if tag == item.owner:
        return
    why = explain.owner_differs(item)
    w.find(
        OWNER_RULE[kind],
        f"{what} for {named(kind, item.id, item)} tagged as {who(_lane(tag))}, but it belongs to {who(item.owner)}",
        why.text,
        reason=why.reason,
        related=why.related,
        lane=_lane(tag),
        item=(kind, item.id),
    )


def _lane(tag: Any) -> str | None:
    return None if tag is UNSET else tag


def _owner(w: World, kind: str, id_: str, item: Item | None, tag: Any, parent: Any) -> str | None:
    """The owner an opener records (the first of the run stands); the checks an opener's tag must pass."""
    key = (BUCKETS[kind], id_)
    recorded: Any = w.owners.get(key, UNKNOWN)
    inherited: Any = UNKNOWN
    if kind == "tool" and parent is not UNSET:
        inherited = w.owners.get(("message", parent), UNKNOWN)
        if tag is not UNSET and inherited is not UNKNOWN and inherited != tag:
            w.find(
                "AGUI-TOL-06",
                f"{named(kind, id_)} is tagged as {who(tag)}, but its parent message {quoted(parent)} "
                f"belongs to {who(inherited)}",
                "A call belongs to the message that makes it, so it carries that message’s tag or none.",
                reason="owner-differs",
                lane=tag,
                item=(kind, id_),
                related=_opening(w, parent),
            )
            w.owners[key] = tag
            return str(tag)
    claimed = tag if tag is not UNSET else inherited
    if recorded is UNKNOWN:
        recorded = w.owners[key] = None if claimed is UNKNOWN else claimed
    elif claimed is not UNKNOWN and claimed != recorded:
        rule = {"text": "AGUI-TXT-06", "tool": "AGUI-TOL-07"}.get(kind, "AGUI-RSN-08")
        w.find(
            rule,
            f"{named(kind, id_, item)} is opened again for {who(claimed)}, but it belongs to {who(recorded)}",
            "Within a run an id stays with its first owner. Another author needs an id of its own.",
            reason="owner-differs",
            severity="fatal",
            lane=_lane(tag),
            item=(kind, id_),
            related=() if item is None or item.opened is None else ((item.opened, "opened"),),
        )
        recorded = w.owners[key] = claimed
    owner: str | None = recorded
    if item is not None:
        item.owner = owner
    return owner


def _opening(w: World, id_: str) -> tuple[tuple[int, str], ...]:
    item = w.items["text"].get(id_)
    return () if item is None or item.opened is None else ((item.opened, "opened"),)


def _check_arguments(w: World, item: Item) -> None:
    """TOL-08: by convention a call's arguments are JSON when it ends."""
    call = w.held.calls.get(item.id)
    text = "" if call is None else call.arguments.whole()
    if not text or is_json(text) or (item.via == "chunk" and w.unseen("AGUI-TOL-08")):
        return
    lost = w.lost.find("piece", "tool", item.id, item.first - 1)
    source = w.early.get(("tool", item.id)) if lost is None else lost.finding
    finding = w.find(
        "AGUI-TOL-08",
        f"the arguments of {named('tool', item.id, item)} end as {quoted(text[-40:])}, which is not complete JSON",
        "A client hands the application an empty object in their place.",
        lane=item.lane,
        item=("tool", item.id),
        cause=None if source is None else source.key,
    )
    if finding is not None and source is None:
        w.spoilt[item.id] = finding


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
