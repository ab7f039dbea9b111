"""Why was it not open? The sentence the product is bought for.

Rules of this file: it reads the world and words a reason; it changes nothing and judges nothing. Each reason has a
name (kept in `Finding.reason`), a sentence in plain words and the records it leans on. The order of the checks is
the order of likelihood, most specific first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from webapp.core.agui.lost import Lost
from webapp.core.agui.tables import CLOSES
from webapp.core.agui.world import NOUNS, World, quoted
from webapp.core.ledger import Place
from webapp.core.records import Item
from webapp.core.words import MAX_LISTED, a_noun, listed

REASONS = {
    "own-end": "closed earlier by its own end",
    "cut-short": "the JSON of a line ends in its middle",
    "snapshot-removed": "a message snapshot removed it",
    "stream-ended": "another event had ended the chunk stream",
    "mixed-spelling": "explicit and chunked events mixed in one item",
    "opener-lost": "the event that should have opened it was dropped or unusable",
    "span-only": "only the reasoning span of that id is open",
    "other-kind": "the id belongs to an item of another kind",
    "other-owner": "the step is open under another owner",
    "previous-run": "it belonged to an earlier run",
    "lookalike": "an id that differs only by case or white space exists",
    "never-opened": "nothing opened it",
    "opens-later": "its opener comes later: out of order",
    "ends-later": "its end comes only after the run has finished",
    "end-lost": "the event that should have closed it was dropped or unusable",
    "still-open": "an earlier opening has not been closed",
    "never-closed": "nothing closed it before the run ended",
    "run-ended": "the run had ended",
    "run-failed": "the run had failed",
    "run-open": "the earlier run is still open",
    "start-misspelt": "the start event is misspelt",
    "start-lost": "the start event was unusable",
    "starts-later": "the run starts later",
    "never-started": "no run starts at all",
    "ambiguous": "several lanes could be meant",
    "owner-differs": "the tag is not the opener's",
    "value-differs": "a repeated value is not the opener's",
    # Microsoft Teams: how a text fails to begin with the one streamed before it
    "delta": "the text is the next piece, not the whole so far",
    "normalised": "only white space or escaping of the earlier text differs",
    "stale": "the text is an older, shorter one",
    "moved": "the earlier text stands elsewhere in it",
    "rewritten": "a citation or markup of the earlier text was rewritten",
    "changed": "the earlier text was changed or left out",
}


STARTS = {"text": "TEXT_MESSAGE_START", "tool": "TOOL_CALL_START", "reasoning": "REASONING_MESSAGE_START",
          "span": "REASONING_START", "step": "STEP_STARTED", "subagent": "SUBAGENT_STARTED"}  # fmt: skip
ENDS = {"text": "TEXT_MESSAGE_END", "tool": "TOOL_CALL_END", "reasoning": "REASONING_MESSAGE_END",
        "span": "REASONING_END", "step": "STEP_FINISHED", "subagent": "SUBAGENT_FINISHED"}  # fmt: skip

_OPENED = dict.fromkeys(STARTS, "opened") | {"step": "started", "subagent": "announced"}
_CLOSED = dict.fromkeys(ENDS, "closed") | {"step": "finished", "subagent": "ended"}


class Why(NamedTuple):
    """reason: a key of REASONS; text: whole sentences; related: places; label and cause refine the finding."""

    reason: str
    text: str
    related: tuple[Place, ...] = ()
    label: str | None = None
    cause: str | None = None


def not_open(world: World, kind: str, key: Any, id_: str, subject: str = "It") -> Why:
    """Why an item of `kind` is not open in this run; `subject` begins the sentence about it."""
    item = world.items[kind].get(key)
    lost = _lost(world, kind, id_, item)
    if lost is not None:
        return lost
    if item is not None and item.closed is not None:
        return closed_why(world, item)
    if kind == "reasoning":
        span = world.items["span"].get(id_)
        if span is not None and span.state == "open":
            return Why(
                "span-only",
                f"#{span.opened} opened only a reasoning span of this id. A span is a bracket, not a message: "
                "the text needs a `REASONING_MESSAGE_START` of its own.",
                ((span.opened or span.first, "opened"),),
            )
    other = _other_kind(world, kind, id_)
    if other is not None:
        return other
    past = world.past[kind].get(key)
    if past is not None:
        return _previous_run(world, past, subject)
    twin = world.alike[kind].find(id_)
    if twin is not None:
        first = twin.opened if twin.opened is not None else twin.first
        return Why(
            "lookalike",
            f"No {NOUNS[kind]} has this id, but #{first} {_OPENED[kind]} {quoted(twin.id)}, which differs only in "
            "case, spaces, hyphens or underscores. To a client these are two ids.",
            ((first, "opened"),),
        )
    return Why("never-opened", f"Nothing in this run has {_OPENED[kind]} it.")


def _previous_run(world: World, past: Item, subject: str) -> Why:
    run = None if past.run is None else world.runs[past.run]
    name = "an earlier run" if run is None else f"run {quoted(run.run_id)}"
    ended = past.last if run is None else run.last
    opened = last_opening(past)
    if opened is not None and opened > ended:
        return Why(
            "previous-run",
            f"#{opened} opened it after {name} had ended and before this one started. A new run starts with nothing "
            "open.",
            ((opened, "previous"), (ended, "closed")),
            cause=None if world.stray is None else world.stray.key,
        )
    return Why(
        "previous-run",
        f"{subject} belonged to {name}, whose last event is #{ended}. A new run starts with nothing open, so it must "
        f"be {_OPENED[past.kind]} again with `{STARTS[past.kind]}`.",
        ((past.opened if past.opened is not None else past.first, "previous"), (ended, "closed")),
        cause=None if world.nested is None else world.nested.key,
    )


def closed_why(world: World, item: Item) -> Why:
    """How an item came to be closed; the sentence begins with "It"."""
    opened = last_opening(item)
    at = item.closed if item.closed is not None else item.last
    if opened is None:
        return Why("never-opened", f"Nothing in this run has {_OPENED[item.kind]} it; its end at #{at} had nothing to "
                   "close either.", ((at, "closed"),))  # fmt: skip
    if item.closed_by == world.seq:
        return Why(
            "mixed-spelling",
            f"The chunks began at #{opened}. An explicit event never continues a chunk stream: it ends the stream "
            "first, so the item is closed when the event itself is looked at.",
            ((opened, "opened"),),
            "AGUI-CHK-12",
        )
    if item.closed_by is not None:
        by = world.ended_streams.get((item.lane, item.kind))
        name = by[2] if by is not None and by[1] == item.closed_by else None
        return Why(
            "stream-ended",
            ended_in_chunks(opened, name, item.closed_by),
            ((opened, "opened"), (item.closed_by, "closed_by")),
        )
    by_own = "" if item.kind == "subagent" else f" by its own `{ENDS[item.kind]}`"
    return Why("own-end", f"It was {_OPENED[item.kind]} at #{opened} and {_CLOSED[item.kind]} at #{at}{by_own}.",
               ((opened, "opened"), (at, "closed")))  # fmt: skip


def ended_in_chunks(opened: int | None, by: str | None, at: int) -> str:
    """How another event ended a chunk stream; `by` is its type."""
    name = f"`{by}`" if by else "the event"
    where = "" if by and CLOSES[by] in ("all", "sub") else " in the same lane"
    return (
        f"#{opened} opened it in chunks, and {name} at #{at}{where} ended the chunk stream (the client adds its end "
        "there)."
    )


def derived_end(world: World, item: Item) -> Why:
    """Why the end a client adds to a chunk stream finds its item closed: an explicit end came before it."""
    opened = last_opening(item)
    at = item.closed if item.closed is not None else item.last
    return Why(
        "mixed-spelling",
        f"#{opened} opened it in chunks, and an explicit `{ENDS[item.kind]}` at #{at} closed it. The end that the "
        f"client adds when the chunk stream stops, here at #{world.seq}, is then one too many.",
        ((opened if opened is not None else item.first, "opened"), (at, "closed")),
        "AGUI-CHK-12",
    )


def still_open(item: Item, *, chunk: bool) -> Why:
    """Why a START finds its id open."""
    opened = last_opening(item)
    places = ((opened if opened is not None else item.first, "opened"),)
    if chunk and item.via == "explicit":
        return Why(
            "mixed-spelling",
            f"#{opened} opened it with `{STARTS[item.kind]}`. A chunk never continues an item opened that way: it "
            "opens one, and the id is taken.",
            places,
            "AGUI-CHK-12",
        )
    return Why(
        "still-open",
        f"#{opened} {_OPENED[item.kind]} it, and nothing has {_CLOSED[item.kind]} it since.",
        places,
    )


def never_closed(world: World, items: Sequence[Item]) -> Why:
    """What is open when the run finishes: one or more items of one kind."""
    kind = items[0].kind
    end = f"no `{ENDS[kind]}`" if kind != "subagent" else "neither `SUBAGENT_FINISHED` nor `SUBAGENT_ERROR`"
    openings = [opened for opened in map(last_opening, items) if opened is not None]
    places = tuple((opened, "opened") for opened in openings)
    lost = next((found for item in items if (found := lost_end(world, item))), None)
    if lost is not None:
        text = f"#{lost.seq} should have {_CLOSED[kind]} it, but {lost.what}."
        return Why("end-lost", text, (*places, (lost.seq, "expected")), cause=lost.finding.key)
    if len(items) == 1:
        last = f" Its last event is #{items[0].last}." if items[0].last != openings[0] else ""
        text = f"It was {_OPENED[kind]} at #{openings[0]}, and {end} came before #{world.seq}.{last}"
        return Why("never-closed", text, places)
    shown = (
        f"from #{openings[0]} on" if len(items) > MAX_LISTED else f"at {listed([f'#{n}' for n in openings])}"
    )
    text = f"They were {_OPENED[kind]} {shown}, and {end} came for them before #{world.seq}."
    return Why("never-closed", text, places)


def opens_later(world: World, kind: str) -> str:
    """The sentence for an orphan whose opener arrives after all."""
    later = f"its `{world.type}` comes only at #{world.seq}"
    return f"Nothing had {_OPENED[kind]} it yet: {later}, so the events are out of order."


def ends_later(world: World) -> str:
    """The sentence for an item left open whose end arrives after all."""
    return f"Its `{world.type}` comes only at #{world.seq}: the run was finished too early."


def last_opening(item: Item) -> int | None:
    """Record that opened the item last; None when it was never opened."""
    return item.reopened[-1] if item.reopened else item.opened


def _lost(world: World, kind: str, id_: str, item: Item | None) -> Why | None:
    lost = world.lost.find("opener", kind, id_, -1 if item is None or item.closed is None else item.closed)
    if lost is None:
        return None
    again = "" if item is None or item.opened is None else " again"
    text = f"#{lost.seq} should have {_OPENED[kind]} it{again}, but {lost.what}."
    return Why("opener-lost", text, ((lost.seq, "expected"),), cause=lost.finding.key)


def lost_end(world: World, item: Item) -> Lost | None:
    """The event that should have closed the item, when a client could not use it."""
    return world.lost.find("closer", item.kind, item.id, last_opening(item) or 0)


def _other_kind(world: World, kind: str, id_: str) -> Why | None:
    for other in ("text", "tool", "reasoning", "span", "activity", "step", "subagent"):
        if other == kind or {other, kind} == {"span", "reasoning"}:
            continue
        item = world.items[other].get((None, id_) if other == "step" else id_)
        if item is not None and item.opened is not None:
            return Why(
                "other-kind",
                f"{quoted(id_)} is the id of {a_noun(other)} (#{item.opened}), not of {a_noun(kind)}. "
                "Each kind has ids of its own.",
                ((item.opened, "previous"),),
            )
    return None


def owner_differs(item: Item) -> Why:
    """A tag that is not the opener's."""
    opened = item.opened if item.opened is not None else item.first
    moved = "" if item.owner == item.lane else ", and a message snapshot has given it to its present owner"
    return Why(
        "owner-differs",
        f"#{opened} opened it{moved}. An event that goes on with it names its owner or carries no tag.",
        ((opened, "opened"),),
    )
