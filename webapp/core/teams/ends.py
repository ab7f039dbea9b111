"""TEAMS-044 to 050: ends forced from outside, where and whether streaming is possible, size, double delivery.

Rules of this file: it reads the world before the call changes it, and tells. Source: specification 2.6 and 2.8
("Ended by 413", "Start accepted, answer lost", "Prefix and size").
"""

from __future__ import annotations

from itertools import islice

from webapp.core.teams.compare import repeats_answer
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.limits import LIMIT
from webapp.core.teams.pacing import sent_before
from webapp.core.teams.phrases import answered, code, later, name_of, quote
from webapp.core.teams.sizes import LARGE, LIMIT_BYTES, kilobytes, wire_bytes
from webapp.core.teams.turns import NEAR, repeated_stream, same_turn
from webapp.core.teams.world import Call, Stream, World

CLOSED_TO_US = frozenset({"E403-OFF", "E400-ARG", "E400-BOT"})  # streaming as such is refused
NO_STREAM_HERE = CLOSED_TO_US | {"E405"}
TOO_LARGE = frozenset({"E413", "E403-SIZE"})


def look(world: World, call: Call) -> None:
    """Judge one call."""
    ex, teams = call.ex, call.chat.teams
    if ex.kind == "inbound":
        return
    if call.rule == "TEAMS-049" and call.stream is not None:
        _delete(world, call, call.stream)
    if teams:
        _stop(world, call)
        _size(world, call)
        if call.starts and call.fine and call.stream is not None:
            _one_at_a_time(world, call, call.stream)
        _scope(world, call)
    if ex.kind == "message" and call.fine:
        _twice(world, call)
    elif ex.kind == "final" and call.fine and call.stream is not None:
        _message_before(world, call, call.stream)


def _stop(world: World, call: Call) -> None:
    """044: after the user's Stop nothing more is sent. A call on its way already could not know."""
    if call.ex.kind == "message":
        stream = repeated_stream(call, "stopped") if call.fine else None
        if stream is None or stream.ended_by is None:
            return
        world.tell(
            "TEAMS-044",
            call,
            "the answer is sent as a message after the user stopped it",
            f"With #{stream.ended_by.seq} Teams said that the user had pressed Stop. The message "
            f"{quote(call.ex.text or '')} gives them the text that they had stopped.",
            severity="warning",
            related=[(stream.ended_by.seq, "previous")],
            path="message",
            stream=stream,
        )
        return
    stream = call.stream
    if call.rule != "TEAMS-044" or stream is None or sent_before(call, stream.ended_by):
        return
    stop = stream.ended_by
    told = "Teams had said so." if stop is None else f"Teams had said so in the answer to #{stop.seq}."
    world.tell(
        "TEAMS-044",
        call,
        f"{name_of(call)} is sent after the user pressed Stop",
        f"{told} What is shown cannot be changed any more; the turn is to end quietly.{answered(call)}",
        related=[] if stop is None else [(stop.seq, "previous")],
    )


def _one_at_a_time(world: World, call: Call, stream: Stream) -> None:
    """045: another stream of the chat is open. An open one that is older than two minutes has expired by itself."""
    if "TEAMS-014" in call.told or call.at is None:
        return  # the same reply begun again has a finding of its own
    for other in reversed(call.chat.open):
        if (
            other is stream
            or other.since is None
            or not other.anchored
            or not -1.0 < call.at - other.since <= LIMIT
        ):
            continue
        last = other.last.seq if other.last is not None else other.first
        world.tell(
            "TEAMS-045",
            call,
            f"a stream is started while {code(other.tag)} is open in the same chat",
            f"#{other.first} started that one {later(max(0.0, call.at - other.since))} ago, and no final had ended it "
            f"(newest call #{last}). Teams shows one stream at a time.",
            related=[(other.first, "opened")],
        )
        return


