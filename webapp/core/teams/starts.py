"""TEAMS-011 to 015: how a stream begins.

Rules of this file: starts, and the id that the service issues for them. Source: specification 2.2 and 2.8 ("Refused
start", "Start accepted, answer lost"). A final with a strange id is TEAMS-026's affair.
"""

from __future__ import annotations

from webapp.core.teams.compare import extends
from webapp.core.teams.phrases import answered, code, name_of, quote
from webapp.core.teams.shape import misspelt
from webapp.core.teams.world import Call, Stream, World


def look(world: World, call: Call) -> None:
    """Judge one call."""
    stream, ex = call.stream, call.ex
    if stream is None or not ex.streamed or ex.wrong_kind or ex.kind == "final":
        return
    if call.foreign:
        if stream.first == call.seq:
            _own_id(world, call)
        else:
            _other_id(world, call, stream)
    elif call.starts:
        _start(world, call)


def _own_id(world: World, call: Call) -> None:
    """011: the first call of a stream has an id that no answer issued."""
    if not call.chat.teams:
        return
    ex = call.ex
    begins = ex.number is not None and ex.number <= 1
    if begins:
        why = "The service issues the id in its answer to the first call; one that the agent makes up names no stream."
    else:
        why = "Most likely the recording begins later than the stream. What came before it cannot be judged."
    world.tell(
        "TEAMS-011",
        call,
        f"{'the first call' if begins else name_of(call)} carries the id {code(ex.stream_id)}, which no answer issued",
        why + (answered(call) if begins else ""),
        severity=None if begins else "info",
    )


def _other_id(world: World, call: Call, stream: Stream) -> None:
    """013, second half: the stream goes on under another id than the service issued."""
    opened = stream.first if stream.opened is None else stream.opened
    world.tell(
        "TEAMS-013",
        call,
        f"{name_of(call)} names the stream {code(call.ex.stream_id)} instead of {code(stream.id)}",
        f"The answer to #{opened} issued the id {code(stream.id)}; no answer ever issued the other one."
        + answered(call),
        related=[(opened, "opened")],
        path=call.ex.stream_id,
    )


def _start(world: World, call: Call) -> None:
    ex = call.ex
    before = call.repeats
    if before is not None and before.ex.answered == "lost":
        unseen = "is recorded" if before.ex.unrecorded else "came"
        world.tell(
            "TEAMS-015",
            call,
            f"the start of #{before.seq} is sent again after no answer {unseen}",
            f"Whether #{before.seq} arrived is not known. If it did, its bubble stands there until its two minutes are "
            "over, beside the one of this call.",
            related=[(before.seq, "opened")],
        )
    others = _others(call)
    if ex.number is not None and ex.number != 1 and not others and "streamSequence" not in misspelt(ex):
        world.tell(
            "TEAMS-012",
            call,
            f"the first call of the stream has number {code(ex.number)}",
            "A stream begins with number 1." + answered(call),
        )
    first = _half_bubble(call, others)
    if first is not None and first.start is not None and call.fine:
        world.tell(
            "TEAMS-014",
            call,
            f"{name_of(call)} starts the reply once more instead of continuing it",
            f"Its text goes on from that of #{first.start.seq}, {quote(first.start.ex.text or '')}, but it does not "
            f"name the stream {code(first.tag)}, so Teams opens another bubble.",
            related=[(first.start.seq, "opened")],
            stream=first,
        )
        if call.stream is not None and call.stream is not first:
            (first.newer or first).again = True
            call.stream.goes_on, first.newer = first, call.stream
    if ex.answered == "ok" and ex.issued is None and isinstance(ex.answer, dict):
        world.tell(
            "TEAMS-013",
            call,
            "the answer to the start has no id",
            f"Without it nothing can be added to the stream. The answer was {ex.status} without `id`.",
            path="id",
        )


def _half_bubble(call: Call, others: list[Stream]) -> Stream | None:
    """The first stream of this turn whose text the new start goes on from; equal status lines are no such text."""
    text = call.ex.text
    for stream in others:
        start = stream.start
        if (
            stream.turn != call.turn
            or start is None
            or not start.ex.text
            or not text
            or start.ex.kind != call.ex.kind
        ):
            continue
        longer = len(text) > len(start.ex.text) or call.ex.kind == "streaming"
        if longer and extends(start.ex.text, text):
            return stream.goes_on or stream
    return None


def _others(call: Call) -> list[Stream]:
    """Other open streams of the chat, oldest first."""
    return sorted((one for one in call.chat.open if one is not call.stream), key=lambda one: one.ord)


def begun_again(call: Call) -> bool:
    """Whether a start goes on from the text of another one (TEAMS-014)."""
    return call.fine and _half_bubble(call, _others(call)) is not None
