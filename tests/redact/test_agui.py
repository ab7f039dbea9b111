"""AG-UI at level `structure`: how it went stays, what was said goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.agui.test_cases import lines
from tests.redact.canaries import LETTERS, agui_cases
from webapp.core import Replay
from webapp.core.agui.shapes import SHAPES
from webapp.core.records import Step
from webapp.redact import marked, marker, redactor

CASES = Path(__file__).parents[1] / "cases"
TEXTS = json.loads((Path(__file__).parent / "kept.json").read_text(encoding="utf-8"))["ag-ui"]


# a payload too deep to be read is not too deep any more; a step is named by a text
ODD = {"AGUI-RUN-01", "AGUI-RUN-03", "AGUI-STP-02"}


def place(step: Step) -> tuple[Any, ...]:
    """Where a record belongs."""
    item = step.item
    return step.change, step.lane, step.run, item and (item.kind, item.id, item.ord)


def made(event: dict[str, Any]) -> dict[str, Any]:
    out = redactor("ag-ui", "structure").record(json.dumps(event).encode())
    assert out is not None
    value: dict[str, Any] = json.loads(out)
    return value


def test_what_a_message_says_goes_and_which_one_it_is_stays() -> None:
    """Its id, its type, its time and the length of the text."""
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "héllo", "timestamp": 1700000000000}
    assert made(event) == event | {"delta": marker(5)}


@pytest.mark.parametrize(
    ("value", "kept"),
    [(1.5, 0), (True, False), (None, None), ({}, {}), ([], []), ("", ""), ([1], ["«redacted: 3 chars»"])],
)
def test_what_was_malformed_stays_malformed(value: Any, kept: Any) -> None:
    """A value of the wrong JSON type keeps its type and nothing else."""
    assert made({"type": "TEXT_MESSAGE_CONTENT", "messageId": value, "delta": value}) == {
        "type": "TEXT_MESSAGE_CONTENT",
        "messageId": kept,
        "delta": kept,
    }


def test_ids_that_are_numbers_are_told_apart() -> None:
    """Some agents count."""
    assert made({"type": "TEXT_MESSAGE_END", "messageId": 7})["messageId"] == 7


@pytest.mark.parametrize("id_", ["two words", "a\tb", "x" * 201, "«x»"])
def test_an_id_with_white_space_or_of_great_length_is_a_text(id_: str) -> None:
    """Nothing that somebody wrote passes for an id."""
    assert made({"type": "RUN_STARTED", "threadId": id_, "runId": "r"})["threadId"] == marker(len(id_))


def test_a_member_the_protocol_does_not_know_loses_its_name() -> None:
    """Names of members are numbered, in order."""
    event = made({"type": "STEP_STARTED", "Jane": "Doe", "stepName": "plan", "x": {"y": 1}})
    assert event == {
        "type": "STEP_STARTED",
        "member-1": marker(3),
        "stepName": "plan",
        "member-2": {"redacted": marker(7)},
    }


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("MY_EVENT", True), ("runStarted", True), ("EventType.RUN_STARTED", True), ("my event", False), ("Jane", False),
     ("RUN_STARTED" + " " * 80 + "Jane", False)],
)  # fmt: skip
def test_a_type_of_its_own_stays_when_it_looks_like_one(kind: str, kept: bool) -> None:
    """Of an event nobody knows only type, time and owner are left."""
    event = made({"type": kind, "secret": "x", "timestamp": 5, "subagentRunId": "s"})
    assert event == {
        "type": kind if kept else marker(len(kind)),
        "member-1": marker(1),
        "timestamp": 5,
        "subagentRunId": "s",
    }


def test_patches_keep_their_operations_and_no_key() -> None:
    """Each becomes one that applies to any object, and says what it was."""
    delta = [
        {"op": "add", "path": "/a/b", "value": {"k": "v"}},
        {"op": "remove", "path": "/a"},
        {"op": "move", "from": "/a", "path": "/b"},
        {"op": "replace", "path": "", "value": "x"},
        {"op": "inc", "path": "/a"},
        {"op": "replace", "path": "/a"},
    ]
    two = f"/{marker(2)}"
    assert made({"type": "STATE_DELTA", "delta": delta})["delta"] == [
        {"op": "add", "path": f"/{marker(4)}", "value": {"redacted": marker(9)}},
        {"op": "add", "path": two, "value": None, "was": "remove"},
        {"op": "add", "path": two, "value": None, "was": "move"},
        {"op": "add", "path": "", "value": marker(1), "was": "replace"},
        {"op": marker(3), "path": two},
        {"op": "replace", "path": two},
    ]


def test_a_redacted_state_takes_every_patch() -> None:
    """No patch that applied seems to fail once keys are gone, after any snapshot that is no null."""
    for snapshot in ({"a": 1}, [1, 2], "text", 5, {}):
        replay, red = Replay("ag-ui"), redactor("ag-ui", "structure")
        patch = [{"op": op, "path": "/a", "value": 1} for op in ("replace", "remove", "add", "test")]
        for event in (
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
            {"type": "STATE_SNAPSHOT", "snapshot": snapshot},
            {"type": "STATE_DELTA", "delta": patch},
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        ):
            replay.feed(red.record(json.dumps(event).encode()) or b"")
        assert not {f.rule for f in replay.finish().findings} & {"AGUI-STA-04", "AGUI-STA-05"}


def test_a_snapshot_of_messages_keeps_who_and_which() -> None:
    """Ids, roles, names of tools and which call a result answers."""
    messages = [
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": "hello"}], "name": "Jane"},
        {"id": "m2", "role": "assistant", "toolCalls": [
            {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"a":1}'}}]},
        {"id": "m3", "role": "tool", "toolCallId": "c1", "content": "secret"},
        {"id": "m4", "role": "bot", "content": "secret"},
    ]  # fmt: skip
    assert made({"type": "MESSAGES_SNAPSHOT", "messages": messages})["messages"] == [
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": marker(5)}], "name": marker(4)},
        {"id": "m2", "role": "assistant", "toolCalls": [
            {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": marker(7)}}]},
        {"id": "m3", "role": "tool", "toolCallId": "c1", "content": marker(6)},
        {"id": "m4", "role": marker(3), "content": marker(6)},
    ]  # fmt: skip


def test_what_was_taken_out_is_counted_by_kind() -> None:
    """Arguments, results, states and texts, each under its name."""
    red = redactor("ag-ui", "structure")
    for event in (
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
        {"type": "TOOL_CALL_RESULT", "messageId": "n", "toolCallId": "c", "content": "x"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
        {"type": "STATE_SNAPSHOT", "snapshot": {}},
    ):
        red.record(json.dumps(event).encode())
    assert red.removed == {"texts": 1, "arguments": 1, "results": 1, "states": 1}


def test_the_run_input_keeps_what_its_echo_would() -> None:
    """Ids and tools' names; no context, no state."""
    asked = {"threadId": "t", "runId": "r", "messages": [], "tools": [{"name": "f", "description": "d"}],
             "context": [{"description": "who", "value": "Jane"}], "state": {"a": 1}}  # fmt: skip
    assert redactor("ag-ui", "structure").value(asked) == {
        "threadId": "t",
        "runId": "r",
        "messages": [],
        "tools": [{"name": "f", "description": marker(1)}],
        "context": [{"description": marker(3), "value": marker(4)}],
        "state": {"redacted": marker(7)},
    }


