"""TEAMS-016 to 025: what goes on in an open stream.

Rules of this file: status updates and chunks; texts are compared in `prefix`, numbers in `numbers`. A call that comes
after the stream's end breaks that rule and no other here. Source: specification 2.3 and 2.8 ("Repeats", "Refused
start").
"""

from __future__ import annotations

from webapp.core.teams import numbers, prefix
from webapp.core.teams.compare import units
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.phrases import answered, code, later, name_of, names, quote
from webapp.core.teams.shape import misspelt, stripped
from webapp.core.teams.starts import begun_again
from webapp.core.teams.world import Call, Stream, World

MAX_STATUS = 1000  # characters
MAX_STATUS_BYTES = 1024
TOO_LATE = frozenset({"TEAMS-031", "TEAMS-042", "TEAMS-044"})
_ABOUT_SIZE = frozenset({"E400-REQ", "E403-SIZE", "E403-UNKNOWN", "E413", "E-OTHER"})


def look(world: World, call: Call) -> None:
    """Judge one call."""
    stream, ex = call.stream, call.ex
    if stream is None or ex.kind not in ("informative", "streaming") or ex.wrong_kind:
        return
    _extras(world, call)
    if call.rule in TOO_LATE:
        return
    _id(world, call, stream)
    numbers.look(world, call, stream)
    if ex.kind == "informative":
        _status(world, call, stream)
    else:
        if ex.key != "E202-ORDER":
            prefix.look(world, call)
        text_format(world, call, stream)


def text_format(world: World, call: Call, stream: Stream) -> None:
    """025: the format is the one the text on screen has."""
    before = stream.text_call
    if before is None or before.ex.kind == "edit" or not call.ex.text:
        return
    was, now = _format(before.ex), _format(call.ex)
    if was == now:
        return
    world.tell(
        "TEAMS-025",
        call,
        f"{name_of(call)} has the text format {code(now)} after {code(was)}",
        f"#{before.seq} was {code(was)}{_default(before.ex)}, this one is {code(now)}{_default(call.ex)}; the text is "
        "laid out anew.",
        related=[(before.seq, "previous")],
    )


def _format(ex: Exchange) -> str:
    value = ex.body.get("textFormat")
    return value.lower() if isinstance(value, str) and value else "markdown"


def _default(ex: Exchange) -> str:
    return "" if ex.body.get("textFormat") else " (the default, none was given)"


def _id(world: World, call: Call, stream: Stream) -> None:
    """016: after the first call, each one names the stream."""
    ex = call.ex
    number = ex.number
    if number is None or number <= 1 or ex.stream_id or stripped(ex) or "streamId" in misspelt(ex):
        return
    start = stream.start
    if call.starts:  # the service took it for another start
        others = [one for one in call.chat.open if one is not stream and one.turn == call.turn]
        if not others or begun_again(call):
            return
        start = others[-1].start
    elif not call.nameless:
        return
    first = stream.first if start is None else start.seq
    world.tell(
        "TEAMS-016",
        call,
        f"{name_of(call)} does not name its stream",
        _why_nameless(call, stream, start) + answered(call),
        related=[(first, "opened")],
        cause=world.blamed.get(first),
    )


def _why_nameless(call: Call, stream: Stream, start: Call | None) -> str:
    if start is None:
        return f"The stream began at #{stream.first}; every call after it carries the `streamId`."
    ex = start.ex
    if ex.unrecorded:
        return f"The answer to the start, #{start.seq}, is not recorded; the id it issued belongs on every later call."
    if ex.answered == "lost":
        return f"The start, #{start.seq}, got no answer, so there was no id to name; a new start was needed."
    if ex.answered in ("refused", "dropped"):
        return (
            f"The start, #{start.seq}, was refused (answer {ex.status}), so no stream exists to go on with."
        )
    if call.at is not None and start.ended is not None and call.at < start.ended:
        wait = later(start.ended - call.at)
        return (
            f"It was sent {wait} before the answer to the start, #{start.seq}, and with it the id, was there."
        )
    issued = f" issued the id {code(ex.issued)}" if ex.issued else " opened it"
    return f"#{start.seq}{issued}, and every later call has to carry it."


def _status(world: World, call: Call, stream: Stream) -> None:
    """021 and 022: a status line is short, and comes before the text."""
    ex = call.ex
    text = ex.text or ""
    length, size = units(text), len(text.encode("utf-8", "surrogatepass"))
    if length > MAX_STATUS or size > MAX_STATUS_BYTES:
        refused = ex.answered == "refused" and ex.key in _ABOUT_SIZE
        world.tell(
            "TEAMS-021",
            call,
            f"{name_of(call)} is {length:,} characters long"
            + ("" if length > MAX_STATUS else f", {size:,} bytes"),
            f"It has {size:,} bytes. A status may have {MAX_STATUS:,} characters and {MAX_STATUS_BYTES:,} bytes."
            + (answered(call) if ex.answered == "refused" else ""),
            severity="error" if refused else None,
        )
    shown = stream.text_call
    if call.rule != "TEAMS-022" or shown is None:
        return
    if ex.number is not None and shown.ex.number is not None and ex.number < shown.ex.number:
        return  # counted before the text, and sent again or late: its number says so
    world.tell(
        "TEAMS-022",
        call,
        f"{name_of(call)} comes after the text has begun",
        f"The answer is on screen since #{shown.seq}; {quote(text)} is not shown any more.",
        related=[(shown.seq, "previous")],
    )


def _extras(world: World, call: Call) -> None:
    """023 and 024: what belongs to the final only."""
    ex = call.ex
    attached = ex.body.get("attachments")
    if isinstance(attached, list) and attached:
        many = "an attachment" if len(attached) == 1 else f"{len(attached)} attachments"
        world.tell(
            "TEAMS-023",
            call,
            f"{name_of(call)} carries {many}",
            "Attachments are shown with the final; on an update they may be lost."
            + (answered(call) if ex.answered == "refused" else ""),
        )
    early = _labels(ex)
    if early:
        world.tell(
            "TEAMS-024",
            call,
            f"{name_of(call)} already carries {names(early)}",
            "It belongs to the finished message." + (answered(call) if ex.answered == "refused" else ""),
            path=" ".join(early),
        )


def _labels(ex: Exchange) -> list[str]:
    found = []
    for entity in ex.entities:
        kinds = entity.get("additionalType")
        if kinds == "AIGeneratedContent" or (isinstance(kinds, list) and "AIGeneratedContent" in kinds):
            found.append("the AI label")
        if entity.get("usageInfo"):
            found.append("a sensitivity label")
    if any(ex.channel_data.get(name) for name in ("feedbackLoop", "feedbackLoopEnabled")):
        found.append("feedback buttons")
    return list(dict.fromkeys(found))
