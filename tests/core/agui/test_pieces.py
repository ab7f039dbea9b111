"""The short way of pieces and chunks does what the long way does, whatever the stream."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

from tests.streams import finished, started
from webapp.core.agui import verify
from webapp.core.agui.engine import AguiEngine
from webapp.core.agui.wire import delivered_events
from webapp.core.records import Step

OPENERS = ("TEXT_MESSAGE", "REASONING_MESSAGE", "TOOL_CALL")
TAGS: tuple[str | None, ...] = (None, None, None, "s1", "s2")


def told(step: Step, raw: bytes) -> Any:
    """All that a step says, copied, since items change in place."""
    derived = [(made.number, made.change, made.delta, made.item) for made in step.synthesized]
    findings = [finding.public() for finding in (*step.findings, *step.amended)]
    plain = (step.seq, step.type, step.lane, step.change, step.delta, step.reached, step.ts, step.run)
    return msgspec.to_builtins([plain, step.item, step.event, derived, findings, delivered_events(step, raw)])


def replayed(events: list[dict[str, Any]]) -> list[Any]:
    engine = AguiEngine(None, max_depth=200, max_findings=1_000)
    out = []
    for event in events:
        raw = json.dumps(event).encode()
        out.append(told(engine.feed(raw), raw))
    report = engine.finish("1")
    out.append([report.verdict, report.rejected_at, [finding.public() for finding in report.findings]])
    return [*out, engine.messages(), engine.world.held.wire()]


def tagged(rng: random.Random, event: dict[str, Any]) -> dict[str, Any]:
    tag = rng.choice(TAGS)
    more: dict[str, Any] = {} if tag is None else {"subagentRunId": tag}
    if rng.random() < 0.04:
        more["metadata"] = {"example.com/n": rng.randrange(9)}
    if rng.random() < 0.02:
        more["rawEvent"] = {"n": 1}
    if rng.random() < 0.2:
        more["timestamp"] = 1_795_982_659_000 + rng.randrange(50)
    return {**event, **more}


def drawn(rng: random.Random) -> dict[str, Any]:
    """Mostly pieces and chunks of a few items in three lanes, now and then what opens, ends or removes them."""
    kind = rng.choice(OPENERS)
    field = "toolCallId" if kind == "TOOL_CALL" else "messageId"
    id_, delta = rng.choice("mn"), rng.choice(["", "a", 'say ":"', "{", "x: y"])
    chance = rng.random()
    if chance < 0.45:
        name = f"{kind}_{'ARGS' if kind == 'TOOL_CALL' else 'CONTENT'}"
        return tagged(rng, {"type": name, field: f"{kind}-{id_}", "delta": delta})
    if chance < 0.75:
        kind = "TEXT_MESSAGE" if rng.random() < 0.6 else kind
        field = "toolCallId" if kind == "TOOL_CALL" else "messageId"
        event: dict[str, Any] = {"type": f"{kind}_CHUNK"}
        if rng.random() < 0.95:
            event["delta"] = delta
        if rng.random() < 0.4:
            event[field] = f"{kind}-{id_}"
        if kind == "TOOL_CALL" and rng.random() < 0.4:
            event["toolCallName"] = "look"
        if kind == "TEXT_MESSAGE" and rng.random() < 0.1:
            event["role"] = rng.choice(["assistant", "user"])
        return tagged(rng, event)
    if chance < 0.9:
        more = {"TOOL_CALL": {"toolCallName": "look"}, "REASONING_MESSAGE": {"role": "reasoning"}}.get(
            kind, {}
        )
        return tagged(rng, {"type": f"{kind}_START", field: f"{kind}-{id_}", **more})
    if chance < 0.94:
        return tagged(rng, {"type": f"{kind}_END", field: f"{kind}-{id_}"})
    return rng.choice(
        [
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "TEXT_MESSAGE-m", "role": "assistant"}]},
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "h", "role": "user", "content": "hi"}]},
            *[{"type": "SUBAGENT_STARTED", "subagentRunId": "s1", "name": "desk"}] * 2,
            *[{"type": "SUBAGENT_FINISHED", "subagentRunId": "s1"}] * 2,
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "TEXT_MESSAGE-m", "delta": None},
            {"type": "CUSTOM", "name": "shop.x", "value": {"a": 1}},
            finished(),
            started(run="r2"),
        ]
    )


def stream(rng: random.Random) -> list[dict[str, Any]]:
    """Pieces come in rows, as they do; in a row another id, or a tag more or less, turns up now and then."""
    events: list[dict[str, Any]] = [] if rng.random() < 0.2 else [started()]
    for _ in range(70):
        last = events[-1] if events else {}
        if rng.random() < 0.6 and last.get("type", "").endswith(("_CONTENT", "_ARGS", "_CHUNK")):
            event = {key: value for key, value in last.items() if key != "timestamp"}
            if rng.random() < 0.4:
                field = "toolCallId" if event["type"].startswith("TOOL") else "messageId"
                event[field] = event["type"].rpartition("_")[0] + rng.choice(["-m", "-n"])
            events.append(event)
        else:
            events.append(drawn(rng))
    return events


@pytest.mark.parametrize("seed", range(200))
def test_the_short_way_says_what_the_long_way_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps, findings, verdict and messages are the same when every event goes to `judge`."""
    rng = random.Random(seed)
    events = stream(rng)
    short = replayed(events)
    for route in verify.ROUTES.values():
        monkeypatch.setattr(route, "plain", False)
    assert replayed(events) == short


def test_the_short_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain pieces and chunks never reach `judge`: else the test above compares nothing."""
    seen: list[str] = []
    judge = verify.judge

    def noted(w: Any, route: verify.Route, event: Any) -> Any:
        seen.append(route.type)
        return judge(w, route, event)

    monkeypatch.setattr("webapp.core.agui.engine.judge", noted)
    events = [started(), {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "desk"}]
    for kind, field in (
        ("TEXT_MESSAGE", "messageId"),
        ("REASONING_MESSAGE", "messageId"),
        ("TOOL_CALL", "toolCallId"),
    ):
        name = {"toolCallName": "look"} if kind == "TOOL_CALL" else {}
        more = {"role": "reasoning"} if kind == "REASONING_MESSAGE" else {}
        part = "ARGS" if kind == "TOOL_CALL" else "CONTENT"
        events += [
            {"type": f"{kind}_START", field: f"{kind}-1", **name, **more},
            *({"type": f"{kind}_{part}", field: f"{kind}-1", "delta": "12: 3"} for _ in range(3)),
            {"type": f"{kind}_END", field: f"{kind}-1"},
            {"type": f"{kind}_CHUNK", field: f"{kind}-2", "delta": "1", "subagentRunId": "s", **name},
            *({"type": f"{kind}_CHUNK", "delta": "2: 3", "subagentRunId": "s"} for _ in range(3)),
            {"type": f"{kind}_CHUNK", field: f"{kind}-2", "delta": "3", "subagentRunId": "s"},
        ]
    replayed(events)
    assert not [name for name in seen if name.endswith(("_CONTENT", "_ARGS"))]
    assert [name for name in seen if name.endswith("_CHUNK")] == [f"{kind}_CHUNK" for kind in OPENERS]
