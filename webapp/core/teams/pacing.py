"""TEAMS-035 to 040: calls wait for each other, go on only after a success, and keep to Teams' pace.

Rules of this file: it reads the world before the call changes it, and tells. Times are seconds; one recorder's clock
is trusted to NOISE. Source: specification 2.5 and 2.8 ("Repeats", "Refused start", "Clock").
"""

from __future__ import annotations

import itertools
import statistics

from webapp.core.findings import Finding
from webapp.core.teams.answers import BY_KEY
from webapp.core.teams.apply import sends
from webapp.core.teams.limits import NOISE, PACE, too_soon
from webapp.core.teams.phrases import answered, later, name_of
from webapp.core.teams.world import MAX_WAITS, Call, Stream, World

ROUNDING = 0.002  # recorders write whole milliseconds
GATHER = 1.5  # seconds of text that a chunk should gather
FEW = 2  # spacings that make no habit when there are fewer
SAME_WAIT = 4  # repeats after which the wait must have grown
# more than so many sends to one conversation within so many seconds
QUOTA = ((7, 1.0), (8, 2.0), (60, 30.0), (1800, 3600.0))


def look(world: World, call: Call) -> None:
    """Judge one call."""
    stream = call.stream
    if stream is not None and call.ex.streamed:
        _overlap(world, call, stream)
        _after_refusal(world, call, stream)
    if not call.chat.teams:
        return
    _quota(world, call)
    if call.ex.streamed:
        _pace(world, call)
        _back_off(world, call)
        if call.ex.kind == "final" and stream is not None:
            habit(world, call, stream)


def sent_before(call: Call, answer_of: Call | None) -> bool:
    """Whether a call was on its way already when the answer to another one came."""
    ended = None if answer_of is None else answer_of.ended
    return ended is not None and call.at is not None and call.at < ended - ROUNDING


def _overlap(world: World, call: Call, stream: Stream) -> None:
    """035: sent while an earlier call of the stream had no answer yet."""
    before = stream.slowest
    if before is None or before is call.repeats or not sent_before(call, before):
        return
    if before.at is None or call.at is None or before.ended is None or before.ex.answered == "lost":
        return
    if call.ended is not None and call.ended < before.at:
        return  # recorded out of order: it was over before the other began
    dropped = next((one for one in (before, call) if one.ex.key == "E202-ORDER"), None)
    final = next((one for one in (before, call) if one.ex.kind == "final" and one.fine), None)
    chunk = call if final is before else before
    late = (
        final is not None
        and final.ended is not None
        and chunk.ended is not None
        and chunk.ex.kind != "final"
        and chunk.ended > final.ended
    )
    apart = later(before.ended - call.at)
    why = f"#{before.seq} ({name_of(before)}) was answered only {apart} after this call had been sent."
    after_end = call.told.get("TEAMS-031")
    if after_end is not None:
        why += " The end was on its way, and nothing follows an end."
    else:
        why += " Calls that are on their way together can overtake each other."
        why += _outcome(call, dropped, chunk, final if late else None)
    found = world.tell(
        "TEAMS-035",
        call,
        f"{name_of(call)} is sent before {name_of(before)} has been answered",
        why,
        severity="error" if dropped is not None or late else None,
        related=[(before.seq, "previous")],
        cause=None if after_end is None else after_end.key,
    )
    if found is not None and found.cause is None:
        _raced(world, call, before, found)


def _outcome(call: Call, dropped: Call | None, chunk: Call, final: Call | None) -> str:
    """What came of the race. dropped: the call that lost it; final: the end that a chunk came too late for."""
    if dropped is not None:
        return f" Here #{dropped.seq} lost the race: it was dropped as out of order."
    if final is not None and final.ended is not None and chunk.ended is not None:
        return (
            f" Here {name_of(chunk)} (#{chunk.seq}) was done {later(chunk.ended - final.ended)} after the final "
            f"(#{final.seq}), when the stream was complete already."
        )
    if call.ex.kind == "final":
        return " With the final it is a race: a chunk may reach a stream that is complete already."
    return ""


def _raced(world: World, call: Call, before: Call, found: Finding) -> None:
    """What became of two calls that were on their way together follows from that."""
    for one in (before, call):
        if one.ex.key == "E202-ORDER":
            for rule in ("TEAMS-018", "TEAMS-051"):
                told = one.told.get(rule)
                if told is not None and told.event == one.seq and told.count == 1:
                    world.ledger.amend(told, cause=found.key)
    told = before.told.get("TEAMS-031")
    if told is not None and call.ex.kind == "final" and told.event == before.seq and told.count == 1:
        why = f"The final, #{call.seq}, was sent while it was under way, and overtook it."
        world.ledger.amend(told, why=why + answered(before), cause=found.key)


