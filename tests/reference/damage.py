"""Injuries for generated streams: lost, doubled and swapped events, wrong members, broken JSON.

Rules of this file: one injury a call, at random; nothing here knows whether a client minds it.
"""

from __future__ import annotations

import random
from typing import Any

from webapp.core.agui.events import EVENTS

Event = dict[str, Any]

MESSAGES = ("m1", "m2", "m3", "m4")
CALLS = ("c1", "c2", "c3", "m1")
REASONINGS = ("r1", "r2", "m2")
WRONG = (None, 5, 1.5, True, "", "x", [], {}, [1], {"type": "x"}, {"a": None})
STRANGE_TYPES = (
    "text_message_start",
    "RUN_PAUSED",
    "EventType.RUN_STARTED",
    "THINKING_START",
    "",
    "constructor",
)
STRANGE_KEYS = (
    "extra",
    "message_id",
    "threadId",
    "messageId",
    "toolCallId",
    "constructor",
    "toString",
    "usage",
)
KNOWN = tuple(EVENTS)


def damage(rng: random.Random, events: list[Event]) -> None:
    """One random injury."""
    at = rng.randrange(len(events))
    event = dict(events[at])
    what = rng.randrange(12)
    if what == 0:
        del events[at]
        return
    if what == 1:
        events.insert(rng.randrange(len(events) + 1), event)
        return
    if what == 2:
        other = min(at + rng.randrange(1, 4), len(events) - 1)
        events[at], events[other] = events[other], events[at]
        return
    members = [key for key in event if key != "type"]
    if what == 3:
        event["subagentRunId"] = rng.choice(("s1", "s2", "s9", "", None, 5))
    elif what == 4:
        event.pop("subagentRunId", None)
    elif what == 5 and members:
        event[rng.choice(members)] = rng.choice(WRONG)
    elif what == 6 and members:
        del event[rng.choice(members)]
    elif what == 7:
        event[rng.choice(STRANGE_KEYS)] = rng.choice(("x", 1, None))
    elif what == 8:
        event["type"] = rng.choice((*STRANGE_TYPES, *KNOWN))
    elif what == 9:
        event[
            rng.choice(("metadata", "timestamp", "rawEvent", "parentMessageId", "role", "name", "result"))
        ] = rng.choice(WRONG)
    elif what == 10:
        for key in ("messageId", "toolCallId"):
            if key in event:
                event[key] = rng.choice((*MESSAGES, *CALLS, *REASONINGS))
    else:
        _wound(rng, event)
    events[at] = event


def _wound(rng: random.Random, value: Any) -> None:
    """A wrong value somewhere inside."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        pairs = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
        for key, inner in pairs:
            if isinstance(inner, dict | list):
                copy = dict(inner) if isinstance(inner, dict) else list(inner)
                node[key] = copy
                waiting.append(copy)
            places.append((node, key))
    inner_places = [place for place in places if place[0] is not value] or places
    if not inner_places:  # an event that has lost everything already
        return
    holder, key = rng.choice(inner_places)
    if isinstance(holder, dict) and rng.random() < 0.4:
        if rng.random() < 0.5:
            del holder[key]
        else:
            holder[rng.choice(STRANGE_KEYS)] = 1
    else:
        holder[key] = rng.choice(WRONG)


def garble(rng: random.Random, payload: str) -> str:
    """The payload with an injury below the level of values; always one line."""
    cut = rng.randrange(len(payload) + 1)
    return rng.choice((
        payload[:cut], payload[:-1], payload + payload, payload + " x", f" \t{payload} ", f"[{payload}]",
        payload[:-1] + ',"metadata":{"n":NaN}}', payload[:-1] + ',"timestamp":1e3}',
        payload[:-1] + ',"timestamp":1e400}', payload[:-1] + ',"timestamp":9007199254740993}',
        payload[:-1] + f',"type":"{rng.choice(KNOWN)}"}}', payload[:-1] + ',"messageId":"m1"}',
        payload.replace(":", " : "), payload.replace('"m1"', '"\\u006d1"'), payload[:-1] + ",}",
        payload[:-1] + ',"metadata":{"big":123456789012345678901234567890,"deep":' + "[" * 50 + "]" * 50 + "}}",
        "", " ", "null", "[DONE]", "5", '"text"', "[]", "{}", '{"type":null}', '{"type":""}', "<html>", "\x00",
    ))  # fmt: skip
