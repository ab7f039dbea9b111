"""TEAMS-001 to 010: the request as it stands.

Rules of this file: one call, looked at alone (010 also asks whether its stream is open). Source: specification 2.1
and 2.8 ("Pairing first", "Stripped entity", "No entity at all").
"""

from __future__ import annotations

from typing import Any

from webapp.core.teams.answers import error_of
from webapp.core.teams.exchanges import FIELDS, ODD_ENTITIES, STREAM_TYPES, Exchange
from webapp.core.teams.phrases import answered, capital, code, name_of, names, quote
from webapp.core.teams.values import plain
from webapp.core.teams.world import Call, World

# Names that were seen in place of the right one.
MISSPELT = {
    "streamld": "streamId",
    "streamID": "streamId",
    "stream_id": "streamId",
    "stream_type": "streamType",
    "stream_sequence": "streamSequence",
    "serviceurl": "serviceUrl",
}
HARMLESS = "serviceUrl"
UNREADABLE = frozenset({"E400-SYNTAX", "E400-ENDONLY"})
_METHODS = frozenset({"POST", "PUT", "DELETE"})


def look(world: World, call: Call) -> None:
    """Judge one call."""
    ex = call.ex
    if ex.kind in ("edit", "other"):
        _address(world, call)
        return
    if not ex.streamed:
        return
    _entity(world, call)
    _words(world, call)
    _place(world, call)
    if not ex.wrong_kind and ex.kind != "final":
        _text(world, call)
    _address(world, call)


def misspelt(ex: Exchange) -> dict[str, str]:
    """Members whose name only looks right: the name that was meant -> as written."""
    found: dict[str, str] = {}
    for place in (ex.body, ex.info):
        for written in place:
            meant = MISSPELT.get(written.strip(), written.strip())
            if meant != written:
                found.setdefault(meant, written)
    return found


def stripped(ex: Exchange) -> bool:
    """The activity is marked as part of a stream, and all fields of the stream are lost."""
    return bool(ex.info) and not any(
        _filled(place, name) for place in (ex.info, ex.channel_data) for name in FIELDS
    )


def unreadable(ex: Exchange) -> bool:
    """The service found no stream marker that it could read."""
    if ex.key in UNREADABLE:
        return True
    return ex.status == 400 and (error_of(ex.answer)[0] or "").lower() == "badsyntax"


def _filled(place: dict[str, Any], name: str) -> bool:
    return place.get(name) not in (None, "")


def _entity(world: World, call: Call) -> None:
    """001 and 002: what the marker is called, and that there is one."""
    ex = call.ex
    written = [kind for kind in _kinds(ex) if kind != "streaminfo"]
    if written:
        light = set(written) == {"streamInfo"} and not unreadable(ex)
        world.tell(
            "TEAMS-001",
            call,
            f"the entity’s type is {code(written[0])} instead of `streaminfo`",
            "Teams looks for an entity of the type `streaminfo`, in lower case, and reads the stream’s fields from it."
            + answered(call),
            severity="info" if light else None,
            path=written[0],
        )
    if ex.infos > 1:
        world.tell(
            "TEAMS-002",
            call,
            f"{name_of(call)} has {ex.infos} `streaminfo` entities",
            "A receiver that finds more than one has to ignore all of them." + answered(call),
        )


def _kinds(ex: Exchange) -> list[str]:
    """Types of the entities that mark a stream, or try to, as written."""
    found = []
    for entity in ex.entities:
        kind = entity.get("type")
        if isinstance(kind, str) and "".join(kind.split()).lower() in ODD_ENTITIES | {"streaminfo"}:
            found.append(kind)
    return found


def _words(world: World, call: Call) -> None:
    """003, 004 and 006: the words in the request."""
    ex = call.ex
    told = ex.stream_type
    if told is not None and told not in STREAM_TYPES:
        world.tell(
            "TEAMS-003",
            call,
            f"`streamType` is {code(told)}",
            "Teams knows three words, all in lower case: `informative`, `streaming` and `final`."
            + answered(call),
            path=told[:40],
        )
    if ex.wrong_kind and (told is None or told.strip().lower() in STREAM_TYPES):
        _pair(world, call, told)
    wrong = misspelt(ex)
    if not wrong or (ex.answered == "ok" and all("_" in written for written in wrong.values())):
        return  # the service read them: the log, not the wire, has snake_case names
    listed = names([f"{code(quote(written))} instead of {code(meant)}" for meant, written in wrong.items()])
    world.tell(
        "TEAMS-006",
        call,
        f"{name_of(call)} has {listed}",
        "Teams reads members by their exact name; under any other the value is missing." + answered(call),
        severity="info" if set(wrong) == {HARMLESS} else None,
        path=" ".join(sorted(wrong.values()))[:80],
    )


def _pair(world: World, call: Call, told: str | None) -> None:
    kind = code(call.ex.body.get("type"))
    if told is None:
        title = "a `message` with a stream marker does not say that it is the final"
        why = "Without a `streamType` it counts as `streaming`, and those are sent as `typing`."
    elif told.strip().lower() == "final":
        title = f"the final is sent as {kind}"
        why = "The end of a stream is an activity of the type `message`; status updates and chunks are `typing`."
    else:
        title = f"{name_of(call)} is sent as {kind}"
        why = f"An activity that is {code(told)} is of the type `typing`; only the final is a `message`."
    world.tell("TEAMS-004", call, title, why + answered(call), path=f"{kind} {told}"[:40])


