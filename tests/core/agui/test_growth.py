"""Twice the stream is about twice the work, whatever the stream is made of.

Work is counted, never timed: the steps of the interpreter in the engine's modules, or what is copied, read or parsed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.counting import LINEAR, steps
from webapp.core import Replay
from webapp.core.agui import items, texts
from webapp.core.agui.facts import Copies
from webapp.core.agui.messages import Msg
from webapp.core.agui.patch import patched

Event = dict[str, Any]
FEW = 100  # of what a stream is made of; twice as many are compared with these

START: Event = {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": "1.0"}
NOTE: Event = {"type": "CUSTOM", "name": "com.acme.note", "value": 1}
SNAPSHOT: Event = {"type": "MESSAGES_SNAPSHOT", "messages": []}


def message(id_: str, text: str = "x") -> Iterator[Event]:
    yield {"type": "TEXT_MESSAGE_START", "messageId": id_}
    yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": text}
    yield {"type": "TEXT_MESSAGE_END", "messageId": id_}


def call(id_: str, parent: str) -> Iterator[Event]:
    yield {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": "weather", "parentMessageId": parent}
    yield {"type": "TOOL_CALL_END", "toolCallId": id_}


def result(id_: str, of: str) -> Event:
    return {"type": "TOOL_CALL_RESULT", "messageId": id_, "toolCallId": of, "content": "ok"}


def card(id_: str) -> Event:
    return {"type": "ACTIVITY_SNAPSHOT", "messageId": id_, "activityType": "plan", "content": {}}


def runs_of_versions(n: int) -> Iterator[Event]:
    for number in range(n):
        yield START | {"runId": f"r{number}"}
        yield {"type": "RUN_FINISHED", "threadId": "t", "runId": f"r{number}"}


def finishes_of_steps_nobody_started(n: int) -> Iterator[Event]:
    yield START
    yield from ({"type": "STEP_STARTED", "stepName": f"s{number}"} for number in range(n))
    yield from ({"type": "STEP_FINISHED", "stepName": f"x{number}"} for number in range(n))


def first_chunks_without_id(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from message(f"m{number}")
    for _ in range(n):
        yield NOTE
        yield {"type": "TEXT_MESSAGE_CHUNK", "delta": "x"}


def results_of_one_message(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from call(f"c{number}", "m")
    for number in range(n):
        yield result(f"r{number}", f"c{number}")


def results_of_two_messages_in_turn(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from call(f"c{number}", f"m{number % 2}")
    for number in range(n):
        yield result(f"r{number}", f"c{number}")


def activities_over_messages(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from message(f"m{number}")
    yield from (card(f"m{number}") for number in range(n))


def activities_over_results(n: int) -> Iterator[Event]:
    yield from results_of_one_message(n)
    yield from (card(f"r{number}") for number in range(0, n, 2))


def snapshots_after_many_messages(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from message(f"m{number}")
    yield from (SNAPSHOT for _ in range(n))


def snapshots_that_leave_out_open_messages(n: int) -> Iterator[Event]:
    yield START
    yield from ({"type": "TEXT_MESSAGE_START", "messageId": f"m{number}"} for number in range(n))
    yield from (SNAPSHOT for _ in range(n))


def snapshots_after_many_lanes(n: int) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield {
            "type": "TEXT_MESSAGE_CHUNK",
            "messageId": f"m{number}",
            "delta": "x",
            "subagentRunId": f"s{number}",
        }
    yield from (SNAPSHOT for _ in range(n))


def texts_that_may_be_mixed(n: int, brought: int = 30) -> Iterator[Event]:
    yield START
    for number in range(n):
        yield from message(f"m{number}", "x" * (30 + number % 7))
    new = [
        {"id": f"n{number}", "role": "assistant", "content": "y" * (100 + number)}
        for number in range(brought)
    ]
    yield {"type": "MESSAGES_SNAPSHOT", "messages": new}


def lost_openers(n: int) -> Iterator[Event]:
    yield START
    yield from ({"type": "text_message_start", "messageId": f"z{number}"} for number in range(n))
    yield from ({"type": "TEXT_MESSAGE_END", "messageId": f"q{number}"} for number in range(n))


def parts(n: int) -> Iterator[Event]:
    """Half of them retired; none is in the message twice."""
    image = {"type": "image", "source": {"type": "url", "value": "u", "mimeType": "image/png"}}
    binary = {"type": "binary", "mimeType": "image/png", "url": "v"}
    yield START
    yield SNAPSHOT | {"messages": [{"id": "u", "role": "user", "content": [image] * n + [binary] * n}]}


def results_of_calls_that_the_input_answers(n: int) -> Iterator[Event]:
    function = {"name": "weather", "arguments": "{}"}
    calls = [{"id": f"c{number}", "type": "function", "function": function} for number in range(n)]
    answers = [
        {"id": f"x{number}", "role": "tool", "toolCallId": f"c{number}", "content": "ok"}
        for number in range(n)
    ]
    messages = [{"id": "m", "role": "assistant", "toolCalls": calls}, *answers]
    yield START | {"input": {"threadId": "t", "runId": "r", "messages": messages}}
    yield from (result(f"r{number}", f"c{number}") for number in range(n))


def answers_of_one_call_that_are_taken_away(n: int) -> Iterator[Event]:
    answers = [
        {"id": f"x{number}", "role": "tool", "toolCallId": "c", "content": "ok"} for number in range(n)
    ]
    yield START | {"input": {"threadId": "t", "runId": "r", "messages": answers}}
    yield from call("c", "m")
    for number in range(n):
        yield SNAPSHOT
        yield result(f"r{number}", "c")


def work(stream: Iterator[Event]) -> int:
    """How many steps the engine takes for a stream."""
    records = [json.dumps(event).encode() for event in stream]
    judge = Replay("ag-ui")

    def play() -> None:
        for record in records:
            judge.feed(record)

    return steps(play)


@pytest.mark.parametrize(
    "stream",
    [
        runs_of_versions,
        finishes_of_steps_nobody_started,
        first_chunks_without_id,
        results_of_one_message,
        results_of_two_messages_in_turn,
        activities_over_messages,
        activities_over_results,
        snapshots_after_many_messages,
        snapshots_that_leave_out_open_messages,
        snapshots_after_many_lanes,
        texts_that_may_be_mixed,
        lost_openers,
        results_of_calls_that_the_input_answers,
        answers_of_one_call_that_are_taken_away,
        parts,
    ],
)
def test_twice_the_stream_is_twice_the_work(stream: Callable[[int], Iterator[Event]]) -> None:
    """Nothing that is held, open, lost or listed is gone through for each event."""
    assert work(stream(2 * FEW)) < LINEAR * work(stream(FEW))


def test_many_new_messages_are_not_paired_anew_for_each_streamed_one() -> None:
    """Which two of a snapshot's messages may be one streamed message is filed by length, once a snapshot."""
    assert work(texts_that_may_be_mixed(FEW, 30)) < 2 * work(texts_that_may_be_mixed(FEW, 2))


