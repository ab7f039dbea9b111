"""Why was it not open? The sentence the product is bought for.

Rules of this file: it reads the world and words a reason; it changes nothing and judges nothing. Each reason has a
name (kept in `Finding.reason`), a sentence in plain words and the records it leans on. The order of the checks is
the order of likelihood, most specific first.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from webapp.core.agui.world import NOUNS, World, quoted, who
from webapp.core.ledger import Place
from webapp.core.records import Item

REASONS = {
    "own-end": "closed earlier by its own end",
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
}

MAX_COMPARED = 2_000  # items a lookalike is sought among: bounds the work of a trace full of orphans

STARTS = {"text": "TEXT_MESSAGE_START", "tool": "TOOL_CALL_START", "reasoning": "REASONING_MESSAGE_START",
          "span": "REASONING_START", "step": "STEP_STARTED", "subagent": "SUBAGENT_STARTED"}  # fmt: skip
ENDS = {"text": "TEXT_MESSAGE_END", "tool": "TOOL_CALL_END", "reasoning": "REASONING_MESSAGE_END",
        "span": "REASONING_END", "step": "STEP_FINISHED", "subagent": "SUBAGENT_FINISHED"}  # fmt: skip


class Why(NamedTuple):
    """reason: a key of REASONS; text: whole sentences; related: places; label and cause refine the finding."""

    reason: str
    text: str
    related: tuple[Place, ...] = ()
    label: str | None = None
    cause: str | None = None


def not_open(world: World, kind: str, key: Any, id_: str) -> Why:
    """Why an item of `kind` is not open in this run."""
    item = world.items[kind].get(key)
    if item is not None and item.closed is not None:
        return closed_why(world, item)
    lost = _lost(world, kind, id_)
    if lost is not None:
        return lost
    if kind == "reasoning":
        span = world.items["span"].get(id_)
        if span is not None and span.state == "open":
            return Why(
                "span-only",
                f"#{span.opened} opened only a reasoning span of this id. A span is a bracket, not a message: "
                "the text needs its own `REASONING_MESSAGE_START`.",
                ((span.opened or span.first, "opened"),),
            )
    other = _other_kind(world, kind, id_)
    if other is not None:
        return other
    past = world.past[kind].get(key)
    if past is not None:
        ended = world.runs[past.run].last if past.run is not None else past.last
        return Why(
            "previous-run",
            f"{quoted(id_)} belonged to the run before, which ended at #{ended}. A new run starts with nothing "
            f"open, so it must be opened again with `{STARTS[kind]}`.",
            ((past.opened if past.opened is not None else past.first, "previous"), (ended, "closed")),
        )
    twin = lookalike(id_, reversed(world.items[kind].values()))
    if twin is not None:
        return Why(
            "lookalike",
            f"No {NOUNS[kind]} has this id, but #{twin.first} opened {quoted(twin.id)}, which differs only by "
            "case, white space or punctuation. They are different ids to a client.",
            ((twin.first, "opened"),),
        )
    return Why("never-opened", f"Nothing before #{world.seq} opened {quoted(id_)} in this run.")


def closed_why(world: World, item: Item) -> Why:
    """How an item came to be closed."""
    opened = item.reopened[-1] if item.reopened else item.opened
    at = item.closed if item.closed is not None else item.last
    places: tuple[Place, ...] = () if opened is None else ((opened, "opened"),)
    head = (
        f"{_name(item)} was opened at #{opened}" if opened is not None else f"{_name(item)} was never opened"
    )
    if item.closed_by == world.seq:
        return Why(
            "mixed-spelling",
            f"{_name(item)} was being streamed as chunks since #{opened}. An explicit event never continues a chunk "
            "stream: it ends it, so that the item is closed when this event arrives.",
            places,
            "AGUI-CHK-12",
        )
    if item.closed_by is not None:
        by = world.ended_streams.get((item.lane, item.kind))
        name = f"`{by[2]}`" if by is not None and by[1] == item.closed_by else "the event"
        return Why(
            "stream-ended",
            f"{_name(item)} was streamed as chunks since #{opened}; {name} at #{item.closed_by} in the same lane "
            f"ended the chunk stream (the client adds the end there, #{item.closed_by}a).",
            (*places, (item.closed_by, "closed_by")),
        )
    if opened is None:
        return Why("never-opened", f"Nothing opened {quoted(item.id)}; #{at} had already ended it once.",
                   ((at, "closed"),))  # fmt: skip
    return Why(
        "own-end", f"{head} and closed at #{at} by its own `{ENDS[item.kind]}`.", (*places, (at, "closed"))
    )


def still_open(world: World, item: Item, *, chunk: bool) -> Why:
    """Why a START finds its id open."""
    opened = item.reopened[-1] if item.reopened else item.opened
    if chunk and item.via == "explicit":
        return Why(
            "mixed-spelling",
            f"#{opened} opened {quoted(item.id)} with `{STARTS[item.kind]}`. A chunk never continues an item opened "
            "that way: it opens a new one, and the id is taken.",
            ((opened or item.first, "opened"),),
            "AGUI-CHK-12",
        )
    return Why(
        "still-open",
        f"#{opened} opened {quoted(item.id)} and nothing has closed it since.",
        ((opened or item.first, "opened"),),
    )


def never_closed(item: Item, finish: int) -> Why:
    """What is open when the run finishes."""
    opened = item.reopened[-1] if item.reopened else item.opened
    last = f" Its last event is #{item.last}." if item.last != opened else ""
    return Why(
        "never-closed",
        f"{_name(item)} was opened at #{opened} and no `{ENDS[item.kind]}` came before the run finished at "
        f"#{finish}.{last}",
        ((opened or item.first, "opened"),),
    )


def opens_later(world: World, why: str, seq: int) -> str:
    """The sentence for an orphan whose opener arrives after all."""
    return f"{why} It opens only later, at #{seq}: the events are out of order."


def lookalike(id_: str, items: Iterable[Item]) -> Item | None:
    """An item whose id is the same letters in another case, with other white space or separators."""
    wanted = _fold(id_)
    for item in islice(items, MAX_COMPARED):
        if item.id != id_ and _fold(item.id) == wanted and item.opened is not None:
            return item
    return None


def _fold(text: str) -> str:
    return "".join(text.split()).replace("-", "").replace("_", "").casefold()


def _name(item: Item) -> str:
    label = f"{NOUNS[item.kind]} {quoted(item.id)}"
    return label[:1].upper() + label[1:]


def _lost(world: World, kind: str, id_: str) -> Why | None:
    for lost_kind, lost_id, seq, finding in reversed(world.lost):
        if lost_kind == kind and lost_id in (id_, None):
            return Why(
                "opener-lost",
                f"The event at #{seq} should have opened it, but a client cannot use that event: {finding.title}.",
                ((seq, "expected"),),
                cause=finding.key,
            )
    return None


def _other_kind(world: World, kind: str, id_: str) -> Why | None:
    for other in ("text", "tool", "reasoning", "span", "result", "activity", "step", "subagent"):
        if other == kind or {other, kind} == {"span", "reasoning"}:
            continue
        item = world.items[other].get((None, id_) if other == "step" else id_)
        if item is not None:
            return Why(
                "other-kind",
                f"{quoted(id_)} is the id of a {NOUNS[other]} (#{item.first}), not of a {NOUNS[kind]}. "
                "Each kind has ids of its own.",
                ((item.first, "previous"),),
            )
    return None


def owner_differs(item: Item, tag: str | None) -> Why:
    """A tag that is not the opener's."""
    opened = item.opened if item.opened is not None else item.first
    return Why(
        "owner-differs",
        f"#{opened} opened {quoted(item.id)} for {who(item.owner)}; this event is tagged as {who(tag)}. "
        "An item belongs to whoever opened it.",
        ((opened, "opened"),),
    )
