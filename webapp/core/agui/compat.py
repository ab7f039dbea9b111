"""Retired shapes, rewritten as a client does before it judges anything.

Rules of this file: one function a family of shapes, each limited to the places the specification lists; it
changes the event it is given, says so in a fault, and never judges the result.
Source: basic/versioning#retired-shapes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from webapp.core.agui.blame import Fault, Place, kind_of, shown

Wire = dict[str, Any]


class _Retired(NamedTuple):
    now: str
    slot: str  # which remembered id it is about
    step: str  # open | go on | close


RETIRED = {
    "THINKING_START": _Retired("REASONING_START", "span", "open"),
    "THINKING_END": _Retired("REASONING_END", "span", "close"),
    "THINKING_TEXT_MESSAGE_START": _Retired("REASONING_MESSAGE_START", "message", "open"),
    "THINKING_TEXT_MESSAGE_CONTENT": _Retired("REASONING_MESSAGE_CONTENT", "message", "go on"),
    "THINKING_TEXT_MESSAGE_END": _Retired("REASONING_MESSAGE_END", "message", "close"),
}
_OPENER = {"span": "THINKING_START", "message": "THINKING_TEXT_MESSAGE_START"}
_NULLS = {
    "TOOL_CALL_START": ("parentMessageId",),
    "TOOL_CALL_CHUNK": ("parentMessageId",),
    "RUN_FINISHED": ("outcome", "result"),
    "SUBAGENT_FINISHED": ("result",),
}
_MEDIA = ("image", "audio", "video", "document")


class Compat(msgspec.Struct):
    """What a client remembers of one trace: the minted ids of what is open, and their count."""

    span: str | None = None
    message: str | None = None
    minted: int = 0

    def rewrite(self, event: Wire) -> list[Fault]:
        """Rewrites `event` in place; the faults are warnings, except AGUI-CMP-03, which comes first."""
        faults: list[Fault] = []
        _drop_null(event, "rawEvent", Place(), faults)
        if (name := event["type"]) in RETIRED:
            return self._translate(event, RETIRED[name], faults)
        for key in _NULLS.get(name, ()):
            _drop_null(event, key, Place(), faults)
        if name == "MESSAGES_SNAPSHOT":
            _messages(event.get("messages"), Place().member("messages"), faults)
        elif name == "RUN_STARTED" and isinstance(event.get("input"), dict):
            _input(event["input"], Place().member("input"), faults)
        return faults

    def _translate(self, event: Wire, retired: _Retired, faults: list[Fault]) -> list[Fault]:
        old, held = event["type"], self.span if retired.slot == "span" else self.message
        why = f"A client reads it as `{retired.now}` until the translation expires."
        faults.append(Fault("AGUI-CMP-01", "$.type", f"`{old}` is a retired event type", why))
        if retired.step != "open" and held is None:
            why = (
                f"No `{_OPENER[retired.slot]}` is open, so a client makes up an id for it and then rejects "
                "the event, since it names nothing."
            )
            faults.insert(0, Fault("AGUI-CMP-03", None, f"`{old}` continues nothing", why))
        if retired.step == "open" or held is None:
            held, self.minted = f"thinking-{self.minted}", self.minted + 1
        keep = None if retired.step == "close" else held
        if retired.slot == "span":
            self.span = keep
        else:
            self.message = keep  # an orphan's too, so that what follows it is not a new fault
        if old == "THINKING_START" and "title" in event:
            title = event.pop("title")
            what = f" `{shown(title)}`" if isinstance(title, str) else ""
            why = "Reasoning has no title, so a client cannot show it."
            faults.append(
                Fault("AGUI-CMP-02", "$.title", f"the title{what} of `THINKING_START` is lost", why)
            )
        event.update(type=retired.now, messageId=held)
        if retired.now == "REASONING_MESSAGE_START":
            event["role"] = "reasoning"
        return faults


def _drop_null(holder: Any, key: str, at: Place, faults: list[Fault]) -> None:
    if isinstance(holder, dict) and key in holder and holder[key] is None:
        del holder[key]
        place = at.member(key)
        why = "Clients still remove this null; it leaves the protocol later."
        title = f"`{place.where}` is null where it should be left out"
        faults.append(Fault("AGUI-CMP-06", place.path, title, why))


def rewrite_input(value: Wire) -> None:
    """A recorded request, rewritten in place like the echo in `RUN_STARTED`."""
    _input(value, Place(), [])


def _input(echo: Wire, at: Place, faults: list[Fault]) -> None:
    if "state" in echo and echo["state"] is None:
        del echo["state"]  # the reference client says nothing about this one
    _drop_null(echo, "forwardedProps", at, faults)
    for key, member in (("tools", "parameters"), ("resume", "payload")):
        if isinstance(entries := echo.get(key), list):
            for number, entry in enumerate(entries):
                _drop_null(entry, member, at.member(key).nth(number), faults)
    _messages(echo.get("messages"), at.member("messages"), faults)


def _messages(messages: Any, at: Place, faults: list[Fault]) -> None:
    for number, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and isinstance(parts := message.get("content"), list):
            message["content"] = _parts(parts, at.nth(number).member("content"), faults)


def _parts(parts: list[Any], at: Place, faults: list[Fault]) -> list[Any]:
    for number, part in enumerate(parts):
        if _modern(part):
            _drop_null(part, "metadata", at.nth(number), faults)
    contents: dict[Any, set[Any]] | None = None  # of the modern parts; collected when a legacy one is met
    kept: list[Any] = []
    for number, part in enumerate(parts):
        if not (isinstance(part, dict) and part.get("type") == "binary"):
            kept.append(part)
            continue
        place = at.nth(number)
        new = _convert(part)
        if new is None:
            faults.append(_unconvertible(place))
        elif new is part:
            kept.append(part)  # without a media type it is just an unknown part, enforcement's business
        else:
            contents = _contents(parts) if contents is None else contents
            again = _listed(new, contents)
            faults.append(_converted(place, str(new["type"]), again))
            kept += [] if again else [new]
    return kept


def _convert(part: Wire) -> Wire | None:
    """The modern part; None when it holds no content; the part itself when it has no media type."""
    given = next(((k, part[k]) for k in ("data", "url") if _truthy(part.get(k))), None)
    if given is None:
        return None
    if not isinstance(mime := part.get("mimeType"), str):
        return part
    family = mime.split("/", 1)[0] if "/" in mime else ""
    source = {"type": given[0], "value": given[1], "mimeType": mime}
    new = {"type": family if family in _MEDIA[:3] else "document", "source": source}
    return new | ({"metadata": {"filename": part["filename"]}} if _truthy(part.get("filename")) else {})


def _truthy(value: Any) -> bool:
    """As the reference client's language has it: an empty list or object counts."""
    return (
        value is not None
        and value is not False
        and value != ""
        and not (value == 0 and kind_of(value) == "a number")
    )