def test_an_open_message_is_left_out_by_so_many_snapshots_and_no_more() -> None:
    """Each snapshot that goes on leaving it out is counted, up to a limit."""
    counts = {}
    for snapshots in (1, 3, 50):
        judge = Replay("ag-ui")
        for event in (START, {"type": "TEXT_MESSAGE_START", "messageId": "m"}, *[SNAPSHOT] * snapshots):
            judge.feed(json.dumps(event).encode())
        found = [finding for finding in judge.finish().findings if finding.rule == "AGUI-MSG-03"]
        counts[snapshots] = [finding.count for finding in found]
    assert counts == {1: [1], 3: [3], 50: [20]}


def test_arguments_are_read_again_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is opened again and again is parsed each time at first, then where the times have doubled."""
    read: list[int] = []
    is_json = items.is_json

    def counting(text: str) -> bool:
        read.append(len(text))
        return is_json(text)

    monkeypatch.setattr(items, "is_json", counting)
    judge = Replay("ag-ui")
    judge.feed(json.dumps(START).encode())
    for _ in range(1_000):
        judge.feed(b'{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"weather"}')
        judge.feed(b'{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"[1]"}')
        judge.feed(b'{"type":"TOOL_CALL_END","toolCallId":"c"}')
    assert read[:65] == [3 * (times + 1) for times in range(65)]
    assert len(read) <= 65 + 4


def test_a_message_of_every_run_is_not_read_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it has become, a run that adds to it reads about what the run has brought."""
    joined = 0
    paired = texts._paired

    def counting(text: str) -> str:
        nonlocal joined
        joined += len(text)
        return paired(text)

    monkeypatch.setattr(texts, "_paired", counting)
    judge = Replay("ag-ui")
    at = {}
    for number in range(200):
        at[number] = joined
        judge.feed(json.dumps(START | {"runId": f"r{number}"}).encode())
        for event in message("m", "é" * 400):
            judge.feed(json.dumps(event).encode())
        judge.feed(json.dumps({"type": "RUN_FINISHED", "threadId": "t", "runId": f"r{number}"}).encode())
    assert joined - at[100] <= 4 * 100 * 400
    assert [len(held["content"]) for held in judge.messages()] == [200 * 400]


def test_metadata_grows_in_place_and_what_was_given_away_stays() -> None:
    """A new key copies none of the others; the message as it was told before is not changed by it."""
    sent = {"acme.a": 1}
    msg = Msg("m", "assistant", None)
    msg.merge(sent)
    held, told = msg.metadata, msg.wire()
    msg.merge({"acme.b": 2})
    assert msg.metadata is held
    assert (sent, told["metadata"]) == ({"acme.a": 1}, {"acme.a": 1})
    assert msg.wire()["metadata"] == {"acme.a": 1, "acme.b": 2}


class Counted(list[Any]):
    """A list that counts its copies."""

    copies = 0

    def copy(self) -> Counted:
        Counted.copies += 1
        return Counted(self)


def test_a_patch_of_many_copies_copies_a_list_once() -> None:
    """Only what then stands in two places needs a copy of its own."""
    Counted.copies = 0
    operations = [{"op": "copy", "from": "/b", "path": "/a/-"}] * 50
    held, failure = patched({"a": Counted([1]), "b": {"c": [2]}}, operations, Copies())
    assert (failure, len(held["a"]), Counted.copies) == (None, 51, 1)
