"""What the response head and the frames say: when it is a finding, when it is not, when nothing can be told."""

from __future__ import annotations

import pytest

from webapp.core import Replay, Report
from webapp.core.evidence import ResponseHead

STARTED = b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
FINISHED = b'{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
DOCUMENT = b'{"error":"no such agent"}'
SSE = "text/event-stream"
BINARY = "application/vnd.ag-ui.event+proto"
HEAD_RULES = {"AGUI-TRN-08", "AGUI-TRN-09", "AGUI-TRN-12"}


def report(
    head: ResponseHead | None, *records: bytes, framing: tuple[str, ...] = (), protocol: str = "ag-ui"
) -> Report:
    judge = Replay(protocol)
    for record in records or (STARTED, FINISHED):
        judge.feed(record, None, framing)
    return judge.finish(head)


def rules(head: ResponseHead | None, *records: bytes, framing: tuple[str, ...] = ()) -> list[str]:
    """Rules of the head that fired, each at the first record and in no run."""
    found = [f for f in report(head, *records, framing=framing).findings if f.rule in HEAD_RULES]
    assert all((f.event, f.run) == (0, None) for f in found)
    return [f.rule for f in found]


@pytest.mark.parametrize(
    ("type_", "body", "framing", "rule"),
    [
        (SSE, "sse", ("sse",), None),
        (f"{SSE}; charset=utf-8", "sse", ("sse",), None),
        ("Text/Event-Stream", "sse", ("sse",), None),
        ("application/json", "sse", ("sse",), "AGUI-TRN-09"),
        ("application/x-ndjson", "ndjson", (), "AGUI-TRN-09"),
        (BINARY, "protobuf", ("proto",), None),
        (BINARY, None, (), None),
        (f"{BINARY}; v=1", "protobuf", ("proto",), "AGUI-TRN-09"),
        (BINARY, "sse", ("sse",), "AGUI-TRN-09"),
        (SSE, "protobuf", ("proto",), "AGUI-TRN-09"),
        (SSE, "ndjson", (), "AGUI-TRN-08"),
        (SSE, "array", (), "AGUI-TRN-08"),
        (SSE, None, (), None),
    ],
)
def test_the_content_type_is_compared_with_the_body(
    type_: str, body: str | None, framing: tuple[str, ...], rule: str | None
) -> None:
    """Only the two types of the text fit, each to its body; parameters hurt the binary one alone."""
    head = ResponseHead(200, type_, ("date",), body)
    assert rules(head, framing=framing) == ([] if rule is None else [rule])


def test_a_missing_content_type_counts_only_where_headers_are_recorded() -> None:
    """Without any header nobody can say that this one was missing."""
    assert rules(ResponseHead(200, None, ("date",))) == ["AGUI-TRN-09"]
    assert rules(ResponseHead(200, None)) == []
    skipped = {s.rule: s.reason for s in report(ResponseHead(200, None)).skipped_rules}
    assert skipped["AGUI-TRN-09"] == "The response head is recorded without a content type."


@pytest.mark.parametrize(
    ("status", "type_", "records", "fires"),
    [
        (200, SSE, (STARTED, FINISHED), False),
        (204, SSE, (STARTED, FINISHED), False),
        (400, SSE, (STARTED, FINISHED), True),
        (502, "text/html", (STARTED, FINISHED), True),
        (302, SSE, (STARTED,), True),
        (None, SSE, (STARTED, FINISHED), False),
        (200, "application/json", (DOCUMENT,), True),
        (200, "application/problem+json", (DOCUMENT,), True),
        (200, "text/html; charset=utf-8", (b"<html>",), True),
        (200, SSE, (DOCUMENT,), False),
        (404, "application/json", (DOCUMENT,), False),
        (200, "application/json", (DOCUMENT, STARTED, FINISHED), False),
    ],
)
def test_the_status_is_compared_with_the_body(
    status: int | None, type_: str, records: tuple[bytes, ...], fires: bool
) -> None:
    """Events under an error's status, or a document under a success, are one finding; an honest error is none."""
    assert ("AGUI-TRN-12" in rules(ResponseHead(status, type_), *records)) == fires


def test_a_page_without_any_record_is_told_by_its_head() -> None:
    """The body held nothing that could be a record: still unchecked, and the head says why."""
    judge = Replay("ag-ui")
    found = judge.finish(ResponseHead(200, "text/html"))
    assert found.verdict == "unchecked"
    assert [f.rule for f in found.findings] == ["AGUI-TRN-11", "AGUI-TRN-12"]


def test_without_a_head_its_rules_are_skipped() -> None:
    """Each says that no head is recorded; with one they are judged."""
    skipped = {s.rule: s.reason for s in report(None).skipped_rules}
    assert {skipped[rule] for rule in HEAD_RULES} == {"No response head is recorded."}
    known = {s.rule for s in report(ResponseHead(200, SSE, (), "sse"), framing=("sse",)).skipped_rules}
    assert not HEAD_RULES & known
    assert "AGUI-TRN-12" in {s.rule for s in report(ResponseHead(None, SSE)).skipped_rules}
    # messages that a browser took out of the stream do not show whether it had `data:` lines
    assert "AGUI-TRN-08" in {s.rule for s in report(ResponseHead(200, SSE)).skipped_rules}


def test_the_frames_decide_which_rules_can_be_judged() -> None:
    """Sizes are known of frames, lines of text, and binary rules of binary bodies."""
    for framing, judged, skipped in (
        (("sse",), {"AGUI-TRN-01", "AGUI-TRN-16"}, {"AGUI-TRN-13"}),
        (("proto",), {"AGUI-TRN-13", "AGUI-TRN-16"}, {"AGUI-TRN-01", "AGUI-ENV-02"}),
        ((), set(), {"AGUI-TRN-01", "AGUI-TRN-13", "AGUI-TRN-16"}),
    ):
        left_out = {s.rule for s in report(None, framing=framing).skipped_rules}
        assert not judged & left_out
        assert skipped <= left_out


@pytest.mark.parametrize(
    "note", ["frame-empty", "frame-broken", "frame-two-arms", "frame-no-base", "frame-other-type"]
)
def test_each_broken_frame_has_its_words(note: str) -> None:
    """A client stops at it, and the same damage further on is the same finding."""
    judge = Replay("ag-ui")
    judge.feed(STARTED, None, ("proto",))
    steps = [judge.feed(b"frame of 0 bytes: ", None, ("proto", note)) for _ in range(2)]
    found = [f for f in judge.finish().findings if f.rule == "AGUI-TRN-13"]
    assert [(f.severity, f.event, f.count) for f in found] == [("fatal", 1, 2)]
    assert [step.reached for step in steps] == ["refused", "after"]


def test_a_head_says_nothing_of_teams() -> None:
    """Rules about event streams bind no call of the connector."""
    assert report(ResponseHead(500, SSE), b"{}", protocol="teams").findings == []
