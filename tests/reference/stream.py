"""A random AG-UI stream under construction: its parts, and where runs begin and end.

Rules of this file: small pools of ids and tags, so that items collide; it remembers roughly what is open, so that most
of what comes out is legal. It knows the protocol's shapes and nothing of what a client says about them.
"""

from __future__ import annotations

import random
from typing import Any

from tests.reference.damage import CALLS, MESSAGES, REASONINGS

Event = dict[str, Any]

TAGS = (None, None, None, "s1", "s2", "s3", "")
ACTIVITIES = ("a1", "a2", "m3")
DATA = {"type": "data", "value": "AAAA", "mimeType": "x/y"}
STEPS = ("plan", "act")
DELTAS = ("", "a", "hello ", "한글", '{"k":', "1}", "👩‍🚀", "\ud83d", "\ude80")
ROLES = ("assistant", "user", "system", "developer")
STANDS_ASIDE = ("RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED")


class Stream:
    """One stream under construction; remembers roughly what is open, so that most of it is legal."""

    def __init__(self, rng: random.Random, longest: int, chaos: float) -> None:
        self.rng, self.longest, self.chaos = rng, longest, chaos
        self.events: list[Event] = []
        self.runs = 0
        self.forget()

    def forget(self) -> None:
        self.text: dict[str, str | None] = {}
        self.calls: dict[str, str | None] = {}
        self.reasoning: dict[str, str | None] = {}
        self.spans: dict[str, str | None] = {}
        self.steps: list[tuple[str | None, str]] = []
        self.agents: list[str] = []
        self.ended: set[str] = set()
        self.owners: dict[tuple[str, str], str | None] = {}
        self.lanes: dict[str | None, tuple[str, str]] = {}

    # ── parts ──

    def tag(self) -> str | None:
        return self.rng.choice(TAGS)

    def maybe(self, event: Event, tag: str | None = None, chance: float = 1.0) -> Event:
        """The event with a tag and, now and then, the members every event may have."""
        rng = self.rng
        if tag is not None and rng.random() < chance:
            event["subagentRunId"] = tag
        if rng.random() < 0.05:
            event["metadata"] = rng.choice(({}, {"a": 1}, {"a": None, "b": [1]}, {"b": {"c": 2}}))
        if rng.random() < 0.05:
            event["timestamp"] = rng.choice((0, 1700000000000, -5, 1000.0))
        if rng.random() < 0.02:
            event["rawEvent"] = rng.choice(({"x": 1}, "raw", 0, False))
        return event

    def patch(self) -> list[Event]:
        rng = self.rng
        pool: list[Event] = [
            {"op": "add", "path": "/a", "value": rng.choice((1, None, {"b": []}))},
            {"op": "add", "path": "/list", "value": [1, 2]},
            {"op": "add", "path": "/list/-", "value": 3},
            {"op": "replace", "path": "/a", "value": "r"},
            {"op": "remove", "path": "/a"},
            {"op": "test", "path": "/a", "value": 1},
            {"op": "copy", "from": "/a", "path": "/b"},
            {"op": "move", "from": "/b", "path": "/c~1d"},
            {"op": "replace", "path": "", "value": {"a": 1}},
            {"op": "frobnicate", "path": "/a"},
            {"op": "remove", "path": "/list/0", "value": "left over"},
        ]
        return [dict(rng.choice(pool)) for _ in range(rng.randrange(0, 3))]

    def parts(self) -> Any:
        rng = self.rng
        if rng.random() < 0.6:
            return rng.choice(("", "text", "a\nb"))
        pool: list[Event] = [
            {"type": "text", "text": "t"},
            {"type": "image", "source": {"type": "url", "value": "https://e.invalid/i.png"}},
            {"type": "document", "source": dict(DATA), "metadata": {"n": 1}},
            {"type": "image", "source": {"type": "hologram", "value": "v"}},
            {"type": "hologram", "text": "t"},
            {"type": "binary", "mimeType": "image/png", "data": "AAAA", "filename": "f.png"},
            {"type": "binary", "mimeType": "x/y", "url": "u"},
            {"type": "image", "source": {"type": "data", "value": "AAAA", "mimeType": "image/png"}},
            {"type": "binary", "mimeType": "image/png", "data": "AAAA"},
            {"type": "audio", "source": {"type": "file", "value": "f1"}, "id": "p1"},
        ]
        return [dict(rng.choice(pool)) for _ in range(rng.randrange(0, 4))]

    def message(self) -> Event:
        rng = self.rng
        role = rng.choice((*ROLES, "tool", "reasoning", "activity", "assistant"))
        id_ = rng.choice((*MESSAGES, *REASONINGS, *ACTIVITIES, "h1", "h2"))
        out: Event = {"id": id_, "role": role}
        if role == "activity":
            out |= {"activityType": "card", "content": {"a": 1}}
        elif role == "tool":
            out |= {"toolCallId": rng.choice(CALLS), "content": self.parts()}
        elif role == "user":
            out["content"] = self.parts()
        elif role != "assistant" or rng.random() < 0.6:
            out["content"] = rng.choice(("", "held"))
        if role == "assistant" and rng.random() < 0.6:
            out["toolCalls"] = [
                {"id": rng.choice(CALLS), "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ]
        if rng.random() < 0.1 and role not in ("tool", "reasoning", "activity"):
            out["name"] = "n"
        if rng.random() < 0.1:
            out["metadata"] = {"m": 1}
        if rng.random() < 0.05 and role != "activity":
            out["encryptedValue"] = "e"
        if (tag := self.tag()) is not None and rng.random() < 0.5:
            out["subagentRunId"] = tag
        return out

    def messages(self) -> list[Event]:
        return [self.message() for _ in range(self.rng.randrange(0, 5))]

    # ── moves: each appends one event ──

    def add(self, event: Event) -> None:
        """Appends the event and remembers which chunk streams it ends and whom it makes an owner."""
        self.events.append(event)
        name, tag = event["type"], event.get("subagentRunId")
        if name.startswith("RUN_") or name == "MESSAGES_SNAPSHOT":
            self.lanes.clear()
        elif not name.endswith("_CHUNK") and name not in STANDS_ASIDE:
            self.lanes.pop(tag, None)
        if name == "TOOL_CALL_RESULT":
            self.owners["text", event["messageId"]] = tag
        echo = event.get("input") or event
        for message in echo.get("messages", ()):
            kind = "reasoning" if message["role"] == "reasoning" else "text"
            self.owners[kind, message["id"]] = message.get("subagentRunId")
            for call in message.get("toolCalls", ()):
                self.owners["tool", call["id"]] = message.get("subagentRunId")

    def chunked(self, kind: str) -> set[str]:
        return {id_ for held, id_ in self.lanes.values() if held == kind}

    def start_run(self) -> None:
        self.forget()
        self.runs += 1
        event: Event = {"type": "RUN_STARTED", "threadId": "t1", "runId": f"run{self.runs}"}
        if self.rng.random() < 0.15:
            event["input"] = {"threadId": "t1", "runId": event["runId"], "messages": self.messages()}
            if self.rng.random() < 0.3:
                event["input"] |= {"state": self.rng.choice((None, {"z": 1})), "tools": [], "context": []}
            if self.rng.random() < 0.2:
                event["input"]["forwardedProps"] = self.rng.choice((None, {}))
        if self.rng.random() < 0.1:
            event["protocolVersion"] = self.rng.choice(("1.0", "0.9"))
        self.add(self.maybe(event))

    def finish_run(self) -> None:
        if self.rng.random() < 0.9:
            self.close_all()
        event: Event = {"type": "RUN_FINISHED", "threadId": "t1", "runId": f"run{self.runs}"}
        if self.rng.random() < 0.3:
            event["outcome"] = self.rng.choice((
                {"type": "success"}, {"type": "success", "pendingToolCallIds": ["c1"]}, {"type": "cancelled"},
                {"type": "interrupt", "interrupts": [{"id": "i1", "reason": "approve"}]}, {"type": "unknown"}, None,
                {"type": "success", "interrupts": []}, {},
            ))  # fmt: skip
        if self.rng.random() < 0.1:
            event["result"] = self.rng.choice((None, 1, {"a": 1}))
        self.add(self.maybe(event))

    def fail_run(self) -> None:
        self.add(self.maybe({"type": "RUN_ERROR", "message": "boom"}))

    def close_all(self) -> None:
        for id_, tag in self.text.items():
            self.add(self.maybe({"type": "TEXT_MESSAGE_END", "messageId": id_}, tag, 0.5))
        for id_, tag in self.calls.items():
            self.add(self.maybe({"type": "TOOL_CALL_END", "toolCallId": id_}, tag, 0.5))
        for id_, tag in self.reasoning.items():
            self.add(self.maybe({"type": "REASONING_MESSAGE_END", "messageId": id_}, tag, 0.5))
        for id_, tag in self.spans.items():
            self.add(self.maybe({"type": "REASONING_END", "messageId": id_}, tag, 0.5))
        for tag, name in self.steps:
            self.add(self.maybe({"type": "STEP_FINISHED", "stepName": name}, tag))
        for id_ in self.agents:
            self.add({"type": "SUBAGENT_FINISHED", "subagentRunId": id_})
