"""Every legal event the protocol's own Python models produce is accepted without a finding worth a warning.

One legal run holds every event class but the snapshot of messages, which has a run of its own. Which optional members
are filled is chosen by the test: none, all, or any of them. The events go through the package's own encoder and this
project's reader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ag_ui import core as agui
from ag_ui.encoder import EventEncoder
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slices import examples
from webapp.core import Replay, Report
from webapp.core.agui.events import EVENTS
from webapp.readers.plain.sse import SseReader

Pick = Callable[[], bool]
NOW = 1_764_400_004_000
COMMON = {
    "timestamp": NOW,
    "raw_event": {"from": "model", "n": [1, None]},
    "metadata": {"com.example.trace": 7},
}
USAGE = {
    "provider": "example", "model": "large", "input_tokens": 30, "output_tokens": 12, "total_tokens": 42,
    "reasoning_tokens": 2, "cached_input_tokens": 10, "cache_write_input_tokens": 0,
}  # fmt: skip
EXTRA = {"com.example.note": "kept"}
SOURCES = (
    agui.DataSource(value="AAAA", mime_type="image/png"),
    agui.UrlSource(value="https://example.org/a.png", mime_type="image/png"),
    agui.FileSource(value="file-1", provider="example", mime_type="image/png"),
)
PARTS = (agui.ImagePart, agui.AudioPart, agui.VideoPart, agui.DocumentPart)


class Models:
    """Makes models with their required members, and with those optional ones that are picked."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick

    def some(self, optional: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in optional.items() if self.pick()}

    def event(self, cls: type[Any], required: dict[str, Any], optional: dict[str, Any] | None = None) -> Any:
        return cls(**required, **self.some(optional or {}), **self.some(COMMON))

    def content(self) -> Any:
        """A text, or parts of every kind and source."""
        if not self.pick():
            return "Sunny in Oslo"
        about = {"id": "part-1", "metadata": EXTRA}
        media = [cls(source=source, **self.some(about)) for cls in PARTS for source in SOURCES]
        return [agui.TextPart(text="Look:", **self.some(about)), *media]

    def messages(self) -> list[Any]:
        named = {"name": "desk", "encrypted_value": "e", "metadata": EXTRA}
        call = agui.ToolCall(
            id="call-h",
            function=agui.FunctionCall(name="weather", arguments='{"city":"Oslo"}'),
            **self.some({"encrypted_value": "e", "metadata": EXTRA}),
        )
        told = {"encrypted_value": "e", "metadata": EXTRA}
        return [
            agui.SystemMessage(id="h-1", content="Be kind", **self.some(named)),
            agui.DeveloperMessage(id="h-2", content="Be brief", **self.some(named)),
            agui.UserMessage(id="h-3", content=self.content(), **self.some(named)),
            agui.AssistantMessage(
                id="h-4", tool_calls=[call], **self.some(named | {"content": "Let me look"})
            ),
            agui.ToolMessage(
                id="h-5", tool_call_id="call-h", content=self.content(), **self.some(told | {"error": "slow"})
            ),
            agui.ReasoningMessage(id="h-6", content="Hm", **self.some(told)),
            agui.ActivityMessage(
                id="h-7", activity_type="card", content={"a": 1}, **self.some({"metadata": EXTRA})
            ),
        ]


def started(m: Models) -> list[Any]:
    ids = {"thread_id": "t-1", "run_id": "r-1"}
    asked = agui.RunAgentInput(
        **ids,
        protocol_version="1.0",
        messages=m.messages(),
        **m.some({
            "state": {"seen": 0},
            "tools": [agui.Tool(name="ask", description="Asks the user", parameters={"type": "object"})],
            "context": [agui.Context(description="zone", value="CET")],
            "forwarded_props": {"a": 1},
        }),
    )  # fmt: skip
    return [m.event(agui.RunStartedEvent, ids | {"protocol_version": "1.0"}, {"input": asked})]


def text(m: Models, tag: dict[str, str]) -> list[Any]:
    role = {"role": "assistant", "name": "desk"}
    id_ = {"message_id": f"m-{tag.get('subagent_run_id', '')}"}
    return [
        m.event(agui.TextMessageStartEvent, id_ | tag, role),
        m.event(agui.TextMessageContentEvent, id_ | {"delta": "Hello "}, tag),
        m.event(agui.TextMessageContentEvent, id_ | {"delta": "\ud55c👩‍🚀"}, tag),
        m.event(agui.TextMessageEndEvent, id_, tag),
    ]


