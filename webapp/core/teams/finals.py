"""TEAMS-026 to 029 and 031 to 034: the end of a stream.

Rules of this file: the final, and what follows it. Streams that are never ended are told of in `closing`. Source:
specification 2.4 and 2.8 ("Pairing first", "Final sent twice", "Refused start").
"""

from __future__ import annotations

from typing import Any

from webapp.core.teams import prefix
from webapp.core.teams.continues import TOO_LATE, text_format
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.pacing import sent_before
from webapp.core.teams.phrases import answered, code, later, name_of, names
from webapp.core.teams.shape import misspelt, stripped
from webapp.core.teams.values import plain, table
from webapp.core.teams.world import Call, Stream, World

RESULTS = ("success", "timeout", "error")
_EXISTED = frozenset(
    {"E403-DONE", "E403-TIME", "E403-STOP", "E403-PREFIX", "E403-SIZE"}
)  # answers about a real stream
_FEEDBACK = ("feedbackLoop", "feedbackLoopEnabled")


def look(world: World, call: Call) -> None:
    """Judge one call."""
    stream, ex = call.stream, call.ex
    if stream is None or not ex.streamed:
        return
    _result(world, call)
    _feedback(world, call)
    if _after_end(world, call, stream) or ex.kind != "final" or ex.wrong_kind or call.rule in TOO_LATE:
        return
    _citations(world, call)
    _id(world, call, stream)
    if call.chat.teams:
        _numbered(world, call)
        _content(world, call, stream)
    prefix.look(world, call)
    text_format(world, call, stream)


def _after_end(world: World, call: Call, stream: Stream) -> bool:
    """031: nothing follows the final. Also where only the service knows of the final. True when told."""
    ex = call.ex
    late = call.rule == "TEAMS-031"
    if not (late or (ex.key == "E403-DONE" and not _had_arrived(call))):
        return False
    end = stream.ended_by if late else None
    if late and end is not None and _on_the_way(call, end):
        return False
    if end is None:
        why = "The recording does not show the end, but the service says that the stream was complete."
    elif end.ex.kind == "edit":
        why = (
            f"After the time limit #{end.seq} set the text by a plain edit; nothing can be streamed any more."
        )
    else:
        taken = end.ex.answered == "ok" and not sent_before(call, end)
        why = f"The final, #{end.seq}, was {'taken' if taken else 'sent'}"
        since = end.ended if taken and end.ended is not None else end.at
        why += f" {later(call.at - since)} before" if call.at is not None and since is not None else " before"
        why += "; nothing can be added to the stream after it."
    edited = end is not None and stream.edited == end.seq
    world.tell(
        "TEAMS-042" if edited else "TEAMS-031",
        call,
        f"{name_of(call)} is sent after the stream’s end",
        why + answered(call),
        related=[] if end is None else [(end.seq, "closed")],
    )
    return True


def _had_arrived(call: Call) -> bool:
    """A repetition of a final whose first try got no clear answer: the first one had arrived (TEAMS-054)."""
    return call.ex.kind == "final" and call.arrived


def _on_the_way(call: Call, end: Call) -> bool:
    """The service took it while the final was still under way: a race (TEAMS-035), not a late call."""
    if not call.fine or call.at is None or end.at is None:
        return False
    return call.at < (end.at if end.ended is None else end.ended)


def _id(world: World, call: Call, stream: Stream) -> None:
    """026 and 028: the final ends a stream that was opened."""
    ex = call.ex
    if stripped(ex) or "streamId" in misspelt(ex):
        return
    if ex.stream_id and (not call.foreign or not _unknown(call, stream)):
        return
    start = stream.start
    earlier = any(one is not stream or one.first != call.seq for one in call.chat.streams)
    if not earlier:
        if call.chat.teams:
            world.tell(
                "TEAMS-028",
                call,
                "the final is the first call of its stream",
                "No stream was opened before it, so there is none to end." + answered(call),
            )
        return
    named = (
        f"names the stream {code(ex.stream_id)}, which no answer issued"
        if ex.stream_id
        else "does not name its stream"
    )
    world.tell(
        "TEAMS-026",
        call,
        f"the final {named}",
        _why_unnamed(start) + answered(call),
        related=[] if start is None else [(start.seq, "opened")],
        cause=None if start is None or stream.opened is not None else world.blamed.get(start.seq),
    )


