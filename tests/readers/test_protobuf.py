"""Binary frames: each event as the reference client reads it, whatever the spelling, the split or the damage."""

from __future__ import annotations

import base64
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import struct_pb2
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.frames import NoWireForm, frame, framed, message, scalar
from tests.slices import examples
from webapp.core import Replay
from webapp.core.evidence import OVERSIZE
from webapp.core.findings import Report
from webapp.core.records import FRAMING, Record
from webapp.readers.base import Account
from webapp.readers.detect import detect
from webapp.readers.limits import Limits
from webapp.readers.protobuf.events import decode
from webapp.readers.protobuf.frames import FrameCutter
from webapp.readers.protobuf.layout import ARMS, CLASSES
from webapp.readers.protobuf.reader import GIVE_UP, MEDIA_TYPE, ProtobufReader, looks_binary
from webapp.readers.protobuf.text import HexLines
from webapp.readers.protobuf.values import ABSENT, TooDeep, value_of
from webapp.readers.read import read

FORMS = Path(__file__).parent / "forms" / "protobuf"
REFERENCE = json.loads((FORMS / "reference.json").read_text(encoding="utf-8"))
SAMPLES = sorted(Path(__file__).parents[1].glob("samples/*.sse")) + sorted(
    (Path(__file__).parents[2] / "webapp/samples").glob("*.sse")
)
CONFORMANCE = os.environ.get("AGUI_CONFORMANCE_DIR")
STARTED = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}
CUSTOM = {"type": "CUSTOM", "name": "com.example.x", "value": 1}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
RUN = [frame(STARTED), frame(CUSTOM), frame(FINISHED)]
BODY = b"".join(RUN)
NEWER = framed(bytes.fromhex("a206060a0408641200"))  # an event with the number 100


def run(chunks: list[bytes], limits: Limits | None = None) -> tuple[list[Record], Account]:
    reader = ProtobufReader(limits)
    records = [record for chunk in chunks for record in reader.feed(chunk)]
    records += reader.close()
    return records, reader.account


def judged(data: bytes) -> Report:
    judge = Replay("ag-ui")
    records, _ = run([data])
    for record in records:
        judge.feed(record.payload, None, record.framing)
    return judge.finish()


def judged_as_json(events: list[dict[str, Any]]) -> Report:
    judge = Replay("ag-ui")
    for event in events:
        judge.feed(json.dumps(event).encode())
    return judge.finish()


def told(report: Report) -> tuple[Any, ...]:
    """What must not depend on the binding: the verdict, the runs and the findings."""
    findings = [(f.rule, f.event, f.severity, f.message, f.count, f.lane, f.label) for f in report.findings]
    outcomes = [(r.thread_id, r.run_id, r.outcome, r.claimed, r.first, r.last) for r in report.runs]
    return report.verdict, report.rejected_at, report.events, outcomes, findings


# ── one frame ────────────────────────────────────────────────


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: row["event"]["type"])
def test_a_frame_of_the_reference_client_is_the_event_it_was_made_of(row: dict[str, Any]) -> None:
    """`reference.json` holds messages that the client's own encoder (@ag-ui/proto 1.0.0) made of invented events."""
    decoded = decode(bytes.fromhex(row["hex"]))
    assert (json.loads(decoded.payload), decoded.note) == (row["event"], "")


def test_the_reference_frames_have_every_event() -> None:
    """None of the 31 events goes untried."""
    assert {row["event"]["type"] for row in REFERENCE} == {type_ for _, type_ in ARMS.values()}
    assert len(ARMS) == 31


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: row["event"]["type"])
def test_the_encoder_of_these_tests_writes_what_the_client_writes(row: dict[str, Any]) -> None:
    """So what the tests encode is what an agent sends."""
    assert message(row["event"]).hex() == row["hex"]


