"""Random AG-UI streams for the differential test: mostly legal, then damaged a little.

Rules of this file: the same seed gives the same streams; small pools of ids and tags, so that items collide; it knows
the protocol's shapes and nothing of what a client says about them. One JSON object a line on stdout:
{"name", "payloads": [string, …], "input"?}.

    python tests/reference/generate.py --seed 7 --count 2000 --longest 60
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from typing import Any

from damage import CALLS, MESSAGES, REASONINGS, damage, garble

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

    def item(
        self,
        open_: dict[str, str | None],
        pool: tuple[str, ...],
        field: str,
        kind: str,
        names: tuple[str, str, str],
    ) -> None:
        """Opens, continues or closes one streamed item."""
        rng = self.rng
        wild = rng.random() < self.chaos
        if wild or not open_ or rng.random() < 0.3:
            free = [i for i in pool if i not in open_ and i not in self.chunked(kind)]
            if not wild and not free:
                return
            id_ = rng.choice(pool if wild else free)
            tag = self.tag()
            owner = self.owners.get((kind, id_), tag)
            if not wild:
                tag = owner if rng.random() < 0.8 else None
            event: Event = {"type": names[0], field: id_}
            if kind == "text" and rng.random() < 0.6:
                event["role"] = rng.choice(ROLES)
            if kind == "text" and rng.random() < 0.1:
                event["name"] = rng.choice(("n", "o"))
            if kind == "tool":
                event["toolCallName"] = rng.choice(("f", "f", "g"))
                if rng.random() < 0.4:
                    parent = rng.choice((*MESSAGES, "h1"))
                    if wild or self.owners.get(("text", parent), tag) == self.owners.get((kind, id_), tag):
                        event["parentMessageId"] = parent
            if names[0] == "REASONING_MESSAGE_START":
                event["role"] = "reasoning"
            self.add(self.maybe(event, tag))
            open_[id_] = tag
            self.owners.setdefault((kind, id_), tag)
            return
        id_ = rng.choice(list(open_))
        tag = self.owners.get((kind, id_))
        if names[1] and rng.random() < 0.65:
            self.add(self.maybe({"type": names[1], field: id_, "delta": rng.choice(DELTAS)}, tag, 0.6))
            return
        self.add(self.maybe({"type": names[2], field: id_}, tag, 0.6))
        open_.pop(id_, None)

    def texts(self) -> None:
        names = ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END")
        self.item(self.text, MESSAGES, "messageId", "text", names)

    def tools(self) -> None:
        names = ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END")
        self.item(self.calls, CALLS, "toolCallId", "tool", names)

    def reasonings(self) -> None:
        names = ("REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END")
        self.item(self.reasoning, REASONINGS, "messageId", "reasoning", names)

    def span(self) -> None:
        self.item(self.spans, REASONINGS, "messageId", "reasoning", ("REASONING_START", "", "REASONING_END"))

    def chunk(self) -> None:
        rng = self.rng
        kind, type_, field, pool = rng.choice((
            ("text", "TEXT_MESSAGE_CHUNK", "messageId", MESSAGES),
            ("tool", "TOOL_CALL_CHUNK", "toolCallId", CALLS),
            ("reasoning", "REASONING_MESSAGE_CHUNK", "messageId", REASONINGS),
        ))  # fmt: skip
        lanes = [lane for lane, (held, _) in self.lanes.items() if held == kind]
        event: Event = {"type": type_}
        if lanes and rng.random() < 0.75:
            lane = rng.choice(lanes)
            tag = lane if rng.random() < 0.8 else None
            if rng.random() < 0.4:
                event[field] = self.lanes[lane][1]
        else:
            tag = lane = self.tag()
            explicit = {"text": self.text, "tool": self.calls, "reasoning": self.reasoning}[kind]
            taken = explicit.keys() | self.chunked(kind)
            free = [i for i in pool if i not in taken and self.owners.get((kind, i), lane) == lane]
            if not free and rng.random() > self.chaos:
                return
            id_ = rng.choice(free or pool)
            event[field] = id_
            self.lanes[lane] = (kind, id_)
            self.owners.setdefault((kind, id_), lane)
            if kind == "tool":
                event["toolCallName"] = "f"
                parent = rng.choice(MESSAGES)
                if rng.random() < 0.3 and self.owners.get(("text", parent), lane) == lane:
                    event["parentMessageId"] = parent
            if kind == "text" and rng.random() < 0.3:
                event["role"] = rng.choice(ROLES)
        if rng.random() < self.chaos:
            clash = rng.choice(
                ({"role": "user"}, {"name": "n"}, {"toolCallName": "g"}, {"parentMessageId": "m2"})
            )
            event.update(clash if rng.random() < 0.8 else {field: rng.choice(pool)})
        if rng.random() < 0.8:
            event["delta"] = rng.choice(DELTAS)
        self.add(self.maybe(event, tag))

    def result(self) -> None:
        event: Event = {
            "type": "TOOL_CALL_RESULT",
            "messageId": self.rng.choice(("x1", "x2", "x3", *MESSAGES[:2])),
            "toolCallId": self.rng.choice(CALLS),
            "content": self.parts(),
        }
        if self.rng.random() < 0.3:
            event["role"] = "tool"
        self.add(self.maybe(event, self.tag()))

    def step(self) -> None:
        rng = self.rng
        if self.steps and rng.random() < 0.6:
            tag, name = self.steps.pop(rng.randrange(len(self.steps)))
            self.add(self.maybe({"type": "STEP_FINISHED", "stepName": name}, tag))
            return
        key = (self.tag(), rng.choice(STEPS))
        if key in self.steps and rng.random() > self.chaos:
            return
        self.steps.append(key)
        self.add(self.maybe({"type": "STEP_STARTED", "stepName": key[1]}, key[0]))

    def agent(self) -> None:
        rng = self.rng
        if self.agents and rng.random() < 0.5:
            id_ = self.agents.pop(rng.randrange(len(self.agents)))
            self.ended.add(id_)
            event: Event = {"type": "SUBAGENT_FINISHED", "subagentRunId": id_}
            if rng.random() < 0.3:
                event |= rng.choice((
                    {"result": 1}, {"result": None}, {"outcome": {"type": "suspended"}}, {"outcome": {"type": "odd"}},
                ))  # fmt: skip
            elif rng.random() < 0.3:
                event = {"type": "SUBAGENT_ERROR", "subagentRunId": id_, "message": "boom"}
            self.add(event)
            return
        free = [s for s in ("s1", "s2", "s3", "") if s not in self.agents and s not in self.ended]
        if not free and rng.random() > self.chaos:
            return
        id_ = rng.choice(free or ["s1"])
        event = {"type": "SUBAGENT_STARTED", "subagentRunId": id_, "name": "n"}
        if rng.random() < 0.3:
            known = [*self.agents, *self.ended] if rng.random() > self.chaos else ["s1", "s3", "s9"]
            if known:
                event["parentSubagentRunId"] = rng.choice(known)
        self.agents.append(id_)
        self.add(event)

    def aside(self) -> None:
        rng = self.rng
        pool: list[Event] = [
            {"type": "STATE_SNAPSHOT", "snapshot": rng.choice(({"a": 1}, None, 0, "s", {"list": []}))},
            {"type": "STATE_DELTA", "delta": self.patch()},
            {"type": "RAW", "event": rng.choice((None, {"x": 1}))},
            {"type": "CUSTOM", "name": "com.example.x", "value": rng.choice((None, 1))},
            {
                "type": "ACTIVITY_SNAPSHOT", "messageId": rng.choice(ACTIVITIES), "activityType": "card",
                "content": {"a": 1}, **rng.choice(({}, {"replace": True}, {"replace": False})),
            },
            {
                "type": "ACTIVITY_DELTA", "messageId": rng.choice(ACTIVITIES), "activityType": "card2",
                "patch": self.patch(),
            },
            {
                "type": "REASONING_ENCRYPTED_VALUE", "subtype": rng.choice(("message", "tool-call")),
                "entityId": rng.choice((*MESSAGES, *CALLS, *REASONINGS)), "encryptedValue": "e",
            },
        ]  # fmt: skip
        tag = self.tag() if rng.random() < 0.3 else None
        event = rng.choice(pool)
        if event["type"] in ("ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE") and rng.random() > self.chaos:
            tag = None
        self.add(self.maybe(event, tag))

    def snapshot(self) -> None:
        self.add(self.maybe({"type": "MESSAGES_SNAPSHOT", "messages": self.messages()}))

    def thinking(self) -> None:
        rng = self.rng
        self.add({"type": "THINKING_START", **({"title": "t"} if rng.random() < 0.3 else {})})
        self.add({"type": "THINKING_TEXT_MESSAGE_START"})
        for _ in range(rng.randrange(0, 3)):
            self.add({"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": rng.choice(DELTAS)})
        self.add({"type": "THINKING_TEXT_MESSAGE_END"})
        self.add({"type": "THINKING_END"})

    # ── the whole ──

    def build(self) -> list[Event]:
        rng = self.rng
        moves: list[Callable[[], None]] = [
            self.texts, self.tools, self.reasonings, self.span, self.chunk, self.result, self.step, self.agent,
            self.aside, self.snapshot, self.thinking,
        ]  # fmt: skip
        weights = [rng.choice((0, 1, 3)) for _ in moves]
        weights[-1] = rng.choice((0, 0, 0, 1))
        weights[-2] = rng.choice((0, 0, 1))
        if not any(weights):
            weights[0] = 1
        if rng.random() < 0.05:
            self.fail_run()
        self.start_run()
        wanted = rng.randrange(2, self.longest)
        while len(self.events) < wanted:
            if rng.random() < 0.03:
                rng.choice((self.finish_run, self.finish_run, self.fail_run))()
                if rng.random() < 0.9:
                    self.start_run()
                continue
            rng.choices(moves, weights)[0]()
        if rng.random() < 0.8:
            self.finish_run()
            if rng.random() < 0.1:
                self.fail_run()
        return self.events


def streams(seed: int, count: int, longest: int) -> list[dict[str, Any]]:
    """`count` streams of at most about `longest` events."""
    out = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        chaos = rng.choice((0.0, 0.0, 0.02, 0.1))
        events = Stream(rng, longest, chaos).build()
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 5))):
            if events:
                damage(rng, events)
        stream: dict[str, Any] = {
            "name": f"{seed}/{number}",
            "payloads": [json.dumps(event, separators=(",", ":")) for event in events],
        }
        if rng.random() < 0.15 and events:
            at = rng.randrange(len(events))
            stream["payloads"][at] = garble(rng, stream["payloads"][at])
        if rng.random() < 0.1:
            stream["input"] = {
                "threadId": "t1",
                "runId": "run1",
                "state": {"a": 1},
                "messages": [
                    {"id": "h1", "role": "user", "content": "hi"},
                    {"id": "m4", "role": "assistant"},
                ],
            }
        out.append(stream)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--longest", type=int, default=60)
    given = parser.parse_args()
    for stream in streams(given.seed, given.count, given.longest):
        print(json.dumps(stream))


if __name__ == "__main__":
    main()
