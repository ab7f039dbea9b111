"""What holds for every recording, however broken: nothing raises, nothing depends on chance, every reference leads
somewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slices import examples
from webapp.core import Replay
from webapp.core.agui.events import EVENTS
from webapp.core.agui.tables import CLOSES, TABLES
from webapp.core.agui.wire import delivered_events
from webapp.core.findings import OUTCOMES, PARTIES, ROLES, SEVERITIES, VERDICTS, Report
from webapp.core.records import FRAMING
from webapp.core.rules import catalogue

few = settings(max_examples=examples(30), deadline=None)

IDS = st.sampled_from(["m1", "m2", "c1", "s1", "s2", "", "M1", "\ud83d"])
TEXTS = st.sampled_from(["", "a", "{", "1}", "한글", "\ud83d", "\ude80", "`#3`"])
KEYS = st.sampled_from(["a", "op", "path", "type"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "odd"])},
    optional={
        "path": st.sampled_from(["", "/a", "/a/0", "/a/-", "/01", "/~2"]),
        "from": st.just("/a"),
        "value": JSON,
    },
)
MESSAGE = st.fixed_dictionaries(
    {"id": IDS, "role": st.sampled_from(["assistant", "user", "tool", "reasoning", "activity", "odd"])},
    optional={
        "content": TEXTS | JSON,
        "toolCallId": IDS,
        "activityType": TEXTS,
        "subagentRunId": IDS,
        "toolCalls": st.lists(
            st.fixed_dictionaries(
                {"id": IDS, "type": st.just("function"), "function": st.just({"name": "f", "arguments": "{"})}
            ),
            max_size=2,
        ),
    },
)
# every member of every event, with a value that often fits
MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(
        [
            "messageId",
            "toolCallId",
            "subagentRunId",
            "stepName",
            "entityId",
            "parentMessageId",
            "parentSubagentRunId",
        ],
        IDS,
    ),
    **dict.fromkeys(
        ("delta", "toolCallName", "name", "message", "activityType", "encryptedValue", "content"), TEXTS
    ),
    "threadId": st.sampled_from(["t1", "t2"]),
    "runId": st.sampled_from(["r1", "r2"]),
    "role": st.sampled_from(["assistant", "user", "reasoning", "tool", "odd"]),
    "subtype": st.sampled_from(["message", "tool-call", "odd"]),
    "messages": st.lists(MESSAGE, max_size=3),
    "snapshot": JSON,
    "patch": st.lists(OPERATION, max_size=3),
    "value": JSON,
    "event": JSON,
    "outcome": st.sampled_from(
        [None, "interrupt", {"type": "success"}, {"type": "interrupt", "interrupts": []}, {}]
    ),
    "replace": st.booleans(),
    "protocolVersion": st.sampled_from(["1.0", "9.9", "1", ""]),
    "timestamp": st.sampled_from([0, 1.5, 2**60, None]),
    "metadata": st.sampled_from([{}, {"a": 1}, None, []]),
    "result": JSON,
    "title": TEXTS,
    "input": st.fixed_dictionaries(
        {"threadId": IDS, "runId": IDS, "messages": st.lists(MESSAGE, max_size=2)}
    ),
}
NEEDED = ("messageId", "toolCallId", "threadId", "runId", "stepName")
RETIRED = ["THINKING_START", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_END"]


@st.composite
def events(draw: st.DrawFn) -> dict[str, Any]:
    """An event of any type with some of its members, mostly the ones it needs."""
    name = draw(st.sampled_from([*EVENTS, *RETIRED, "RUN_PAUSED", "runStarted"]))
    fields = EVENTS[name].__struct_fields__ if name in EVENTS else ("delta",)
    described = [field for field in fields if field in MEMBERS]
    spoilt = draw(st.integers(0, 9)) == 0
    event: dict[str, Any] = {"type": name}
    for field in described:
        if draw(st.booleans()) or (field in NEEDED and not spoilt):
            event[field] = draw(MEMBERS[field])
    if name == "STATE_DELTA":
        event["delta"] = draw(MEMBERS["patch"])
    if spoilt:
        event[draw(st.sampled_from([*described, "extra"]))] = draw(JSON)
    return event


START = {"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"}
STREAMS = st.lists(events(), max_size=25).map(lambda tail: [START, *tail])
FRAMINGS = st.lists(st.sampled_from(sorted(FRAMING)), max_size=3, unique=True).map(tuple)


def payloads(stream: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(event).encode() for event in stream]


def replayed(
    raws: list[bytes], framing: tuple[str, ...] = (), run_input: dict[str, Any] | None = None
) -> tuple[Replay, Report]:
    replay = Replay("ag-ui", run_input)
    for raw in raws:
        delivered_events(replay.feed(raw, None, framing), raw)
    return replay, replay.finish()


def check(report: Report, records: int) -> None:
    """Everything a report refers to is there."""
    keys = [finding.key for finding in report.findings]
    last = max(records - 1, 0)
    assert len(keys) == len(set(keys))
    assert report.verdict in VERDICTS
    assert report.records == records
    assert report.rejected_at is None or 0 <= report.rejected_at <= last
    assert all(run.outcome in OUTCOMES and 0 <= run.first <= run.last <= last for run in report.runs)
    for finding in report.findings:
        assert finding.rule in catalogue()
        assert finding.severity in SEVERITIES
        assert finding.party in PARTIES
        assert 0 <= finding.event <= last
        assert finding.count >= 1
        assert finding.cause is None or finding.cause in keys
        assert finding.cause != finding.key
        assert all(0 <= related.event <= last and related.role in ROLES for related in finding.related)
        assert finding.message.endswith((".", "…", "!", "?"))
    fatal = [finding.event for finding in report.findings if finding.severity == "fatal"]
    assert report.rejected_at == (min(fatal) if fatal else None)


def test_every_cell_of_every_table_exists() -> None:
    """No state and no input of a table meets a gap, and every rule a cell names is in the catalogue."""
    for table in TABLES:
        for state in table.states:
            for given_ in table.inputs:
                cell = table[state, given_]
                assert table.columns[given_][state] is cell
                assert cell.next in table.states
                assert cell.rule is None or cell.rule in catalogue()


def test_the_closing_table_has_a_row_for_every_event() -> None:
    """Each of the 31 events says which chunk streams it ends."""
    assert CLOSES.keys() == EVENTS.keys()


@few
@given(st.lists(st.binary(max_size=60), max_size=8), FRAMINGS)
def test_arbitrary_bytes_never_raise(raws: list[bytes], framing: tuple[str, ...]) -> None:
    """Any bytes under any framing notes give steps and a report whose references lead somewhere."""
    _, report = replayed(raws, framing)
    check(report, len(raws))


@few
@given(st.lists(JSON, max_size=8))
def test_arbitrary_json_never_raises(values: list[Any]) -> None:
    """Any JSON value is a record like any other."""
    raws = [json.dumps(value).encode() for value in values]
    _, report = replayed(raws)
    check(report, len(raws))


@few
@given(STREAMS, FRAMINGS)
def test_any_sequence_of_events_gives_a_sound_report(
    stream: list[dict[str, Any]], framing: tuple[str, ...]
) -> None:
    """Events of every type in any order, well-formed or not, with any framing notes, never raise."""
    replay, report = replayed(payloads(stream), framing)
    check(report, len(stream))
    json.dumps([replay.messages(), replay.state(), [finding.public() for finding in report.findings]])


@few
@given(STREAMS)
def test_replay_is_deterministic(stream: list[dict[str, Any]]) -> None:
    """The same recording gives the same findings, messages and state, and the run input is left as it was."""
    request = {"threadId": "t1", "runId": "r1", "messages": [], "state": {"a": [1]}}
    before = json.dumps(request)
    first, one = replayed(payloads(stream), (), request)
    second, two = replayed(payloads(stream), (), request)
    assert [f.public() for f in one.findings] == [f.public() for f in two.findings]
    assert repr((first.messages(), first.state())) == repr((second.messages(), second.state()))
    assert json.dumps(request) == before


@few
@given(STREAMS, st.integers(0, 25))
def test_what_comes_later_changes_neither_rejection_nor_what_was_held_then(
    stream: list[dict[str, Any]], cut: int
) -> None:
    """A client that has stopped is told nothing more: a longer recording rejects at the same place, with what was
    held there."""
    raws = payloads(stream)
    short, report = replayed(raws[:cut])
    long, whole = replayed(raws)
    if report.rejected_at is not None:
        assert whole.rejected_at == report.rejected_at
        assert repr((short.messages(), short.state())) == repr((long.messages(), long.state()))


@few
@given(STREAMS)
def test_derived_events_are_numbered_after_their_cause(stream: list[dict[str, Any]]) -> None:
    """Events derived from a record bear its number and a letter, each letter once; what arrives after a rejection is
    never delivered."""
    replay = Replay("ag-ui")
    rejected = False
    for number, raw in enumerate(payloads(stream)):
        step = replay.feed(raw)
        labels = [made.number for made in step.synthesized]
        assert len(labels) == len(set(labels))
        assert all(label.startswith(str(number)) for label in labels)
        assert (step.reached == "after") is rejected or step.reached == "dropped"
        if rejected:
            assert delivered_events(step, raw) == []
        rejected = replay.rejected_at is not None


@pytest.mark.parametrize("odd", [None, 0, 1.5, True, [], {}, [{}], {"threadId": 1}])
@pytest.mark.parametrize(
    "member", ["threadId", "runId", "messages", "state", "tools", "resume", "protocolVersion"]
)
def test_a_request_may_hold_anything(member: str, odd: object) -> None:
    """A run input that is no run input is no reason to fail, and blames no run for ids it does not have."""
    asked: dict[str, Any] = {
        "threadId": "t",
        "runId": "r",
        "messages": [],
        "tools": [],
        "context": [],
        member: odd,
    }
    replay = Replay("ag-ui", asked)
    replay.feed(b'{"type":"RUN_STARTED","threadId":"t","runId":"r0"}')
    replay.feed(b'{"type":"RUN_FINISHED","threadId":"t","runId":"r0"}')
    replay.feed(b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}')
    replay.feed(b'{"type":"RUN_FINISHED","threadId":"t","runId":"r"}')
    about = {finding.rule for finding in replay.finish().findings}
    assert "AGUI-RUN-09" not in about
    assert "AGUI-RUN-10" not in about