def test_the_frame_of_the_specification_is_read() -> None:
    """The worked example: length 12, arm 12, a base with the type, two texts."""
    records, _ = run([bytes.fromhex("0000000c620a0a02080b1201741a0172")])
    assert [record.payload for record in records] == [b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}']


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("", "frame-empty"),
        ("ff", "frame-broken"),
        ("646174613a207b7d", "frame-broken"),  # data: {}
        ("0a05", "frame-broken"),
        ("a80601", "frame-broken"),  # only an unknown number
        ("a206060a0408641200", "frame-unknown-arm"),
        ("620a0a02080b1201741a01726a0a0a02080c1201741a0172", "frame-two-arms"),
        ("62061201741a0172", "frame-no-base"),
        ("620a0a02080c1201741a0172", "frame-other-type"),
        ("b2010d0a0208151a01742201632a0178", ""),
    ],
)
def test_a_frame_that_is_no_event_says_why(data: str, note: str) -> None:
    """Each way in which bytes fail to be one event has its note."""
    assert decode(bytes.fromhex(data)).note == note


def test_content_as_text_and_as_parts_at_once_is_no_event() -> None:
    """The two shut each other out."""
    result = {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "x"}
    envelope = CLASSES["Event"].FromString(message(result))
    envelope.tool_call_result.content_parts.add().text.text = b"y"
    assert decode(envelope.SerializeToString()).note == "frame-broken"


def test_what_is_missing_arrives_empty() -> None:
    """Required texts and lists have no way to be absent; optional members have."""
    data = bytes.fromhex("0a060a0012026d31")
    assert json.loads(decode(data).payload) == {"type": "TEXT_MESSAGE_START", "messageId": "m1"}
    assert json.loads(decode(bytes.fromhex("0a020a00")).payload)["messageId"] == ""
    assert json.loads(decode(bytes.fromhex("4a040a020808")).payload)["messages"] == []
    assert json.loads(decode(bytes.fromhex("3a040a020806")).payload) == {"type": "STATE_SNAPSHOT"}


