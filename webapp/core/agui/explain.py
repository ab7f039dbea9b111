"""Why was it not open? The sentence the product is bought for.

Rules of this file: it reads the world and words a reason; it changes nothing and judges nothing. Each reason has a
name of `reasons.py` (kept in `Finding.reason`), a sentence in plain words and the records it leans on. The order of
the checks is the order of likelihood, most specific first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from webapp.core.agui.lost import Lost
from webapp.core.agui.tables import CLOSES
from webapp.core.agui.world import World, quoted
from webapp.core.ledger import Place
from webapp.core.records import Item
from webapp.core.words import MAX_LISTED, NOUNS, a_noun, listed

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
    twin: Item | None = None  # of a look-alike: the item whose id it resembles


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
        name = "name" if kind == "step" else "id"
        return Why(
            "lookalike",
            f"No {NOUNS[kind]} has this {name}, but #{first} {_OPENED[kind]} {quoted(twin.id)}, which differs only in "
            f"case, spaces, hyphens or underscores. To a client these are two {name}s.",
            ((first, "opened"),),
            twin=twin,
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
        f"be {_OPENED[past.kind]} again with `{_wire(world, STARTS, past.kind, past.id)}`.",
        ((past.opened if past.opened is not None else past.first, "previous"), (ended, "closed")),
        cause=None if world.nested is None else world.nested.key,
    )


def closed_why(world: World, item: Item) -> Why:
    """How an item came to be closed; the sentence begins with "It"."""
    opened = last_opening(item)
    at = item.closed if item.closed is not None else item.last
    if begun_before(world, item):
        by_own = (
            f"#{at} ended it"
            if item.kind == "subagent"
            else f"`{ENDS[item.kind]}` at #{at} {_CLOSED[item.kind]} it"
        )
        text = f"Its beginning is not in the recording, and {by_own}."
        return Why("own-end", text, ((at, "closed"),))
    if opened is None:
        return Why("never-opened", f"Nothing in this run has {_OPENED[item.kind]} it; its end at #{at} had nothing to "
                   "close either.", ((at, "closed"),))  # fmt: skip
    began, by = world.facts.chunked.get((item.kind, item.id), (opened, None))
    if item.closed_by == world.seq:
        return Why(
            "mixed-spelling",
            f"The chunks began at #{began}. An explicit event never continues a chunk stream: it ends the stream "
            "first, so the item is closed when the event itself is looked at.",
            ((began, "opened"),),
            "AGUI-CHK-12",
        )
    if item.closed_by is not None:
        return Why(
            "stream-ended",
            ended_in_chunks(began, by, item.closed_by),
            ((began, "opened"), (item.closed_by, "closed_by")),
        )
    by_own = "" if item.kind == "subagent" else f" by its own `{_wire(world, ENDS, item.kind, item.id)}`"
    return Why("own-end", f"It was {_OPENED[item.kind]} at #{opened} and {_CLOSED[item.kind]} at #{at}{by_own}.",
               ((opened, "opened"), (at, "closed")))  # fmt: skip


def begun_before(world: World, item: Item | None) -> bool:
    """Whether the item's opener is missing only in the recording, which shows its end."""
    if item is None or item.opened is not None or item.closed is None or not world.headless:
        return False
    return (item.kind, (item.lane, item.id) if item.kind == "step" else item.id) not in world.orphans


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
    opened, _ = world.facts.chunked.get((item.kind, item.id), (last_opening(item), None))
    at = item.closed if item.closed is not None else item.last
    return Why(
        "mixed-spelling",
        f"#{opened} opened it in chunks, and an explicit `{ENDS[item.kind]}` at #{at} closed it. The end that the "
        f"client adds when the chunk stream stops, here at #{world.seq}, is then one too many.",
        ((opened if opened is not None else item.first, "opened"), (at, "closed")),
        "AGUI-CHK-12",
    )


def still_open(world: World, item: Item, *, chunk: bool) -> Why:
    """Why a START finds its id open."""
    opened = last_opening(item)
    places = ((opened if opened is not None else item.first, "opened"),)
    lost = lost_end(world, item)
    if lost is not None:
        return _end_lost(item.kind, lost, places)
    if chunk and item.via == "explicit":
        return Why(
            "mixed-spelling",
            f"#{opened} opened it with `{STARTS[item.kind]}`. A chunk never continues an item opened that way: it "
            "opens one, and the id is taken.",
            places,
            "AGUI-CHK-12",
        )
    if not chunk and item.via == "chunk":
        return Why(
            "mixed-spelling",
            f"#{opened} opened it in chunks, and its chunk stream goes on in another lane. An explicit event never "
            "continues a chunk stream: the start opens the item a second time.",
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
    end = (
        f"no `{_wire(world, ENDS, kind, items[0].id)}`"
        if kind != "subagent"
        else "neither `SUBAGENT_FINISHED` nor `SUBAGENT_ERROR`"
    )
    openings = [opened for opened in map(last_opening, items) if opened is not None]
    places = tuple((opened, "opened") for opened in openings)
    lost = next((found for item in items if (found := lost_end(world, item))), None)
    if lost is not None:
        return _end_lost(kind, lost, places)
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


def _end_lost(kind: str, lost: Lost, places: tuple[Place, ...]) -> Why:
    text = f"#{lost.seq} should have {_CLOSED[kind]} it, but {lost.what}."
    return Why("end-lost", text, (*places, (lost.seq, "expected")), cause=lost.finding.key)


def _other_kind(world: World, kind: str, id_: str) -> Why | None:
    for other in ("text", "tool", "reasoning", "span", "activity", "step", "subagent"):
        if other == kind or {other, kind} == {"span", "reasoning"}:
            continue
        item = world.items[other].get((None, id_) if other == "step" else id_)
        if item is not None and item.opened is not None:
            return Why(
                "other-kind",
                f"{quoted(id_)} is {_names(other)} (#{item.opened}), not {_names(kind, other)}. "
                + ("Steps go by names." if "step" in (kind, other) else "Each kind has ids of its own."),
                ((item.opened, "previous"),),
            )
    return None


def _names(kind: str, beside: str | None = None) -> str:
    """`the id of a message`, `the name of a step`; more shortly `beside` a kind that has just been named."""
    short = beside is not None and "step" not in (kind, beside)
    return f"{'' if short else 'the name ' if kind == 'step' else 'the id '}of {a_noun(kind)}"


def _wire(world: World, names: dict[str, str], kind: str, id_: str) -> str:
    """The type of an opener or an end, as the agent that sent this item spells it."""
    name = names[kind]
    if id_ not in world.trace.retired or kind not in ("span", "reasoning"):
        return name
    return name.replace("REASONING_MESSAGE", "THINKING_TEXT_MESSAGE").replace("REASONING", "THINKING")