def _modern(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _MEDIA


def _contents(parts: list[Any]) -> dict[Any, set[Any]]:
    """What the modern parts of a message hold -> the file names they keep for it."""
    held: dict[Any, set[Any]] = {}
    for part in filter(_modern, parts):
        extra = part.get("metadata")
        names = held.setdefault(_essence(part), set())
        if isinstance(extra, dict) and "filename" in extra:
            names.add(_frozen(extra["filename"]))
    return held


def _listed(new: Wire, contents: dict[Any, set[Any]]) -> bool:
    names = contents.get(_essence(new))
    if names is None or "metadata" not in new:  # only a legacy file name must be kept by the modern part
        return names is not None
    return _frozen(new["metadata"]["filename"]) in names


def _essence(part: Wire) -> Any:
    source = part.get("source")
    source = source if isinstance(source, dict) else {}
    return _frozen([part["type"], source.get("type"), source.get("value"), source.get("mimeType")])


def _frozen(value: Any) -> Any:
    """A JSON value as a key: equal where the values are."""
    if isinstance(value, dict):
        return frozenset((key, _frozen(inner)) for key, inner in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _converted(place: Place, kind: str, again: bool) -> Fault:
    title = f"`{place.where}` is a retired `binary` part"
    why = (
        f"A client reads it as an `{kind}` part."
        if kind[0] in "ai"
        else f"A client reads it as a `{kind}` part."
    )
    if again:
        why = f"The message has the same content as a `{kind}` part already, so a client leaves this one out."
    return Fault("AGUI-CMP-04", place.path, title, why)


def _unconvertible(place: Place) -> Fault:
    title = f"`{place.where}` is a retired `binary` part with neither `data` nor `url`"
    return Fault("AGUI-CMP-05", place.path, title, "A client cannot convert it and leaves the part out.")