def test_unknown_kinds_keep_their_place_for_the_engine_to_drop() -> None:
    """An outcome, an operation and a content part that the layout does not have are named, not lost."""
    odd = CLASSES["Event"].FromString(message({**FINISHED, "outcome": {"type": "success"}}))
    odd.run_finished.outcome = b"paused"
    assert json.loads(decode(odd.SerializeToString()).payload)["outcome"] == {"type": "paused"}
    delta = CLASSES["Event"].FromString(
        message({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": 1}]})
    )
    delta.state_delta.delta[0].op = 77
    assert json.loads(decode(delta.SerializeToString()).payload)["delta"][0]["op"] == "77"
    result = CLASSES["Event"].FromString(message({**REFERENCE[13]["event"]}))
    part = result.tool_call_result.content_parts.add()
    part.MergeFromString(bytes.fromhex("4a020a00"))
    assert json.loads(decode(result.SerializeToString()).payload)["content"][1] == {"type": "field 9"}


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    """A text that is not UTF-8 is judged as in JSON, and numbers JSON does not have are null."""
    text = CLASSES["Event"].FromString(message({"type": "CUSTOM", "name": "n", "value": "x"}))
    text.custom.name = b"com.example.caf\xe9"
    report = judged(frame(STARTED) + framed(text.SerializeToString()) + frame(FINISHED))
    assert [f.rule for f in report.findings] == ["AGUI-TRN-17"]
    text.custom.value = CLASSES["Value"](number_value=float("inf")).SerializeToString()
    text.custom.name = b"n"
    assert json.loads(decode(text.SerializeToString()).payload)["value"] is None


def test_a_value_deeper_than_any_client_reads_is_still_an_event() -> None:
    """No depth makes a frame unreadable: the engine says that it is too deep, as of JSON."""
    value: Any = 1
    for _ in range(205):
        value = [value]
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": value}
    assert told(judged(frame(STARTED) + frame(snapshot))) == told(judged_as_json([STARTED, snapshot]))
    inner = CLASSES["Value"](number_value=1)
    for _ in range(3_000):
        inner = CLASSES["Value"](
            list_value=CLASSES["ListValue"](values=[inner.SerializeToString()]).SerializeToString()
        )
    deep = CLASSES["Event"].FromString(message({"type": "STATE_SNAPSHOT", "snapshot": 1}))
    deep.state_snapshot.snapshot = inner.SerializeToString()
    report = judged(frame(STARTED) + framed(deep.SerializeToString()))
    assert (report.findings[0].rule, report.findings[0].severity) == ("AGUI-ENV-04", "warning")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
@settings(max_examples=examples(100), deadline=None)
def test_a_value_is_read_as_the_runtime_itself_reads_it(value: Any) -> None:
    """Any JSON value comes back, from the runtime's own message and from the encoder of these tests."""
    theirs = struct_pb2.Value()
    theirs.ParseFromString(scalar("V", value))
    assert value_of(theirs.SerializeToString()) == value == value_of(scalar("V", value))


@pytest.mark.parametrize(
    "data",
    [b"st", b"\x08\x00st", b"s\x08\x01t", b"s{|t", b"s", b"t", b"s|", b"\x03\x04", b"s\x0d\x00\x00\x00\x00t"],
)
def test_groups_are_passed_over_as_the_runtime_does(data: bytes) -> None:
    """An old way to nest fields, which no message here has: one that is whole says nothing, any other is broken."""
    try:
        struct_pb2.Value.FromString(data)
    except DecodeError:
        with pytest.raises(DecodeError):
            value_of(data)
    else:
        assert value_of(data) in (ABSENT, None)


@given(st.binary(max_size=60))
@settings(max_examples=examples(100), deadline=None)
def test_no_bytes_of_a_value_raise_anything_unforeseen(data: bytes) -> None:
    """They are a value, or no message; never another exception, and none that the runtime takes is refused."""
    try:
        value_of(data)
    except (DecodeError, TooDeep):
        with pytest.raises(DecodeError):
            struct_pb2.Value.FromString(data)


# ── the same verdict as JSON ─────────────────────────────────


def events_of(path: Path) -> list[dict[str, Any]]:
    _, records, _ = read([path.read_bytes()])
    return [json.loads(record.payload) for record in records]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_recording_has_the_same_verdict_in_frames(path: Path) -> None:
    """Verdict, runs and findings of a recorded stream are those of its JSON, finding for finding."""
    events = events_of(path)
    assert events
    assert told(judged(b"".join(map(frame, events)))) == told(judged_as_json(events))


# conformance stream -> why its verdict cannot be the same in binary
FORCED = {
    "subagent-started-missing-name-fatal": "a required text that is missing arrives empty",
}


@pytest.mark.parametrize(
    "path",
    sorted(Path(CONFORMANCE).rglob("*.json")) if CONFORMANCE else [None],
    ids=lambda path: path.stem if path else "not-run",
)
def test_a_conformance_stream_has_the_same_verdict_in_frames(path: Path | None) -> None:
    """Where the binding can write a stream at all; what it cannot show is left out of both."""
    if path is None:  # AGUI_CONFORMANCE_DIR is not set: the samples above stand for them
        return
    events = json.loads(path.read_text(encoding="utf-8"))["stream"]
    try:
        body = b"".join(map(frame, events))
    except NoWireForm:
        return
    as_json, binary = judged_as_json(events), judged(body)
    blind = {skip.rule for skip in binary.skipped_rules} - {skip.rule for skip in as_json.skipped_rules}
    if path.stem in FORCED:
        assert told(binary) != told(as_json)
        return
    as_json.findings = [finding for finding in as_json.findings if finding.rule not in blind]
    assert told(binary)[1:] == told(as_json)[1:]


def test_what_binary_cannot_show_is_told_and_skipped() -> None:
    """The artefact lists it, and the rules about it are skipped, each with its reason."""
    _, account = run([BODY])
    assert [artefact.kind for artefact in account.artefacts] == ["binary"]
    assert "arrives empty" in account.artefacts[0].message
    skipped = {skip.rule: skip.reason for skip in judged(BODY).skipped_rules}
    assert {
        "AGUI-ENV-02",
        "AGUI-ENV-05",
        "AGUI-ENV-06",
        "AGUI-TRN-03",
        "AGUI-TRN-18",
        "AGUI-CMP-01",
    } <= skipped.keys()
    assert not {"AGUI-TRN-13", "AGUI-TRN-14", "AGUI-TRN-15", "AGUI-TRN-16"} & skipped.keys()
    json_only = {skip.rule for skip in judged_as_json([STARTED, CUSTOM, FINISHED]).skipped_rules}
    assert {"AGUI-TRN-13", "AGUI-TRN-14", "AGUI-TRN-15", "AGUI-TRN-16"} <= json_only


@pytest.mark.parametrize(
    ("name", "verdict", "rejected_at", "rules"),
    [
        ("clean.bin", "conformant", None, []),
        ("clean.base64", "conformant", None, []),
        ("fault.bin", "rejected", 3, ["AGUI-TXT-02"]),
        ("cut.bin", "nonconformant", None, ["AGUI-TRN-15", "AGUI-TRN-10"]),
    ],
)
def test_the_sample_files_give_what_their_names_say(
    name: str, verdict: str, rejected_at: int | None, rules: list[str]
) -> None:
    """Files as people send them, found out by their content."""
    found, records, _ = read([(FORMS / name).read_bytes()])
    judge = Replay("ag-ui")
    for record in records:
        judge.feed(record.payload, None, record.framing)
    report = judge.finish()
    assert (found.form, report.verdict, report.rejected_at) == ("protobuf", verdict, rejected_at)
    assert [finding.rule for finding in report.findings] == rules


# ── frames ───────────────────────────────────────────────────


def test_a_cut_frame_is_a_truncated_run() -> None:
    """The body ends inside a frame: the run has no outcome, and that follows from the cut."""
    for body in (BODY[:-1], BODY[: -len(RUN[2]) + 4], BODY[: -len(RUN[2]) + 2]):
        report = judged(body)
        assert [(f.rule, f.event, f.cause) for f in report.findings] == [
            ("AGUI-TRN-15", 2, None),
            ("AGUI-TRN-10", 2, "AGUI-TRN-15@2"),
        ]
        assert [run.outcome for run in report.runs] == ["truncated"]


def test_a_cut_frame_after_the_end_leaves_the_outcome() -> None:
    """The run had ended before; what was cut is lost all the same."""
    report = judged(BODY + b"\0\0")
    assert [f.rule for f in report.findings] == ["AGUI-TRN-15"]
    assert [run.outcome for run in report.runs] == ["success"]


def test_a_zero_length_frame_stops_a_client() -> None:
    """It is no message, and its record shows it."""
    report = judged(RUN[0] + b"\0\0\0\0" + RUN[2])
    assert [(f.rule, f.event) for f in report.findings] == [("AGUI-TRN-13", 1)]
    assert report.rejected_at == 1


def test_a_newer_event_is_dropped_with_a_warning() -> None:
    """The run goes on; only newer events are no event that could be judged."""
    report = judged(RUN[0] + NEWER + RUN[2])
    assert (report.verdict, [(f.rule, f.event) for f in report.findings]) == (
        "warnings",
        [("AGUI-TRN-14", 1)],
    )
    assert judged(NEWER).verdict == "unchecked"


def test_no_frame_is_no_pass() -> None:
    """Nothing, garbage and text end as unchecked or rejected."""
    assert judged(b"").verdict == "unchecked"
    assert judged(b"\0" * 7).verdict == "unchecked"
    assert judged(b"\x01\x02\x03\x04garbage").verdict == "unchecked"


def test_a_frame_over_the_limit_is_told_and_not_held() -> None:
    """Its beginning is kept, the frames behind it are read, and in text it is the same."""
    large = frame({**CUSTOM, "value": "x" * 500})
    limits = Limits(max_record_bytes=300)
    body = RUN[0] + large + RUN[2]
    for chunks in ([body], [bytes([byte]) for byte in body], [hex_of(body)]):
        records, account = run(chunks, limits)
        assert [record.framing for record in records] == [("proto",), ("proto", "too-long"), ("proto",)]
        assert records[1].payload.startswith(b"frame of ")
        assert "too-long-record" in {artefact.kind for artefact in account.artefacts}


def test_a_frame_beyond_what_the_client_takes_is_noted() -> None:
    """More than 10 MiB: the protocol has no limit, the reference client has."""
    size = (OVERSIZE + 1).to_bytes(4, "big")
    records, _ = run([RUN[0] + size + bytes(OVERSIZE + 1) + RUN[2]])
    assert [("oversize" in record.framing) for record in records] == [False, True, False]
    assert "oversize" not in run([OVERSIZE.to_bytes(4, "big") + b"x"])[0][0].framing
    assert [f.rule for f in judged(RUN[0] + size + b"\x12").findings] == [
        "AGUI-TRN-16", "AGUI-TRN-15", "AGUI-TRN-10",
    ]  # fmt: skip


def test_a_declared_size_takes_no_memory() -> None:
    """Four gigabytes that never come, or come in pieces, are not held."""
    cutter = FrameCutter(1_000, 100)
    cutter.feed(b"\xff\xff\xff\xff")
    for _ in range(50):
        assert cutter.feed(bytes(10_000)) == []
        assert len(cutter._held) <= 104
    cut = cutter.close()
    assert cut is not None
    assert (cut.size, cut.have, len(cut.body)) == (0xFFFFFFFF, 500_000, 100)


def test_records_over_the_limit_are_counted_as_one_line() -> None:
    """Frames are cut no further once no record may come."""
    records, account = run([BODY * 3], Limits(max_records=2))
    assert len(records) == 2
    assert (account.lines, account.records, sum(account.ignored.values())) == (3, 2, 1)


@pytest.mark.parametrize("text", [False, True])
def test_a_body_of_no_frames_is_given_up(text: bool) -> None:
    """After a thousand frames that are none the rest is one line, or lines, left alone, and it is said."""
    body = BODY + bytes(4 * (GIVE_UP + 500)) + BODY
    records, account = run([hex_of(body) if text else body])
    assert len(records) == 3 + GIVE_UP
    assert "frames-lost" in {artefact.kind for artefact in account.artefacts}
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    assert "behind frames that are none" in account.ignored


# ── spellings ────────────────────────────────────────────────


def hex_of(body: bytes) -> bytes:
    lines = HexLines()
    return lines.feed(body) + lines.close()


def wrapped(text: bytes, width: int) -> bytes:
    return b"\n".join(text[at : at + width] for at in range(0, len(text), width))


SPELLINGS = {
    "bytes": BODY,
    "base64": base64.b64encode(BODY),
    "base64 in lines of 76": base64.encodebytes(BODY * 5),
    "base64 in lines of 7": wrapped(base64.b64encode(BODY), 7),
    "base64, URL-safe": base64.urlsafe_b64encode(BODY),
    "base64, one frame a line": b"\n".join(map(base64.b64encode, RUN)),
    "base64, one frame a line, without padding": b"\r\n".join(base64.b64encode(f).rstrip(b"=") for f in RUN) + b"\r\n",
    "base64, several frames a line": base64.b64encode(RUN[0] + RUN[1]) + b"\n\n" + base64.b64encode(RUN[2]),
    "hexadecimal": hex_of(BODY),
    "hexadecimal without spaces": BODY.hex().encode(),
    "hexadecimal in lines": wrapped(BODY.hex().upper().encode(), 33),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_each_spelling_is_known_and_gives_the_same_records(name: str) -> None:
    """Bytes, base64 and hexadecimal text are recognised by content and read alike."""
    text = SPELLINGS[name]
    found, records, account = read([text])
    payloads = [record.payload for record in records]
    assert (found.form, found.protocol) == ("protobuf", "ag-ui")
    assert payloads == [record.payload for record in run([BODY])[0]] * (len(payloads) // 3)
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    assert account.not_understood == 0
    assert ("binary-as-text" in {a.kind for a in account.artefacts}) == (name != "bytes")


def test_a_frame_stands_where_its_first_byte_does() -> None:
    """In a binary body lines are frames; in text they are the text's lines."""
    starts = [0, len(RUN[0]), len(RUN[0] + RUN[1])]
    assert [(r.line, r.offset) for r in run([BODY])[0]] == [(n, at) for n, at in enumerate(starts, 1)]
    text = b"\n" + b"\n".join(map(base64.b64encode, RUN))
    lines = text.split(b"\n")
    wanted = [(n + 1, sum(len(line) + 1 for line in lines[:n])) for n in (1, 2, 3)]
    assert [(r.line, r.offset) for r in run([text])[0]] == wanted
    # a frame may begin on the line on which another one ends
    width = len(base64.b64encode(RUN[0])) + 4
    folded = wrapped(base64.b64encode(BODY), width)
    assert [r.line for r in run([folded])[0]] == [(at // 3 * 4 + 3) // width + 1 for at in starts]


def test_lines_that_are_no_digits_are_not_understood() -> None:
    """A note between base64 lines is told with its number, and the frames are read."""
    text = base64.b64encode(RUN[0]) + b"\nthe second part:\n" + base64.b64encode(RUN[1] + RUN[2])
    records, account = run([text])
    assert len(records) == 3
    assert [(stray.line, stray.text) for stray in account.strays] == [(2, "the second part:")]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"AAAA",
        b"\0\0\0\x05hello",
        b'{"type":"RUN_STARTED"}\n',
        b"data: {}\n\n",
        b"\0" * 64,
        b"\0\0\0\x18ftypmp42",
    ],
)
def test_other_input_is_not_taken_for_frames(data: bytes) -> None:
    """Only bytes that are messages of the binding are."""
    assert detect(data, complete=True).form != "protobuf"
    assert not looks_binary(data)


def test_a_long_first_frame_is_known_by_its_beginning() -> None:
    """A run's start may carry a history longer than what is looked at."""
    first = frame({"type": "RUN_STARTED", "threadId": "t", "runId": "r" * 100_000})
    found, records, _ = read([first + RUN[2]])
    assert found.form == "protobuf"
    assert len(list(records)) == 2


def test_a_binary_body_in_a_har_file_is_read_with_its_head() -> None:
    """Browsers write such bodies as base64; status and type are those of the recorded response."""
    content = {"mimeType": MEDIA_TYPE, "encoding": "base64", "text": base64.b64encode(BODY).decode()}
    response = {
        "status": 200,
        "headers": [{"name": "Content-Type", "value": f"{MEDIA_TYPE}; v=1"}],
        "content": content,
    }
    entry = {
        "startedDateTime": "2026-09-01T08:00:00Z",
        "time": 5,
        "request": {"method": "POST", "url": "https://example.com/agent", "headers": []},
        "response": response,
    }
    har = json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode()
    _, found, account = read([har])
    judge = Replay("ag-ui")
    for record in found:
        judge.feed(record.payload, None, record.framing)
    report = judge.finish(account.head)
    assert (report.events, report.verdict) == (3, "conformant")
    assert [f.rule for f in report.findings] == ["AGUI-TRN-09"]
    assert account.head is not None
    assert account.head.body == "protobuf"


# ── any bytes ────────────────────────────────────────────────

PIECES = st.one_of(
    st.sampled_from([*RUN, NEWER, b"\0\0\0\0", b"\0\0", b"\xff\0\0\0", base64.b64encode(RUN[0]), b"\n", b"\r\n", b" ",
                     RUN[1].hex().encode(), b"=", b"A", b"0", b"prose", b"\xef\xbb\xbf", hex_of(RUN[2])]),
    st.binary(max_size=5),
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map(b"".join)
LIMITS = st.sampled_from(
    [Limits(), Limits(max_record_bytes=30), Limits(max_records=2), Limits(max_record_bytes=8)]
)


@given(text=TEXTS, limits=LIMITS, cuts=st.lists(st.integers(0, 10_000), max_size=6))
@settings(max_examples=examples(100), deadline=None)
def test_any_split_of_any_bytes_gives_the_same(text: bytes, limits: Limits, cuts: list[int]) -> None:
    """Whole, byte by byte and cut anywhere are one input; the account adds up; nothing raises anywhere."""
    records, account = whole = run([text], limits)
    assert run([bytes([byte]) for byte in text], limits) == whole
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    assert run([text[a:b] for a, b in pairwise(edges)], limits) == whole
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    assert [record.line for record in records] == sorted(record.line for record in records)
    judge = Replay("ag-ui")
    for record in records:
        assert len(record.payload) <= limits.max_record_bytes
        assert set(record.framing) <= FRAMING.keys()
        assert 1 <= record.line <= account.lines
        judge.feed(record.payload, None, record.framing)
    assert judge.finish().records == len(records)


@given(
    body=st.lists(st.sampled_from([*RUN, NEWER, b"\0\0\0\0", b"\0\0\0\7x", b"\0"]), max_size=6).map(b"".join),
    cut=st.integers(0, 50),
)
@settings(max_examples=examples(60), deadline=None)
def test_a_body_written_as_hexadecimal_lines_is_the_same_body(body: bytes, cut: int) -> None:
    """What is kept for reading line by line gives the records, and the line numbers, of the bytes themselves."""
    lines = HexLines()
    text = lines.feed(body[:cut]) + lines.feed(body[cut:]) + lines.close()
    records, _ = run([body])
    again, _ = run([text])
    assert [(r.payload, r.line, r.framing) for r in again] == [
        (r.payload, r.line, r.framing) for r in records
    ]
