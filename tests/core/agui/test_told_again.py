"""What a finding says of a call stays true when the call is opened again, or snapshots bring and take its answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import judged
from webapp.core import Finding

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
CALLED = {
    "id": "a-1",
    "role": "assistant",
    "toolCalls": [{"id": "c-1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
}
ANSWER = {"id": "x-1", "role": "tool", "toolCallId": "c-1", "content": "Sunny"}
RESULT = {"type": "TOOL_CALL_RESULT", "messageId": "x-2", "toolCallId": "c-1", "content": "Sunny"}
HANDED = "A client hands the application an empty object in their place."


def found(rule: str, *events: Event, asked: Event | None = None) -> list[Finding]:
    return [finding for finding in judged(*events, asked=asked).findings if finding.rule == rule]


def pieces(*deltas: str, id_: str = "c-1") -> list[Event]:
    """The call is opened and ended for each piece of its arguments: three records each."""
    out: list[Event] = []
    for delta in deltas:
        out += [
            {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": "weather"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": id_, "delta": delta},
            {"type": "TOOL_CALL_END", "toolCallId": id_},
        ]
    return out


@pytest.mark.parametrize(
    ("deltas", "count", "tail"),
    [
        (['{"a"'], 1, ""),
        (['{"a"', ":"], 1, " Opened again, they are not whole by #6 either."),
        (['{"a"', ":", "1", ","], 1, " Opened again, they are not whole by #12 either."),
        (['{"a"', ":", "1", "}"], 1, " Opened again, they are whole by #12."),
        (['{"a":1', "}", " ", "x"], 2, " Opened again, they were whole by #6, but no longer by #12."),
        (["1e", "5", "e", "5"], 2, " Opened again, they were whole by #6, but no longer by #9."),
        (["-", "1", "e", "5"], 2, " Opened again, they are whole by #12."),
    ],
)  # fmt: skip
def test_arguments_are_described_as_they_are_in_the_end(deltas: list[str], count: int, tail: str) -> None:
    """However often the call is opened again, the sentence names where its arguments were whole, or were not."""
    notes = found("AGUI-TOL-08", START, *pieces(*deltas), FINISH)
    assert [(f.event, f.count, f.why) for f in notes] == [(3, count, HANDED + tail)]


def test_a_second_broken_call_is_not_called_whole() -> None:
    """Two calls share a finding: it says that they are whole only once both are."""
    first, second = pieces('{"a"', ":1}"), pieces('{"b"', ":1}", id_="c-2")
    assert [f.why for f in found("AGUI-TOL-08", START, *first, *second[:3], FINISH)] == [HANDED]
    notes = found("AGUI-TOL-08", START, *first, *second, FINISH)
    assert [(f.count, f.why) for f in notes] == [(2, f"{HANDED} Opened again, they are whole by #12.")]


def snapshot(*messages: Event) -> Event:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


@pytest.mark.parametrize(
    ("snapshots", "answer"),
    [
        ([snapshot(CALLED, ANSWER), snapshot(CALLED, ANSWER)], 1),
        ([snapshot(CALLED), snapshot(CALLED, ANSWER)], 2),
        ([snapshot(CALLED, ANSWER), snapshot(CALLED), snapshot(CALLED, ANSWER)], 3),
        ([snapshot(CALLED, ANSWER), snapshot(CALLED)], None),
        ([snapshot(CALLED, ANSWER), snapshot()], None),
    ],
)
def test_a_second_result_names_the_answer_that_stands(snapshots: list[Event], answer: int | None) -> None:
    """A snapshot is the complete list: an answer it leaves out is gone, and a client shows one, not both."""
    again = found("AGUI-TOL-12", START, *snapshots, RESULT, FINISH)
    assert [f.related[0].event for f in again] == ([] if answer is None else [answer])
    assert [f.why for f in again] == ([] if answer is None else [
        f"#{answer} has already answered it. A client shows both."
    ])  # fmt: skip


def test_a_streamed_answer_counts_as_long_as_snapshots_list_it() -> None:
    """It is named where it came first."""
    made = [*pieces("{}"), RESULT]
    listed, bare = snapshot(CALLED, ANSWER | {"id": "x-2"}), snapshot(CALLED)
    again = RESULT | {"messageId": "x-3"}
    assert [
        f.related[0].event for f in found("AGUI-TOL-12", START, *made, listed, listed, again, FINISH)
    ] == [4]
    assert found("AGUI-TOL-12", START, *made, bare, again, FINISH) == []


def test_an_answer_of_the_request_counts_until_a_snapshot_leaves_it_out() -> None:
    """The snapshot that repeats it is not its source."""
    asked = {"threadId": "t-1", "runId": "r-1", "messages": [CALLED, ANSWER], "tools": [], "context": []}
    for snapshots in ([], [snapshot(CALLED, ANSWER)]):
        again = found("AGUI-TOL-12", START, *snapshots, RESULT, FINISH, asked=asked)
        assert [f.why for f in again] == ["The run’s input holds an answer. A client shows both."]
    assert found("AGUI-TOL-12", START, snapshot(CALLED), RESULT, FINISH, asked=asked) == []


MORE = {"type": "TOOL_CALL_ARGS", "toolCallId": "c-1", "delta": "1}"}
NEXT = [{"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "toolCallName": "weather", "delta": '{"a":'},
        {"type": "CUSTOM", "name": "com.example.note", "value": 1},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "delta": "1}"}]  # fmt: skip


@pytest.mark.parametrize("first", [[*pieces('{"a":'), MORE], NEXT], ids=["explicit", "chunks"])
def test_pieces_that_came_too_late_explain_their_own_calls_arguments_only(first: list[Event]) -> None:
    """Another call whose arguments end too early has lost nothing to them."""
    notes = found("AGUI-TOL-08", START, *first, *pieces('{"b":', id_="c-2"), FINISH)
    assert [(f.item.id if f.item else "", f.count, f.cause is None) for f in notes] == [
        ("c-1", 1, False),
        ("c-2", 1, True),
    ]


def test_a_note_about_two_calls_does_not_follow_from_what_came_too_late_for_one() -> None:
    """The other call has no such excuse."""
    notes = found("AGUI-TOL-08", START, *pieces('{"a":'), *pieces('{"b":', id_="c-2"), MORE, FINISH)
    assert [(f.count, f.cause) for f in notes] == [(2, None)]


def test_a_note_about_two_calls_follows_when_both_had_more_to_come() -> None:
    """Whatever came too late for either then explains all of it."""
    late = [MORE, MORE | {"toolCallId": "c-2"}]
    notes = found("AGUI-TOL-08", START, *pieces('{"a":'), *pieces('{"b":', id_="c-2"), *late, FINISH)
    assert [(f.count, f.cause is None) for f in notes] == [(2, False)]
