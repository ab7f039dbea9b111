"""Recordings to measure with: legal, mixed, of any length, always the same bytes for the same length and mix.

Rules of this file: what a stream is made of. Every turn has messages, tool calls with results, reasoning, steps,
subagents, chunks, state, activity, custom events; the mixes differ in how long its texts are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

TEXT = "The order was shipped on Tuesday and should arrive before the weekend, said the carrier."
WORDS = TEXT.split()


@dataclass(frozen=True, slots=True)
class Mix:
    """How long the texts of a turn are: words reasoned, words answered. A turn has 17 chunks whatever the mix."""

    thought: int
    answer: int

    @property
    def turn(self) -> int:
        """Events of a turn."""
        return len(list(_turn(0, self.thought, self.answer)))


RECORDED = Mix(3 * len(WORDS), 8 * len(WORDS))  # long texts, as in real recordings: see `holds`
SHORT = Mix(len(WORDS), 2 * len(WORDS))  # short ones: twice as many chunks, openers, ends and state changes
LEAST = 3  # words a cut last turn still answers


def _turn(number: int, thought: int, answer: int) -> Iterator[dict[str, Any]]:
    """One turn of a conversation, of 22 event types, in which so many words are reasoned and answered."""
    m, c, r, s, q = (f"{kind}-{number}" for kind in ("msg", "call", "think", "sub", "chunk"))
    yield {"type": "STEP_STARTED", "stepName": f"turn {number}"}
    yield {"type": "REASONING_START", "messageId": r}
    yield {"type": "REASONING_MESSAGE_START", "messageId": r, "role": "reasoning"}
    for word in (f"Parcel {number}:", *islice(cycle(WORDS), thought)):
        yield {"type": "REASONING_MESSAGE_CONTENT", "messageId": r, "delta": word + " "}
    yield {"type": "REASONING_MESSAGE_END", "messageId": r}
    yield {"type": "REASONING_END", "messageId": r}
    yield {"type": "TEXT_MESSAGE_START", "messageId": m, "role": "assistant"}
    for word in (f"Parcel {number}:", *islice(cycle(WORDS), answer)):
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": m, "delta": word + " "}
    yield {"type": "TEXT_MESSAGE_END", "messageId": m}
    yield {"type": "TOOL_CALL_START", "toolCallId": c, "toolCallName": "track_parcel", "parentMessageId": m}
    for piece in ('{"par', 'cel":', ' "A', f'{number}"', "}"):
        yield {"type": "TOOL_CALL_ARGS", "toolCallId": c, "delta": piece}
    yield {"type": "TOOL_CALL_END", "toolCallId": c}
    yield {
        "type": "TOOL_CALL_RESULT",
        "messageId": f"result-{number}",
        "toolCallId": c,
        "content": "on its way",
    }
    yield {"type": "STATE_SNAPSHOT", "snapshot": {"parcel": number, "stage": "shipped"}}
    yield {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/stage", "value": "arrived"}]}
    yield {"type": "SUBAGENT_STARTED", "subagentRunId": s, "name": "carrier-desk"}
    yield {
        "type": "TEXT_MESSAGE_CHUNK",
        "messageId": q,
        "role": "assistant",
        "delta": f"No. {number}: ",
        "subagentRunId": s,
    }
    for word in WORDS:
        yield {"type": "TEXT_MESSAGE_CHUNK", "delta": word + " ", "subagentRunId": s}
    yield {"type": "SUBAGENT_FINISHED", "subagentRunId": s}
    yield {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": f"card-{number}",
        "activityType": "MAP",
        "content": {"n": number},
    }
    yield {"type": "CUSTOM", "name": "shop.progress", "value": {"turn": number}}
    yield {"type": "STEP_FINISHED", "stepName": f"turn {number}"}


def events(count: int, mix: Mix = RECORDED) -> Iterator[bytes]:
    """`count` events as compact JSON, each with a timestamp 7 ms after the one before it: one legal run.

    It is turns to its end: the last one answers as briefly or as long as the count asks for.
    """
    made = 0

    def line(event: dict[str, Any]) -> bytes:
        nonlocal made
        stamped = {"type": event.pop("type"), "timestamp": 1_795_982_659_000 + 7 * made, **event}
        made += 1
        return json.dumps(stamped, separators=(",", ":")).encode()

    yield line({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.1"})
    size = mix.turn
    least = size - mix.answer + LEAST
    turn = 0
    while (left := count - made - 1) >= least:
        cut = 0 if left == size or left - size >= least else left - size
        yield from map(line, list(_turn(turn, mix.thought, mix.answer + cut)))
        turn += 1
    while made < count - 1:
        yield line({"type": "CUSTOM", "name": "shop.tail", "value": made})
    yield line({"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1", "outcome": {"type": "success"}})


def holds(mix: Mix) -> str:
    """What a stream of this mix is made of, counted: `91 % deltas (chunks: 8 %), 9 % others; 205 events a turn`."""
    types = [json.loads(line)["type"] for line in events(10 * mix.turn, mix)]
    chunks = sum(name.endswith("_CHUNK") for name in types) / len(types)
    deltas = chunks + sum(name.endswith(("_CONTENT", "_ARGS")) for name in types) / len(types)
    return f"{deltas:.0%} deltas (chunks: {chunks:.0%}), {1 - deltas:.0%} others; {mix.turn} events a turn"


def state_heavy(count: int, kilobytes: int) -> Iterator[bytes]:
    """A snapshot of about that many kB and `count` patches of it, one in a hundred failing, as an SSE body.

    The patches replace, add, remove and move all over the value, so that its size stays about the same.
    """

    def sent(event: dict[str, Any]) -> bytes:
        return b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"

    rows = max(8, kilobytes * 1000 // 191)
    orders = [
        {
            "id": f"order-{n}",
            "stage": "new",
            "note": TEXT,
            "lines": [{"sku": f"A-{n}", "qty": n % 7}],
            "paid": False,
        }
        for n in range(rows)
    ]
    yield sent({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"})
    yield sent({"type": "STATE_SNAPSHOT", "snapshot": {"orders": orders, "log": [], "turn": 0, "spare": {}}})
    for n in range(count):
        row = f"/orders/{n * 7919 % rows}"
        patch: list[dict[str, Any]] = [
            {"op": "replace", "path": f"{row}/stage", "value": f"stage {n}"},
            {"op": "replace", "path": "/turn", "value": n},
        ]
        if n % 100 == 50:
            patch.append({"op": "remove", "path": f"/orders/{rows + n}"})
        elif n % 3 == 0:
            patch.append({"op": "replace", "path": f"{row}/lines/0/qty", "value": n})
        elif n % 3 == 1:
            patch.append({"op": "add", "path": f"/spare/k{n % 40}", "value": {"n": n, "words": WORDS[:3]}})
        else:
            patch.append({"op": "move", "from": row, "path": "/orders/0"})
        yield sent({"type": "STATE_DELTA", "delta": patch})
    yield sent({"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"})


def sse(count: int, mix: Mix = RECORDED) -> Iterator[bytes]:
    """The same events as an SSE body, an event at a time."""
    for event in events(count, mix):
        yield b"data: " + event + b"\n\n"


def array(count: int) -> Iterator[bytes]:
    """The same events as one JSON array."""
    for number, event in enumerate(events(count)):
        yield (b"[\n" if number == 0 else b",\n") + event
    yield b"\n]\n"
