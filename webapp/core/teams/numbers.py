"""TEAMS-017, 018 and 019: the running number of a stream's calls.

Rules of this file: one wrong number is one defect. What it does to the calls around it is told with that finding as the
cause: the gap that a missing number leaves, the numbers that fall behind one which ran ahead. Source: specification 2.3
and 2.8 ("Repeats").
"""

from __future__ import annotations

from typing import Any

from webapp.core.teams.phrases import answered, code, name_of
from webapp.core.teams.shape import misspelt, stripped
from webapp.core.teams.values import plain
from webapp.core.teams.world import Call, Gap, Stream, World

OUT_OF_ORDER = "E202-ORDER"


def look(world: World, call: Call, stream: Stream) -> None:
    """Judge the number of a status update or chunk."""
    ex = call.ex
    if ex.number is None:
        _no_number(world, call)
        return
    if call.repeats is not None or call.starts or call.nameless or call.foreign:
        return
    highest, holder = stream.highest, stream.highest_call
    if ex.key == OUT_OF_ORDER and (highest is None or ex.number > highest):
        _overtaken(world, call)
    elif highest is None or holder is None:
        return
    elif ex.number <= highest:
        _not_higher(world, call, stream, holder)
    elif ex.number > highest + 1:
        _gap(world, call, stream, holder)


def _no_number(world: World, call: Call) -> None:
    """017: there is none, or none that counts."""
    ex = call.ex
    if stripped(ex) or "streamSequence" in misspelt(ex):
        return
    what = "has no number" if ex.sequence is None else f"has the number {code(_written(ex.sequence))}"
    why = "`streamSequence` is a JSON number without a fraction, on the start and on every update."
    world.tell("TEAMS-017", call, f"{name_of(call)} {what}", why + answered(call))


def _overtaken(world: World, call: Call) -> None:
    """018: a number that fits, and the service met a higher one first. That the call was dropped follows from it."""
    found = world.tell(
        "TEAMS-018",
        call,
        f"{name_of(call)} arrived after a higher number",
        "It was numbered well and sent while another call was under way, which overtook it." + answered(call),
        path="overtaken",
    )
    dropped = call.told.get("TEAMS-051")
    if found is not None and dropped is not None and dropped.cause is None:
        world.ledger.amend(dropped, cause=found.key)


def _not_higher(world: World, call: Call, stream: Stream, holder: Call) -> None:
    """018: a number that was there already, or is lower."""
    number, highest, gap = call.ex.number or 0, stream.highest or 0, stream.gap
    filled = gap if gap is not None and gap.low < number < gap.high else None
    if number < highest and call.at is not None and holder.at is not None and call.at < holder.at:
        if filled is not None and filled.told is not None and filled.told.count == 1:
            why = f"Number {number} had been sent before it and stands further down in the recording, as #{call.seq}."
            world.ledger.amend(filled.told, why=why)
        return  # it was sent earlier and only recorded later
    found = world.tell(
        "TEAMS-018",
        call,
        f"number {number} comes {'again' if number == highest else f'after {highest}'}",
        f"#{holder.seq} had number {highest}; every later status update or chunk needs a higher one."
        + answered(call),
        related=[(holder.seq, "previous")],
        cause=_copy(call, above=highest) or _copy(holder, below=number),
    )
    if found is None or filled is None or filled.told is None or filled.told.count > 1:
        return
    if filled.told.cause is None:  # the gap is no loss: its number came late, or the one after it ran ahead
        why = f"Number {number} came after it, with #{call.seq}: the two are in the wrong order, or one is wrong."
        world.ledger.amend(filled.told, why=why, cause=found.key)
        world.ledger.complete(filled.told)


def _gap(world: World, call: Call, stream: Stream, holder: Call) -> None:
    """019: numbers are left out. Not for nothing where as many calls before this one had a wrong number, or none."""
    number, highest = call.ex.number or 0, stream.highest or 0
    missing = f"{highest + 1}" if number == highest + 2 else f"{highest + 1} to {number - 1}"
    explained = stream.astray_key if stream.astray >= number - highest - 1 else None
    found = world.tell(
        "TEAMS-019",
        call,
        f"{name_of(call)} follows number {highest}",
        f"#{holder.seq} had number {highest}, so {missing} is left out. "
        + (
            "A call in between had another number, or none."
            if explained
            else "What was counted there was not sent, or not recorded."
        ),
        related=[(holder.seq, "previous")],
        cause=explained or _copy(call, below=number),
    )
    stream.gap = Gap(highest, number, found)


def _copy(call: Call, *, above: int | None = None, below: int | None = None) -> str | None:
    """Key of the finding (008) that the call's number differs from its copy, which would have fitted."""
    found, copy = call.told.get("TEAMS-008"), call.ex.channel_data.get("streamSequence")
    if found is None or not isinstance(copy, int) or copy == call.ex.number or not call.ex.info:
        return None
    fits = (above is None or copy > above) and (below is None or copy < below)
    return found.key if fits else None


def _written(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else plain(value)