def call(m: Models, tag: dict[str, str]) -> list[Any]:
    owner = tag.get("subagent_run_id", "")
    id_ = {"tool_call_id": f"c-{owner}"}
    parent = {"parent_message_id": f"m-{owner}"}
    answer = id_ | {"message_id": f"x-{owner}", "content": m.content()} | tag
    return [
        m.event(agui.ToolCallStartEvent, id_ | {"tool_call_name": "weather"} | tag, parent),
        m.event(agui.ToolCallArgsEvent, id_ | {"delta": '{"city":"Oslo"}'}, tag),
        m.event(agui.ToolCallEndEvent, id_, tag),
        m.event(agui.ToolCallResultEvent, answer, {"role": "tool"}),
    ]  # fmt: skip


def reasoning(m: Models, tag: dict[str, str]) -> list[Any]:
    id_ = {"message_id": f"n-{tag.get('subagent_run_id', '')}"}
    sealed = {"subtype": "message", "entity_id": id_["message_id"], "encrypted_value": "e"}
    return [
        m.event(agui.ReasoningStartEvent, id_ | tag),
        m.event(agui.ReasoningMessageStartEvent, id_ | tag | {"role": "reasoning"}),
        m.event(agui.ReasoningMessageContentEvent, id_ | {"delta": "Let me think"}, tag),
        m.event(agui.ReasoningMessageEndEvent, id_, tag),
        m.event(agui.ReasoningEndEvent, id_, tag),
        m.event(agui.ReasoningEncryptedValueEvent, sealed, tag),
    ]


def chunks(m: Models, tag: dict[str, str]) -> list[Any]:
    """First chunks with what they need, later ones with or without; each kind ends the one before."""
    owner = tag.get("subagent_run_id", "")
    out = []
    for cls, field, first in (
        (agui.TextMessageChunkEvent, "message_id", {"role": "assistant", "name": "desk"}),
        (agui.ToolCallChunkEvent, "tool_call_id", {"parent_message_id": f"m-{owner}"}),
        (agui.ReasoningMessageChunkEvent, "message_id", {}),
    ):
        id_ = {field: f"{cls.__name__}-{owner}"}
        needs = {"tool_call_name": "weather"} if cls is agui.ToolCallChunkEvent else {}
        delta = {"delta": "1"}
        out += [m.event(cls, id_ | needs | tag, first | delta), m.event(cls, tag | delta, id_)]
        if needs:
            out.append(
                m.event(agui.ToolCallResultEvent, id_ | {"message_id": f"y-{owner}", "content": "ok"} | tag)
            )
    return out


def aside(m: Models, tag: dict[str, str]) -> list[Any]:
    add, remove = {"op": "add", "path": "/seen", "value": None}, {"op": "remove", "path": "/seen"}
    card = {"message_id": f"a-{tag.get('subagent_run_id', '')}", "activity_type": "card"}
    return [
        m.event(agui.StateSnapshotEvent, {"snapshot": {"list": [1]}}, tag),
        m.event(agui.StateDeltaEvent, {"delta": [add, {"op": "replace", "path": "/list/0", "value": 2}, remove]}, tag),
        m.event(agui.ActivitySnapshotEvent, card | {"content": {"a": 1}} | tag, {"replace": True}),
        m.event(agui.ActivityDeltaEvent, card | {"patch": [{"op": "replace", "path": "/a", "value": 2}]}, tag),
        m.event(agui.RawEvent, {"event": {"x": 1}}, tag | {"source": "example"}),
        m.event(agui.CustomEvent, {"name": "com.example.progress", "value": None}, tag),
        m.event(agui.StepStartedEvent, {"step_name": "plan"} | tag),
        m.event(agui.StepFinishedEvent, {"step_name": "plan"} | tag),
    ]  # fmt: skip


def lane(m: Models, tag: dict[str, str]) -> list[Any]:
    return [*text(m, tag), *call(m, tag), *reasoning(m, tag), *chunks(m, tag), *aside(m, tag)]


