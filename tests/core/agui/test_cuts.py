"""Recordings that are cut, at their head or inside their lines: the agent is not blamed for what they left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.agui.judged import found
from webapp.core import Finding
from webapp.core.advice import advise
from webapp.core.agui.engine import AguiEngine

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
PIECE = {
    "type": "TEXT_MESSAGE_CONTENT",
    "messageId": "m-1",
    "delta": "Your refund of 20 euros is on its way to you.",
}
END = {"type": "TEXT_MESSAGE_END", "messageId": "m-1"}
OPEN = {"type": "TEXT_MESSAGE_START", "messageId": "m-1"}
BEGINS_LATE = (
    "This event goes on with something that began before it: the recording may begin later than the stream."
)


def roots(findings: list[Finding]) -> list[str]:
    return [f.rule for f in findings if f.cause is None and f.severity != "info"]


@pytest.mark.parametrize(
    "events",
    [
        [PIECE, END, FINISH],
        [PIECE, END],
        [END, FINISH],
        [FINISH],
        [{"type": "STEP_FINISHED", "stepName": "plan"}, FINISH],
        [{"type": "SUBAGENT_FINISHED", "subagentRunId": "sub-1"}, FINISH],
        [{"type": "TOOL_CALL_ARGS", "toolCallId": "c-1", "delta": "{}"}, PIECE, END, FINISH],
        [PIECE, END, FINISH, START | {"runId": "r-2"}, FINISH | {"runId": "r-2"}],
    ],
)
def test_a_stream_that_begins_with_a_continuation_is_one_root(events: list[Event]) -> None:
    """The start of the run and of the items are missing together, and the recording may be what misses them."""
    findings = found(*events)
    assert roots(findings) == ["AGUI-RUN-01"]
    assert findings[0].why.endswith(BEGINS_LATE)
    assert "record the stream from its first byte" in advise("AGUI-RUN-01", findings[0].reason, None).fix


def test_a_stream_that_begins_with_something_new_is_the_agents_fault() -> None:
    """Nothing before it is missed; a later orphan is a defect of its own."""
    findings = found(OPEN, PIECE, END, FINISH)
    assert roots(findings) == ["AGUI-RUN-01"]
    assert BEGINS_LATE not in findings[0].why
    other = PIECE | {"messageId": "m-2"}
    assert roots(found(OPEN, END, other, FINISH)) == ["AGUI-RUN-01", "AGUI-TXT-02"]


def test_a_start_that_comes_later_was_not_cut_off() -> None:
    """The recording shows the start: the events are too early, and the message's start is missing besides."""
    findings = found(PIECE, END, START, FINISH)
    assert roots(findings) == ["AGUI-RUN-01", "AGUI-TXT-02"]
    assert BEGINS_LATE not in findings[0].why


def test_what_a_later_run_never_opened_is_not_the_recordings_fault() -> None:
    """The recording shows that run from its start, so its orphan is a defect of its own."""
    later = [START | {"runId": "r-2"}, PIECE | {"messageId": "m-9"}, FINISH | {"runId": "r-2"}]
    findings = found(PIECE, END, FINISH, *later)
    assert [(f.rule, f.event, f.count, f.cause) for f in findings if f.severity == "fatal"] == [
        ("AGUI-RUN-01", 0, 1, None),
        ("AGUI-TXT-02", 0, 1, "AGUI-RUN-01@0"),
        ("AGUI-TXT-02", 4, 1, None),
    ]


LINE = json.dumps(PIECE).encode()


@pytest.mark.parametrize(
    "tail", ["...", "…", "... (1,204 more bytes)", "…[truncated]", " <cut>", "[truncated 12 kB]"]
)
@pytest.mark.parametrize("at", [45, 90])
def test_the_marks_of_a_log_at_a_lines_end_show_who_cut_it(tail: str, at: int) -> None:
    """Inside a text or between two members: the recording's fault, rejected there all the same."""
    cut = found(START, OPEN, LINE[:at] + tail.encode(), END, FINISH)[0]
    assert (cut.rule, cut.event, cut.severity) == ("AGUI-TRN-03", 2, "fatal")
    assert (cut.reason, cut.party) == ("cut-short", "capture")
    assert cut.why.endswith(f"It ends in `{tail.strip()}`, as logs and terminals end what they cut.")
    assert advise(cut.rule, cut.reason, None).cause.startswith(
        "The line was cut on its way into the recording"
    )


@pytest.mark.parametrize(
    "line", [LINE[:-1] + b"...}", LINE + b" ...and more text", b'{"type":"CUSTOM",}', b"{oops"]
)
def test_what_is_wrong_in_the_middle_is_not_cut(line: bytes) -> None:
    """Dots inside a line, text behind it, a comma too many."""
    broken = found(START, line, FINISH)[0]
    assert (broken.rule, broken.reason, broken.party) == ("AGUI-TRN-03", None, "producer")
    assert "logs and terminals" not in broken.why


def test_dots_inside_a_whole_event_are_text() -> None:
    """A line that parses is not looked into."""
    assert found(START, OPEN, PIECE | {"delta": "Well…"}, END, FINISH) == []


def test_a_frame_that_ends_in_marks_says_so_too() -> None:
    """In a stream of frames the rest may stand in the next one; the marks speak for the recording."""
    cut = found(START, OPEN, LINE[:90] + "…".encode(), END, FINISH, framing=("sse",))[0]
    assert (cut.rule, cut.party) == ("AGUI-TRN-02", "producer")
    assert cut.why.endswith("It ends in `…`, as logs and terminals end what they cut.")


def test_lines_cut_at_one_length_point_to_a_limit() -> None:
    """Three fragments of equal length; with another among them there is no such limit."""
    piece = PIECE | {"delta": "word " * 40}
    line = json.dumps(piece).encode()
    first = found(START, OPEN, line[:128], END, line[:128], line[:128], FINISH)[0]
    assert first.why.endswith(
        "3 lines are cut after 128 bytes alike, which points to a limit of the recording."
    )
    for lengths in ((128,), (128, 100), (128, 128, 100), (100, 128, 128)):
        first = found(START, OPEN, *(line[:length] for length in lengths), END, FINISH)[0]
        assert first.why.endswith("or the recording was cut.")
    assert found(START, line[:40], END, line[:40], FINISH)[0].why.endswith("or the recording was cut.")


def test_two_lengths_are_all_that_is_kept_of_cut_lines() -> None:
    """Two show that there is no limit; a trace of a million lengths need not remember them."""
    engine = AguiEngine(None, max_depth=200, max_findings=100)
    for length in range(70, 100):
        engine.feed(LINE[:length])
    assert len(engine.world.trace.cuts) == 2