@pytest.mark.parametrize("kind", SHAPES)
def test_every_member_of_every_event_is_kept_or_taken_out_on_purpose(kind: str) -> None:
    """A text member that comes to the protocol is taken out until somebody decides to keep it."""
    fields = list(SHAPES[kind].fields)
    event = made({name: f"canary-{name}" for name in fields} | {"type": kind})
    kept = sorted(name for name in fields if event[name] == f"canary-{name}")
    assert kept == TEXTS[kind]
    assert all(marked(event[name]) is not None for name in fields if name not in kept and name != "type")


def test_no_record_of_any_case_lets_a_canary_through_and_twice_is_once() -> None:
    """Every stream of the rules' cases, its texts replaced."""
    count = 0
    for name, _, records in agui_cases(CASES):
        red = redactor("ag-ui", "structure")
        for record in records:
            out = red.record(record)
            if out is None:
                continue
            count += 1
            assert LETTERS.search(json.dumps(json.loads(out), ensure_ascii=False)) is None, (name, out)
            assert red.record(out) == out, name
    assert count > 1000


def test_the_structure_is_judged_as_before() -> None:
    """Items, lanes and runs of every case are those of the recording, record by record."""
    count = 0
    for name, case, _ in agui_cases(CASES):
        if name in ODD:
            continue
        red, before, after = redactor("ag-ui", "structure"), Replay("ag-ui"), Replay("ag-ui")
        for line in map(str.encode, lines(case)):
            one, other = before.feed(line), after.feed(red.record(line) or b"x")
            assert place(one) == place(other), (name, line)
            count += 1
    assert count > 3000
