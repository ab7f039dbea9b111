"""What a random stream may do next: one move an event or so, chosen by weight.

Rules of this file: each move appends to the stream; `build` chooses. With `chaos` a move may be an illegal one.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.reference.damage import CALLS, MESSAGES, REASONINGS
from tests.reference.stream import ACTIVITIES, DELTAS, ROLES, STEPS, Event, Stream


class Moves(Stream):
    """A stream that builds itself."""

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
            # sorted, since a set has another order in each process
            known = [*self.agents, *sorted(self.ended)] if rng.random() > self.chaos else ["s1", "s3", "s9"]
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
