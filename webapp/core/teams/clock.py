"""TEAMS-041 to 043: the two minutes of a stream, what comes after them, and long silence.

Rules of this file: it reads the world before the call changes it, and tells. The two-minute clock runs from the answer
to the start. Source: specification 2.5 and 2.8 ("Clock").
"""

from __future__ import annotations

from webapp.core.teams.apply import overdue
from webapp.core.teams.limits import LIMIT, SILENCE
from webapp.core.teams.pacing import sent_before
from webapp.core.teams.phrases import answered, code, later, name_of
from webapp.core.teams.tables import OPEN
from webapp.core.teams.turns import repeated_stream
from webapp.core.teams.world import Call, Stream, World

WARN = 105.0  # seconds from which a stream without recorded answers is warned of
COPILOT = "msteams:copilot"


def look(world: World, call: Call) -> None:
    """Judge one call."""
    if not call.chat.teams:
        return
    stream = call.stream
    if stream is None:
        if call.ex.kind == "message":
            _second_bubble(world, call)
        return
    if call.ex.streamed:
        _two_minutes(world, call, stream)
        _silence(world, call, stream)
    if call.rule == "TEAMS-042":
        _after_limit(world, call, stream)


def _two_minutes(world: World, call: Call, stream: Stream) -> None:
    """041: after the limit, by the clock or by the service's own word."""
    expired = call.ex.key == "E403-TIME"
    again = stream.state == "expired" and overdue(call)
    if not again and stream.state not in OPEN and not (expired and stream.state in ("refused", "lost")):
        return
    since, at = stream.since, call.at
    age = None if since is None or at is None else at - since
    over = age is not None and age > LIMIT
    near = call.ex.answered == "unknown" and age is not None and WARN < age <= LIMIT
    if not (expired or over or near):
        return
    start = stream.opened
    begun = _begun(stream)
    if age is None:
        title = f"{name_of(call)} is refused because the stream’s time is over"
        why = "The service counts more than two minutes since the start"
        why += "; the recording does not show them." if start is None else f", #{start}."
    elif expired and not over:
        title = f"{name_of(call)} is refused because the stream’s time is over"
        why = (
            f"So the service says. By the recorded times only {later(age)} have passed since {begun}, and the two "
            "minutes were not over: its limit was shorter here, or its clock and the recorded times differ."
        )
    else:
        # rounded to seconds, what is just past the limit would read as the limit itself
        title = f"{name_of(call)} comes {later(age) if age >= LIMIT + 1 or near else f'{age:.1f} s'} after {begun}"
        why = "From there on a stream has two minutes. "
        why += "Little time is left to end it in order." if near else "After them it can only be edited."
    world.tell(
        "TEAMS-041",
        call,
        title,
        why + answered(call),
        severity="warning" if near else None,
        related=[] if start is None else [(start, "opened")],
    )


def _begun(stream: Stream) -> str:
    """Where the two minutes are counted from, in words."""
    start = stream.start
    seen = start is not None and start.ended is not None
    return "the answer to the start" if seen else "the start"


def _after_limit(world: World, call: Call, stream: Stream) -> None:
    """042: what the agent did once the time was up."""
    limit, ex = stream.ended_by, call.ex
    related = [] if limit is None else [(limit.seq, "previous")]
    since = "After the two minutes" if limit is None else f"After the time limit of #{limit.seq}"
    if ex.kind == "edit":
        if ex.infos or ex.odd or ex.stream_id or ex.stream_type or ex.sequence is not None:
            world.tell(
                "TEAMS-042",
                call,
                "the edit that saves the answer still carries stream fields",
                f"{since} the text is set by a plain edit, without a stream entity and without stream fields in "
                f"`channelData`.{answered(call)}",
                severity="warning",
                related=related,
            )
            return
        taken = "The user has the whole answer." if call.fine else "But it did not succeed."
        ran_out = "" if limit is None else f" (#{limit.seq})"
        world.tell(
            "TEAMS-042",
            call,
            "the answer is set by a plain edit after the time limit",
            f"Where a stream has run out of time{ran_out}, that is the way to deliver its text. {taken}"
            f"{'' if call.fine else answered(call)}",
            severity="info",
            related=related,
        )
        return
    if overdue(call) or sent_before(call, limit):
        return  # without answers it is the limit itself (041); or the agent could not know yet (035)
    world.tell(
        "TEAMS-042",
        call,
        f"{name_of(call)} is sent into the stream after its time limit",
        f"{since} nothing can be streamed any more, the final included. A plain edit of {code(stream.tag)} would have "
        f"delivered the text.{answered(call)}",
        related=related,
    )


def _second_bubble(world: World, call: Call) -> None:
    """042, a note: the whole text comes as a message of its own, beside the bubble that ran out of time."""
    stream = repeated_stream(call, "expired")
    if stream is None or not call.fine:
        return
    world.tell(
        "TEAMS-042",
        call,
        "the answer is sent as a message of its own after the time limit",
        f"The user sees two bubbles: that of the stream {code(stream.tag)}, which ran out of time, and this one. "
        "A plain edit of the first would have replaced its text.",
        severity="info",
        related=[(stream.ended_by.seq, "previous")] if stream.ended_by is not None else [],
        path="message",
        stream=stream,
    )


def _silence(world: World, call: Call, stream: Stream) -> None:
    """043: nothing was sent into the open stream for long. Where that used up the two minutes, 041 says so."""
    last = stream.last
    if last is None or not stream.open or last.at is None or call.at is None:
        return
    gap = call.at - (last.at if last.ended is None else last.ended)
    copilot = any(one is not None and one.ex.channel.lower() == COPILOT for one in (call, stream.start))
    if gap <= SILENCE or ("TEAMS-041" in call.told and not copilot):
        return
    why = f"#{last.seq} ({name_of(last)}) was the call before."
    why += (
        " The Copilot client gives up after about 45 s without an update."
        if copilot
        else " The user watches a bubble that stands still. A status line before the text begins would keep it alive."
    )
    world.tell(
        "TEAMS-043",
        call,
        f"{name_of(call)} comes after {later(gap)} of silence",
        why,
        severity="error" if copilot else None,
        related=[(last.seq, "previous")],
    )
