"""A run that starts inside another: what both still send follows from that start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
TEXT = [
    {"type": "TEXT_MESSAGE_START", "messageId": "m-1"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "hello"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m-1"},
]
CALL = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "toolCallName": "weather", "delta": "{"}
PIECE = {"type": "TEXT_MESSAGE_CHUNK", "delta": "lo"}


def started(run: str, thread: str = "t-1") -> Event:
    return {"type": "RUN_STARTED", "threadId": thread, "runId": run, "protocolVersion": "1.0"}


def finished(run: str, thread: str = "t-1") -> Event:
    return {"type": "RUN_FINISHED", "threadId": thread, "runId": run}


STREAMS: dict[str, tuple[list[Event], set[str]]] = {
    "ids of the outer run": (
        [started("o"), started("i", "t-2"), finished("o")],
        {"AGUI-RUN-09", "AGUI-RUN-07", "AGUI-RUN-08"},
    ),
    "chunks with an id": (
        [
            started("o"),
            CALL,
            started("i"),
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "delta": "}"},
            finished("i"),
        ],
        {"AGUI-CHK-04"},
    ),
    "chunks without": (
        [started("o"), PIECE | {"messageId": "m-1"}, started("i"), PIECE, finished("i")],
        {"AGUI-CHK-01"},
    ),
    "the text again": ([started("o"), *TEXT, started("i"), *TEXT, finished("i")], {"AGUI-RUN-17"}),
    "two runs inside": (
        [started("o"), started("i"), finished("i"), started("j"), finished("j"), finished("o")],
        {"AGUI-RUN-03"},
    ),
    "the outer finish inside a third": (
        [started("o"), started("i"), finished("i"), started("j"), finished("o")],
        {"AGUI-RUN-07"},
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_nested_start_is_the_one_root(name: str) -> None:
    """Ids, chunks and repeated texts that no longer fit follow from it."""
    events, consequences = STREAMS[name]
    findings = found(*events)
    (root,) = [f for f in findings if f.rule == "AGUI-RUN-02"]
    assert {f.rule for f in findings if f.cause == root.key} == consequences
    assert [
        f.rule for f in findings if f.cause is None and f.rule not in ("AGUI-RUN-02", "AGUI-TRN-10")
    ] == []


def test_the_start_is_named_as_what_ended_a_chunk_stream() -> None:
    """Not that nothing had opened it."""
    chunk = next(f for f in found(*STREAMS["chunks without"][0]) if f.rule == "AGUI-CHK-01")
    assert (chunk.reason, chunk.label) == ("stream-ended", "AGUI-CHK-11")
    assert [(r.event, r.role) for r in chunk.related] == [(1, "opened"), (2, "closed_by")]
    assert "`RUN_STARTED` at #2 ended the chunk stream" in chunk.message


def test_the_inner_run_answers_the_request_for_the_outer_one() -> None:
    """Its ids are not those of the request only because it started inside the run that was asked for."""
    asked = {"threadId": "t-1", "runId": "o", "messages": [], "protocolVersion": "1.0"}
    events = [started("o"), started("i"), finished("i")]
    assert [(f.rule, f.cause) for f in found(*events, asked=asked)] == [
        ("AGUI-RUN-02", None),
        ("AGUI-RUN-10", "AGUI-RUN-02@1"),
    ]
    other = asked | {"runId": "x"}
    assert [(f.rule, f.cause) for f in found(*events, asked=other)] == [
        ("AGUI-RUN-02", None),
        ("AGUI-RUN-10", None),
    ]


def test_without_a_nested_start_the_same_faults_are_roots() -> None:
    """Runs one after the other: a second thread, an old id at the end, a text sent twice."""
    events = [started("o"), *TEXT, finished("o"), started("i", "t-2"), *TEXT, finished("o", "t-2")]
    assert [(f.rule, f.cause) for f in found(*events)] == [
        ("AGUI-RUN-09", None),
        ("AGUI-RUN-17", None),
        ("AGUI-RUN-07", None),
    ]
