"""From a payload's bytes to one JSON object, as a client's reader does it; the slow way, with reasons.

Rules of this file: JSON only; of events only their `type` counts. It accepts what `JSON.parse` accepts
after a replacing UTF-8 decoder: lone surrogates and numbers of any size pass, `NaN` does not. Nothing raises.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from webapp.core.agui.blame import Fault, kind_of, shown
from webapp.core.agui.repeats import (
    BLANK,
    NotJson,
    duplicate_keys,
    repeats,
    scanner,
)

__all__ = ["FRAGMENT", "Read", "duplicate_keys", "precheck"]

FRAGMENT = "the payload is a fragment of JSON"
SOME_CANNOT = "No rule forbids that, but some clients run out of stack on it."
LEFT_OUT = (
    "No rule forbids that, but this tool cannot read so deep and leaves the event out; nor can some clients."
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_GAP = re.compile(r"[ \t\r\n]*")
# what is left of a literal or a number that was cut short
_CUT = re.compile(r"|t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?")
_TYPE = re.compile(r'\s*:\s*("(?:[^"\\]|\\.)*")')


class Read(msgspec.Struct):
    """What became of a payload.

    kind: object | undecodable (no JSON object) | malformed (an object, but nothing can be done with it) | deep (this
        tool cannot read it)
    value: the object; type: its `type` when it is a string; faults: fatal first
    """

    kind: str
    value: dict[str, Any] | None = None
    type: str | None = None
    faults: list[Fault] = []


def _text(raw: bytes) -> tuple[str, list[Fault]]:
    try:
        return raw.decode(), []
    except UnicodeDecodeError as error:
        title = f"the payload is not UTF-8 from its byte {error.start} on"
        why = "A client reads each wrong sequence as U+FFFD, so characters are lost."
        return raw.decode(errors="replace"), [Fault("AGUI-TRN-17", None, title, why)]


def precheck(raw: bytes, max_depth: int = 200) -> Read:
    """The payload as an object with a type, or the framing rule that it breaks.

    A broken payload that could go on in the next frame is AGUI-TRN-02, whatever the carrier: only SSE has
    frames, so the caller turns it into AGUI-TRN-03 elsewhere.
    """
    text, faults = _text(raw)
    text = text.removeprefix("\ufeff").strip(BLANK)
    if not text:
        return _lost(faults, "AGUI-TRN-07", "the data is empty", "An empty payload carries no event.")
    twice: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice.append(pairs[0][0])
        return found

    reader = scanner(collect)
    try:
        value, end = reader.raw_decode(text)
    except RecursionError:
        return _too_deep(text, faults, max_depth)
    except NotJson as error:
        why = "JSON has no such number, and a client fails to parse the payload."
        return _lost(faults, "AGUI-TRN-03", f"the payload holds `{error}`", why)
    except json.JSONDecodeError as error:
        return _broken(text, error, faults)
    if end < len(text):
        return _trailing(reader, text, end, faults)
    faults += [repeated(path) for path in (repeats(text) if twice else ())]
    return _judge(value, text, faults, max_depth)


def _judge(value: Any, text: str, faults: list[Fault], max_depth: int) -> Read:
    if not isinstance(value, dict):
        why = "One payload is one event, and an event is an object."
        return _lost(faults, "AGUI-TRN-04", f"the payload is {kind_of(value)} where an object is due", why)
    name = value.get("type")
    kind = name if isinstance(name, str) else None
    # the count is an upper bound of the depth and far cheaper than a walk
    if text.count("{") + text.count("[") > max_depth and _depth(value) > max_depth:
        faults = [_deep(max_depth, SOME_CANNOT), *faults]
    if not name or kind is None:
        title = (
            "`type` is missing"
            if "type" not in value
            else f"`type` is {kind_of(name)} where an event type is due"
        )
        title = "`type` is empty" if name == "" else title
        path = "$.type" if "type" in value else "$"
        why = "A client cannot tell what the object is."
        return Read("malformed", value, None, [Fault("AGUI-TRN-05", path, title, why), *faults])
    return Read("object", value, kind, faults)


def _lost(faults: list[Fault], rule: str, title: str, why: str) -> Read:
    return Read("undecodable", faults=[Fault(rule, None, title, why), *faults])


def _broken(text: str, error: json.JSONDecodeError, faults: list[Fault]) -> Read:
    if text[0] in "{[" and _unfinished(text, error):
        why = "Either the rest stands in the next frame, or the recording was cut."
        return _lost(faults, "AGUI-TRN-02", FRAGMENT, why)
    if text == "[DONE]":
        why = "Other streaming APIs end that way; this protocol ends by closing the body."
        return _lost(faults, "AGUI-TRN-03", "the payload is `[DONE]`, which is no JSON", why)
    near = shown(text[error.pos : error.pos + 20])
    title = f"the payload is not JSON from its character {error.pos} on" + (f", `{near}`" if near else "")
    return _lost(faults, "AGUI-TRN-03", title, "A client fails to parse it.")


def _unfinished(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text would be fine if it only went on."""
    if error.msg.startswith("Unterminated string"):
        return True
    tail = text[error.pos :]
    if "escape" in error.msg:
        return len(tail) <= 6 and '"' not in tail[1:]
    return _CUT.fullmatch(tail) is not None