def finished(m: Models, outcome: Any) -> list[Any]:
    optional = {"result": {"done": True}, "usage": [agui.TokenUsage(**m.some(USAGE))]}
    if isinstance(outcome, agui.RunFinishedCancelledOutcome):
        del optional["result"]
    required = {"thread_id": "t-1", "run_id": "r-1"} | ({} if outcome is None else {"outcome": outcome})
    return [m.event(agui.RunFinishedEvent, required, optional)]


def outcomes(m: Models) -> list[Any]:
    question = agui.Interrupt(
        id="i-1",
        reason="com.example:approve",
        **m.some({
            "message": "Send it?", "response_schema": {"type": "boolean"}, "metadata": EXTRA,
            "tool_call_id": "c-", "expires_at": "2099-01-01T00:00:00Z",
        }),
    )  # fmt: skip
    return [
        None,
        agui.RunFinishedSuccessOutcome(),
        agui.RunFinishedInterruptOutcome(interrupts=[question]),
        agui.RunFinishedCancelledOutcome(),
    ]


def whole(pick: Pick, ending: int) -> list[Any]:
    """A run with every event class; `ending` chooses among the outcomes and, last, an error."""
    m = Models(pick)
    tag = {"subagent_run_id": "s-1"}
    about = {"description": "Looks it up", "parent_tool_call_id": "c-", "parent_message_id": "m-"}
    inner = {"subagent_run_id": "s-2", "name": "checker"}
    end = {"result": {"n": 1}, "outcome": agui.SubagentFinishedSuccessOutcome()}
    events = [
        *started(m),
        *lane(m, {}),
        m.event(agui.SubagentStartedEvent, tag | {"name": "researcher"}, about),
        *lane(m, tag),
        m.event(agui.SubagentStartedEvent, inner, {"parent_subagent_run_id": "s-1"}),
        m.event(
            agui.SubagentErrorEvent, {"subagent_run_id": "s-2", "message": "no answer"}, {"code": "timeout"}
        ),
        m.event(agui.SubagentFinishedEvent, tag, end),
    ]
    endings = outcomes(m)
    if ending < len(endings):
        return [*events, *finished(m, endings[ending])]
    optional = {"code": "overloaded", "usage": [agui.TokenUsage(**m.some(USAGE))]}
    return [*events, m.event(agui.RunErrorEvent, {"message": "boom"}, optional)]


def judged(events: list[Any]) -> Report:
    encoder, reader, replay = EventEncoder(), SseReader(), Replay("ag-ui")
    body = "".join(encoder.encode(event) for event in events).encode()
    for record in [*reader.feed(body), *reader.close()]:
        replay.feed(record.payload, record.at, record.framing)
    return replay.finish()


def worth_a_warning(report: Report) -> list[str]:
    return [f"{f.key} {f.message}" for f in report.findings if f.severity != "info"]


ENDINGS = range(5)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("filled", [False, True], ids=["minimal", "full"])
def test_a_run_of_official_events_is_accepted(filled: bool, ending: int) -> None:
    """With no optional member, and with every one of them, nothing is found."""
    events = whole(lambda: filled, ending)
    report = judged(events)
    assert worth_a_warning(report) == []
    assert report.events == len(events)


@settings(max_examples=examples(30), deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(ENDINGS))
def test_any_choice_of_optional_members_is_accepted(rng: Any, ending: int) -> None:
    """Whichever optional members an agent fills, nothing is found."""
    assert worth_a_warning(judged(whole(lambda: rng.random() < 0.5, ending))) == []


@settings(max_examples=examples(20), deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_snapshot_of_messages_of_every_role_is_accepted(rng: Any) -> None:
    """A snapshot of official messages is taken as it is, whatever their optional members."""
    m = Models(lambda: rng.random() < 0.5)
    start = m.event(agui.RunStartedEvent, {"thread_id": "t-1", "run_id": "r-1"})
    snapshot = m.event(agui.MessagesSnapshotEvent, {"messages": m.messages()})
    assert worth_a_warning(judged([start, snapshot, *finished(m, None)])) == []


def test_every_event_class_of_the_package_is_in_the_run() -> None:
    """The runs above leave out no event: neither one of the package nor one of the engine."""
    made = {event.type.value for ending in (0, 4) for event in whole(lambda: True, ending)}
    official = {
        cls.model_fields["type"].default.value
        for name in agui.__all__
        if name.endswith("Event") and name != "BaseEvent" and isinstance(cls := getattr(agui, name), type)
    }
    assert made | {"MESSAGES_SNAPSHOT"} == official == set(EVENTS)