def _after_refusal(world: World, call: Call, stream: Stream) -> None:
    """036: the stream goes on although Teams refused it; the same call again is 053."""
    refused = stream.refused_by
    if call.rule != "TEAMS-036" or refused is None or call.repeats is not None or sent_before(call, refused):
        return
    world.tell(
        "TEAMS-036",
        call,
        f"{name_of(call)} continues a stream after {name_of(refused)} was refused",
        f"#{refused.seq} was refused with {refused.ex.status}: {BY_KEY[refused.ex.key or 'E-OTHER'].title}. That will "
        "not pass by itself, so the stream is to be ended there." + answered(call),
        related=[(refused.seq, "previous")],
        cause=world.blamed.get(refused.seq),
    )


def _pace(world: World, call: Call) -> None:
    """037: less than a second after the streaming call before, whichever stream of the chat that belongs to."""
    before, limited = call.chat.last_streamed, call.ex.key == "E429"
    gap, ordered = None, True
    if before is not None and before.at is not None and call.at is not None:
        gap, ordered = abs(call.at - before.at), call.at >= before.at
    if before is None or gap is None or not too_soon(gap):
        if limited and not {"TEAMS-040", "TEAMS-041"} & set(call.told):
            since = "" if gap is None or before is None else f", {later(gap)} after #{before.seq},"
            world.tell(
                "TEAMS-037",
                call,
                f"{name_of(call)} is answered 429 although it keeps the distance",
                f"It was sent{since} and the service says that there are too many calls. What used up the quota is "
                "not in this recording: other calls of the agent, or other kinds of sends, count too.",
                severity="info",
            )
        return
    why = f"The streaming call recorded before it is #{before.seq}. Teams takes one a second in a chat, repeats and "
    why += "the final included."
    if limited:
        why += " The service answered 429 to this one: too many calls."
    other = f"#{before.seq}" if name_of(before) == name_of(call) else name_of(before)
    world.tell(
        "TEAMS-037",
        call,
        f"{name_of(call)} is sent {later(gap)} {'after' if ordered else 'before'} {other}",
        why,
        severity="error" if limited else None,
        related=[(before.seq, "previous")],
    )


def habit(world: World, call: Call, stream: Stream) -> None:
    """038: all chunks of a stream that has ended kept just inside the limit. Judged once a stream."""
    gaps, stream.gaps = stream.gaps, []
    if len(gaps) < FEW or not stream.chat.teams or min(gaps) < PACE - NOISE:
        return
    middle = statistics.median(gaps)
    if middle >= GATHER - NOISE:
        return
    world.tell(
        "TEAMS-038",
        call,
        f"chunks follow each other every {later(middle)}",
        f"That is the median of {len(gaps)} spacings in this stream, the shortest {later(min(gaps))}. It is inside the "
        "limit of one call a second, with little room for delays on the way. 1.5 to 2 s are recommended.",
        stream=stream,
    )


def _back_off(world: World, call: Call) -> None:
    """039: the same call again after a 429, too soon or without ever waiting longer."""
    before = call.repeats
    if before is None or before.ex.key != "E429" or before.at is None or call.at is None:
        return
    wait = call.at - (before.at if before.ended is None else before.ended)
    call.waits = (*before.waits, wait)[-MAX_WAITS:]
    asked = _retry_after(before)
    least = max(PACE, asked or 0.0)
    if wait < least - NOISE:
        told = (
            f"`Retry-After` asks for {later(asked)}"
            if asked and asked > PACE
            else "at least a second is asked for"
        )
        title = f"{name_of(call)} is repeated {later(wait)} after a 429"
        why = f"#{before.seq} was answered 429; {told}. Repeats count against the same quota."
    else:
        newest = call.waits[-SAME_WAIT:]
        if len(newest) < SAME_WAIT or any(b > a + NOISE for a, b in itertools.pairwise(newest)):
            return
        title = f"{name_of(call)} is repeated for the {call.tries}th time without a longer wait"
        why = f"The waits after each 429 were {', '.join(later(one) for one in newest)}. They should grow."
    world.tell("TEAMS-039", call, title, why + answered(call), related=[(before.seq, "previous")])


def _retry_after(call: Call) -> float | None:
    """Seconds that the answer asks to wait; a date is not read."""
    text = call.ex.headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _quota(world: World, call: Call) -> None:
    """040: more sends to one chat than a window of time may hold. One finding a chat."""
    chat = call.chat
    if call.at is None or not sends(call):
        return
    for most, window in QUOTA:
        if len(chat.sends) < most or not 0 <= call.at - chat.sends[-most] < window:
            continue
        told = chat.crowded.get(call.basis)
        if told is not None:
            call.told["TEAMS-040"] = told
            world.ledger.again(told, call.seq)
            return
        found = world.tell(
            "TEAMS-040",
            call,
            f"{name_of(call)} is send {most + 1:,} to this chat within {later(call.at - chat.sends[-most])}",
            f"Teams takes {most:,} in {window:,.0f} s, of any kind: streaming calls, typing signs, messages."
            f"{answered(call)}",
        )
        if found is not None:
            chat.crowded[call.basis] = found
        return