def _trailing(reader: json.JSONDecoder, text: str, end: int, faults: list[Fault]) -> Read:
    """More text after a first JSON value: more events, or rubbish."""
    first, count = end, 1
    try:
        while end < len(text):
            start = _GAP.match(text, end).end()  # type: ignore[union-attr]  # it matches nothing, too
            _, end = reader.raw_decode(text, start)
            count += 1
    except (RecursionError, NotJson, json.JSONDecodeError) as error:
        cut = isinstance(error, json.JSONDecodeError) and text[start] in "{[" and _unfinished(text, error)
        if not cut:
            title = f"the payload goes on after its JSON with `{shown(text[first:].lstrip(BLANK)[:20])}`"
            return _lost(faults, "AGUI-TRN-03", title, "A client fails to parse it.")
        count += 1
    title = f"the payload holds {count} JSON documents"
    why = "One frame is one event. Usually the empty line between two events is missing."
    return _lost(faults, "AGUI-TRN-02", title, why)


def repeated(path: str) -> Fault:
    """TRN-18 of one member, however it was found."""
    title = f"the event names `{shown(path.removeprefix('$.'))}` twice"
    return Fault("AGUI-TRN-18", path, title, "Parsers keep the last one without a word.")


# ── depth ────────────────────────────────────────────────────


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level:
        depth += 1
        inner = (v.values() if isinstance(v, dict) else v for v in level)
        level = [child for children in inner for child in children if isinstance(child, dict | list)]
    return depth


def too_deep(max_depth: int) -> Fault:
    """What is said of an event that this tool cannot follow."""
    return _deep(max_depth, LEFT_OUT)


def _deep(max_depth: int, why: str) -> Fault:
    title = f"the event is nested more than {max_depth} levels deep"
    return Fault("AGUI-ENV-04", "$", title, why, severity="warning")


def _too_deep(text: str, faults: list[Fault], max_depth: int) -> Read:
    """A text too deep to parse: only its brackets and its own `type` are looked at."""
    if text[0] != "{":
        return _lost(faults, "AGUI-TRN-04", "the payload is a list where an object is due", "")
    level, name = 0, None
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            level += 1
        elif token[0] in "}]":
            level -= 1
        elif level == 1 and token[0] == '"type"' and (found := _TYPE.match(text, token.end())):
            try:
                name = json.loads(found[1])
            except ValueError:
                name = None
    if level != 0:
        why = "Its brackets do not match."
        return _lost(faults, "AGUI-TRN-02" if level > 0 else "AGUI-TRN-03", FRAGMENT, why)
    return Read("deep", None, name or None, [too_deep(max_depth), *faults])