def _scope(world: World, call: Call) -> None:
    """046 and 047: no streaming in this chat, or for this agent and user."""
    ex = call.ex
    group = _group(ex)
    if group is not None:
        call.chat.group = True
    # a log without bodies: only a streaming call is refused in this way
    told_by_answer = not ex.bodied and ex.method == "POST" and ex.key in NO_STREAM_HERE
    if call.chat.group and (ex.streamed or told_by_answer):
        sign = group or "the chat is a group chat by an earlier call"
        why = f"Streams exist in personal chats only, and {sign}."
        if told_by_answer:
            why += " The body was not recorded; a plain message is taken there, and a stream is refused in this way."
        world.tell(
            "TEAMS-046",
            call,
            f"{name_of(call)} is streamed into a chat that is not personal",
            why + answered(call),
        )
    elif ex.key in CLOSED_TO_US and (ex.streamed or not ex.bodied):
        world.tell(
            "TEAMS-047",
            call,
            f"{name_of(call)} is refused: streaming is not possible for this agent, user or context",
            "No change to the call helps; the answer can be sent as one plain message." + answered(call),
        )


def _group(ex: Exchange) -> str | None:
    """What shows that the chat is not personal."""
    place = ex.body.get("conversation")
    place = place if isinstance(place, dict) else {}
    kind = place.get("conversationType")
    if isinstance(kind, str) and kind and kind.lower() != "personal":
        return f"`conversationType` is {code(kind)} here"
    if place.get("isGroup") is True:
        return "`isGroup` is true here"
    if ex.conversation.startswith("19:"):
        return "the conversation’s id begins with `19:`, as those of groups and channels do"
    return None


def _size(world: World, call: Call) -> None:
    """048: the body in UTF-16. What the service found too large is so, whatever was recorded."""
    ex = call.ex
    refused = ex.key in TOO_LARGE
    if not (ex.streamed or refused) or (not refused and ex.size * 2 <= LARGE):
        return
    size = wire_bytes(ex.body)
    if refused:
        title = f"{name_of(call)} is too large"
        seen = (
            f"Its body as recorded is {kilobytes(size)} in UTF-16"
            if ex.bodied
            else "Its body was not recorded"
        )
        why = f"{seen}; the limit is about {kilobytes(LIMIT_BYTES)}."
    elif size > LIMIT_BYTES:
        title = f"{name_of(call)} has {kilobytes(size)}, above the limit of {kilobytes(LIMIT_BYTES)}"
        why = "Counted is the body in UTF-16, without images in base64."
    elif size > LARGE:
        title = f"{name_of(call)} has {kilobytes(size)}, close to the limit of {kilobytes(LIMIT_BYTES)}"
        why = "Counted is the body in UTF-16. Each chunk repeats the whole text, so the next ones are larger still."
    else:
        return
    world.tell(
        "TEAMS-048",
        call,
        title,
        why + answered(call),
        severity=None if refused or size > LIMIT_BYTES else "warning",
    )


def _delete(world: World, call: Call, stream: Stream) -> None:
    """049: a bubble is deleted that never had its final."""
    shown = "The bubble stays on the user’s screen" if call.fine else "The bubble stays as it is"
    world.tell(
        "TEAMS-049",
        call,
        f"the stream {code(stream.tag)} is deleted without a final",
        f"{shown}. A final with the text so far ends it; after that it can be deleted.{answered(call)}",
        related=[(stream.first, "opened")],
    )


def _twice(world: World, call: Call) -> None:
    """050: a message says what a stream of the same turn has delivered. Open streams: 030 speaks of them at the end."""
    text = call.ex.text
    if not text:
        return
    for stream in islice(reversed(call.chat.streams), NEAR):
        if (
            stream.state != "done"
            or stream.redacted
            or stream.edited is not None
            or not same_turn(stream, call)
        ):
            continue
        if not repeats_answer(stream.text, text):
            continue
        world.tell(
            "TEAMS-050",
            call,
            "the message says once more what was streamed",
            f"The stream {code(stream.tag)} had ended with {quote(stream.text)}. The message {quote(text)} "
            f"{'is the same text' if text.strip() == stream.text.strip() else 'begins with it'}, so the user reads it "
            "twice.",
            related=[] if stream.ended_by is None else [(stream.ended_by.seq, "closed")],
            stream=stream,
        )
        return


def _message_before(world: World, call: Call, stream: Stream) -> None:
    """050 the other way round: the message came while the stream was open, and the stream was ended all the same."""
    if (
        stream.left is None
        or stream.left[1] != "message"
        or not stream.text
        or not stream.open
        or stream.redacted
    ):
        return
    world.tell(
        "TEAMS-050",
        call,
        "the final ends a stream whose text was sent as a message as well",
        f"#{stream.left[0]} had sent as a message what the open stream {code(stream.tag)} held, {quote(stream.text)}. "
        "The user reads it twice.",
        related=[(stream.left[0], "previous")],
    )