def _place(world: World, call: Call) -> None:
    """005, 008 and 009: where the stream's fields are."""
    ex = call.ex
    inside = [name for name in FIELDS if _filled(ex.info, name)]
    beside = [name for name in FIELDS if _filled(ex.channel_data, name)]
    if not inside and not any(name in misspelt(ex) for name in FIELDS):
        _without_fields(world, call, beside)
    # ids are compared as text: a copy written as a number is the same id
    differ = [n for n in inside if n in beside and plain(ex.info[n]) != plain(ex.channel_data[n])]
    if not differ:
        return
    pairs = names([f"`{n}` {code(ex.info[n])} and {code(ex.channel_data[n])}" for n in differ])
    why = f"Entity and `channelData` say: {pairs}. "
    if ex.kind == "final" and "streamType" in differ:
        why += "A client that follows the copy does not see the end, and the bubble is not shown as complete."
    else:
        why += "A client may follow either."
    world.tell(
        "TEAMS-008",
        call,
        f"{name_of(call)} has another {names([f'`{n}`' for n in differ])} in `channelData` than in its entity",
        why + (answered(call) if ex.answered == "refused" else ""),
        path=" ".join(differ),
    )


def _without_fields(world: World, call: Call, beside: list[str]) -> None:
    """The entity has no field of the stream, or there is no entity."""
    ex = call.ex
    marked = bool(ex.info)
    if marked and (not beside or unreadable(ex)):
        rest = "" if not beside else f" In `channelData` they survived: {names([f'`{n}`' for n in beside])}."
        world.tell(
            "TEAMS-005",
            call,
            f"the `streaminfo` entity of {name_of(call)} has lost its fields",
            "It has none of `streamId`, `streamType` and `streamSequence`, so Teams cannot tell what the activity is."
            + rest + answered(call),
        )  # fmt: skip
    elif not marked and unreadable(ex):
        world.tell(
            "TEAMS-005",
            call,
            f"{name_of(call)} has no `streaminfo` entity",
            "The stream’s fields are in `channelData` only, where Teams did not read them." + answered(call),
        )
    elif call.chat.teams and beside:
        world.tell(
            "TEAMS-009",
            call,
            f"{name_of(call)} has its stream fields in `channelData` only",
            f"{capital(names([f'`{n}`' for n in beside]))} should stand in a `streaminfo` entity.",
        )


def _text(world: World, call: Call) -> None:
    """007: a status update or chunk has a text."""
    ex = call.ex
    if ex.body.get("type") != "typing" or (ex.text is None and "text" in misspelt(ex)):
        return
    if not ex.text:
        missing = "has an empty `text`" if ex.text == "" else "has no `text`"
        why = (
            "A stream starts with a text, even if it is only a status."
            if call.starts
            else "Each update has a text."
        )
        world.tell("TEAMS-007", call, f"{name_of(call)} {missing}", why + answered(call))
    elif not ex.text.replace("\u200b", "").strip():
        world.tell(
            "TEAMS-007",
            call,
            f"the text of {name_of(call)} is blank",
            "Teams takes it, and shows an empty bubble.",
            severity="info",
        )


def _address(world: World, call: Call) -> None:
    """010: method and address."""
    ex, stream = call.ex, call.stream
    if call.rule == "TEAMS-010" and stream is not None:
        last = stream.last.seq if stream.last is not None else stream.first
        world.tell(
            "TEAMS-010",
            call,
            f"the open stream {code(stream.tag)} is edited with PUT",
            f"The stream is open since #{stream.first} (newest call #{last}). It is continued by POST, with its id in "
            "the entity; an edit is for a stream that has ended or run out of time." + answered(call),
            related=[(stream.first, "opened")],
            path="PUT",
        )
    elif ex.call and ex.url and ex.kind != "edit":
        _elsewhere(world, call)


def _elsewhere(world: World, call: Call) -> None:
    ex, stream = call.ex, call.stream
    if ex.method not in _METHODS:
        if ex.info or (ex.body.get("type") in ("typing", "message") and ex.stream_id):
            why = "A stream is written with POST only." + answered(call)
            world.tell(
                "TEAMS-010", call, f"a stream’s activity is sent with {code(ex.method)}", why, path="method"
            )
        return
    if ex.kind == "other":
        return
    start = None if stream is None else stream.start
    if not ex.path_known:
        why = "Calls of a stream go to `/v3/conversations/…/activities`." + answered(call)
        world.tell(
            "TEAMS-010", call, f"{name_of(call)} is sent to {code(quote(ex.url, 60), 70)}", why, path="path"
        )
    elif start is not None and start is not call and start.ex.host and ex.host and start.ex.host != ex.host:
        why = f"The stream was started at {code(start.ex.host)} (#{start.seq}); the other host knows nothing of it."
        world.tell(
            "TEAMS-010",
            call,
            f"{name_of(call)} is sent to another host, {code(ex.host)}",
            why + answered(call),
            related=[(start.seq, "opened")],
            path="host",
        )