def _unknown(call: Call, stream: Stream) -> bool:
    """Whether a strange id is a fault, and not the id of a stream whose start was not recorded."""
    ex = call.ex
    if stream.first != call.seq:
        return True  # another stream is open in this turn
    if ex.answered in ("ok", "lost") or ex.key in _EXISTED:
        return False
    if ex.answered == "refused":
        return ex.status in (400, 403)
    return call.chat.turn > 0 or len(call.chat.streams) > 1  # the recording begins earlier than the stream


def _why_unnamed(start: Call | None) -> str:
    if start is None:
        return "No call opened a stream for it."
    ex = start.ex
    if ex.unrecorded:
        return f"The answer to the start, #{start.seq}, is not recorded; the final carries the id it issued."
    if ex.answered == "lost":
        return f"The start, #{start.seq}, got no answer, so no id was known."
    if ex.answered in ("refused", "dropped"):
        return f"The start, #{start.seq}, was refused (answer {ex.status}), so no stream exists to end."
    if ex.issued:
        return f"#{start.seq} issued the id {code(ex.issued)}."
    return f"The stream began at #{start.seq}."


def _numbered(world: World, call: Call) -> None:
    """027: the final has no number."""
    ex = call.ex
    number = ex.sequence
    if number is None:
        return
    place = "" if ex.info.get("streamSequence") == number else " in `channelData`"
    world.tell(
        "TEAMS-027",
        call,
        f"the final carries the number {code(number)}{place}",
        "`streamSequence` counts status updates and chunks; the final leaves it out.",
    )


def _content(world: World, call: Call, stream: Stream) -> None:
    """029: the final has something to show."""
    ex = call.ex
    if ex.text or stream.redacted or "text" in misspelt(ex):
        return
    if ex.body.get("attachments"):
        world.tell(
            "TEAMS-029",
            call,
            "the final has attachments and no text",
            "Several SDKs end a stream so.",
            severity="info",
        )
        return
    shown = (
        " What was streamed before stays without an end."
        if stream.text
        else " The user is left with a status line."
    )
    world.tell(
        "TEAMS-029", call, "the final has neither text nor attachments", shown.strip() + answered(call)
    )


def _result(world: World, call: Call) -> None:
    """032: `streamResult` on the final, with a known word."""
    ex = call.ex
    inside = ex.info.get("streamResult")
    value = ex.channel_data.get("streamResult") if inside is None else inside
    if value is None:
        return
    if ex.kind != "final":
        world.tell(
            "TEAMS-032",
            call,
            f"{name_of(call)} carries a `streamResult`",
            f"It is {code(value)}; only the final has one.",
            path="place",
        )
    elif value not in RESULTS:
        world.tell(
            "TEAMS-032",
            call,
            f"the final’s `streamResult` is {code(value)}",
            f"Known words are {names([code(word) for word in RESULTS])}.",
            path="word",
        )


def _citations(world: World, call: Call) -> None:
    """033: each citation once, without members that streamed messages do not take."""
    ex = call.ex
    entries = _entries(ex)
    places = [plain(entry["position"]) for entry in entries if entry.get("position") is not None]
    twice = sorted({place for place in places if places.count(place) > 1}) if len(places) < 500 else []
    extra = sorted(
        {
            name
            for e in entries
            for name in ("text", "encodingFormat")
            if table(e.get("appearance")).get(name) is not None
        }
    )
    if not twice and not extra:
        return
    faults = []
    if twice:
        faults.append(f"more than one citation at position {names([code(place) for place in twice[:4]])}")
    if extra:
        faults.append(f"{names([code(name) for name in extra])} in a citation’s `appearance`")
    world.tell(
        "TEAMS-033",
        call,
        f"the final has {names(faults)}",
        f"It has {len(entries)} citation{'' if len(entries) == 1 else 's'}."
        + (answered(call) if ex.answered == "refused" else ""),
        path=f"{'position' if twice else ''} {' '.join(extra)}",
    )


def _entries(ex: Exchange) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for entity in ex.entities:
        listed = entity.get("citation")
        found += [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return found


def _feedback(world: World, call: Call) -> None:
    """034: the switch for feedback buttons is in `channelData`."""
    info = call.ex.info
    found = [name for name, value in info.items() if _is_feedback(name) and value not in (None, False)]
    if found:
        world.tell(
            "TEAMS-034",
            call,
            f"{name_of(call)} has {names([code(name) for name in found[:4]])} in its stream entity",
            "Teams looks for it in `channelData` and shows no buttons.",
        )


def _is_feedback(name: str) -> bool:
    return name in _FEEDBACK or name.startswith("feedback_loop")
