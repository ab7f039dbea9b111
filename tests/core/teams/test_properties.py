"""What holds for every Teams recording, however broken: nothing raises, nothing depends on chance, every reference
leads somewhere."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.teams.script import lines
from tests.slices import examples
from webapp.core import Replay
from webapp.core.findings import PARTIES, ROLES, SEVERITIES, TEAMS_OUTCOMES, VERDICTS, Report
from webapp.core.reasons import REASONS
from webapp.core.records import Step
from webapp.core.rules import catalogue
from webapp.core.teams.answers import ANSWERS
from webapp.core.teams.engine import TeamsEngine
from webapp.core.teams.exchanges import KINDS, read

_CODE = re.compile(r"`[^`]*`")
_MARK = re.compile(r"(?<![\w&#/])#(\d+)")  # as pages find record numbers in sentences
few = settings(max_examples=examples(40), deadline=None)

IDS = st.sampled_from(["S", "T", "", "#0", "`", "\ud83d", "19:group@thread.v2"])
TEXTS = st.sampled_from(
    [
        "",
        "a",
        "a b",
        "a b c",
        "b",
        " a",
        "a &amp; b",
        "[doc1",
        "[1]",
        "\ud83d",
        "😀",
        "`#3`",
        "***",
        "한글",
        "x" * 1100,
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | IDS
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "type", "text", "error", "code", "entities"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
INFO = st.fixed_dictionaries(
    {"type": st.sampled_from(["streaminfo"] * 6 + ["streamInfo", "endstreaming", "mention"])},
    optional={
        "streamId": IDS | JSON,
        "streamType": st.sampled_from(["informative", "streaming", "final", "Final", "", "end"]) | JSON,
        "streamSequence": st.integers(-1, 9) | JSON,
        "streamResult": TEXTS,
        "citation": st.lists(
            st.fixed_dictionaries({"position": JSON, "appearance": JSON}) | JSON, max_size=3
        ),
        "additionalType": st.just(["AIGeneratedContent"]) | JSON,
        "feedbackLoop": JSON,
        "streamld": IDS,
        "stream_type": TEXTS,
    },
)
ACTIVITY = st.fixed_dictionaries(
    {"type": st.sampled_from(["typing", "typing", "message", "event"]) | JSON},
    optional={
        "text": TEXTS | JSON,
        "text ": TEXTS,
        "id": IDS | JSON,
        "replyToId": IDS | JSON,
        "channelId": st.sampled_from(["msteams", "webchat", "msteams:COPILOT"]) | JSON,
        "from": st.sampled_from([{"role": "user"}, {"role": "bot"}, {"id": "29:u"}]) | JSON,
        "conversation": st.sampled_from([{"id": "a:1"}, {"id": "19:g"}, {"id": "a:1", "isGroup": True}])
        | JSON,
        "entities": st.lists(INFO | JSON, max_size=3) | JSON,
        "channelData": INFO | JSON,
        "attachments": st.lists(JSON, max_size=2) | JSON,
        "textFormat": TEXTS,
        "timestamp": st.sampled_from(["2026-09-01T08:00:00Z", "2026-09-01T08:03:00Z", "x"]) | JSON,
    },
)
KNOWN_ANSWERS = st.sampled_from(
    [{"status": row.status, "body": {"error": {"code": row.code, "message": row.message}}} for row in ANSWERS]
)
ANSWER = (
    st.just({"status": 201, "body": {"id": "S"}})
    | st.just({"status": 202, "body": {}})
    | KNOWN_ANSWERS
    | st.fixed_dictionaries(
        {"status": st.sampled_from([200, 201, 202, 400, 403, 429, 500, 0]) | JSON},
        optional={"body": JSON, "headers": JSON},
    )
    | JSON
)
TIMES = st.floats(0, 400) | JSON
URLS = st.sampled_from(
    ["https://smba.x/amer/v3/conversations/a:1/activities", "https://smba.x/v3/conversations/a%3A1/activities/S",
     "https://localhost/v3/conversations/19:g/activities", "/other", ""]
)  # fmt: skip
CALL = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["POST", "POST", "POST", "PUT", "DELETE", "GET"]) | JSON,
        "request": ACTIVITY | JSON,
        "url": URLS,
    },
    optional={"at": TIMES, "took": TIMES, "response": ANSWER, "error": TEXTS},
)
RECORDINGS = st.lists(CALL | CALL | ACTIVITY | JSON, max_size=14)

STREAM = """
+0.0 informative 1 "a" -> 201 S
+1.6 informative 2 "a b" @S -> 202
+3.2 streaming 3 "a" @S -> 202
+4.9 streaming 4 "a b" @S -> 202
+6.5 final "a b c" @S -> 202
+9.0 inbound "and then?" {"id": "U"} -> none
+10.0 streaming 1 "a" {"replyToId": "U"} -> 201 T
+131.0 final "a b c" @T {"replyToId": "U"} -> E403-TIME
+132.0 edit "a b c" @T -> 200
+134.0 message "a" -> 201 M
"""
SAMPLES = [[json.loads(line) for line in lines(STREAM)]]
# one recording a rule, so that every sentence of the engine is reached
CASES = sorted((Path(__file__).parents[2] / "cases" / "teams").glob("TEAMS-*.toml"))


@st.composite
def mutated(draw: st.DrawFn) -> list[Any]:
    """A good recording with members changed, and records left out, doubled or swapped."""
    records = json.loads(json.dumps(draw(st.sampled_from(SAMPLES))))
    for _ in range(draw(st.integers(1, 4))):
        if not records:
            break
        place = draw(st.integers(0, len(records) - 1))
        match draw(st.sampled_from(["drop", "double", "swap", "change", "change", "change"])):
            case "drop":
                del records[place]
            case "double":
                records.insert(place, records[place])
            case "swap":
                records.append(records.pop(place))
            case _:
                _change(draw, records, place)
    return records


def _change(draw: st.DrawFn, records: list[Any], place: int) -> None:
    """One member of one record, at any depth, gets another value or goes."""
    records[place] = json.loads(json.dumps(records[place]))
    here = records[place]
    while isinstance(here, dict | list) and here:
        key = draw(st.sampled_from(sorted(here)) if isinstance(here, dict) else st.integers(0, len(here) - 1))
        inner = here[key]
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            if isinstance(here, dict) and draw(st.booleans()):
                del here[key]
            else:
                here[key] = draw(ANSWER if key == "response" else JSON)
            return
        here = inner


def judged(recording: list[Any]) -> tuple[Report, list[Step], list[dict[str, Any]]]:
    engine = TeamsEngine(max_findings=10_000)
    steps = []
    for number, record in enumerate(recording):
        steps.append(engine.feed(json.dumps(record).encode(), 0.5 * number))
        engine.messages()
    report = engine.finish("1")
    return report, steps, engine.messages()


def check(recording: list[Any]) -> Report:
    """All that must hold of one recording."""
    report, steps, messages = judged(recording)
    count = len(recording)
    assert report.records == count
    assert report.events == sum(read(json.dumps(record)) is not None for record in recording)
    assert report.verdict in VERDICTS
    severities = {finding.severity for finding in report.findings}
    assert severities <= set(SEVERITIES) - {"fatal"}
    if report.verdict == "unchecked":
        assert report.events == 0
    assert (report.verdict == "rejected") == (report.rejected_at is not None)
    if report.verdict == "nonconformant":
        assert "error" in severities
    if report.verdict == "warnings":
        assert severities >= {"warning"}
        assert "error" not in severities
    if report.verdict == "conformant":
        assert severities <= {"info"}
    if report.rejected_at is not None:
        assert 0 <= report.rejected_at < count
        assert _has_error(report, report.rejected_at)
    keys = [finding.key for finding in report.findings]
    assert len(keys) == len(set(keys))
    for finding in report.findings:
        _well_formed(finding, report, count, set(keys))
    assert {run.outcome for run in report.runs} <= set(TEAMS_OUTCOMES)
    assert [run.run for run in report.runs] == list(range(len(report.runs)))
    for step, record in zip(steps, recording, strict=True):
        assert (step.type is None) == (not (read(json.dumps(record)) is not None))
        assert step.type is None or step.type in KINDS
        assert step.run is None or 0 <= step.run < len(report.runs)
    assert all({"id", "role", "content"} <= message.keys() for message in messages)
    return report


def _has_error(report: Report, place: int) -> bool:
    return any(
        f.severity == "error"
        and (
            f.event == place
            or f.count > 200
            or any(r.event == place and r.role == "again" for r in f.related)
        )
        for f in report.findings
    )


def _well_formed(finding: Any, report: Report, count: int, keys: set[str]) -> None:
    assert 0 <= finding.event < count
    assert all(0 <= other.event < count and other.role in ROLES for other in finding.related)
    assert catalogue()[finding.rule].protocol == "teams"
    assert finding.party in PARTIES
    assert finding.basis in ("confirmed", "predicted")
    assert finding.reason is None or finding.reason in REASONS
    assert finding.cause is None or finding.cause in keys - {finding.key}
    assert finding.count >= 1
    assert finding.title
    assert not finding.title.endswith(".")
    assert "\n" not in finding.title
    assert len(finding.message) < 2000
    assert finding.message.count("`") % 2 == 0
    assert all(int(place) < count for place in _MARK.findall(_CODE.sub("", finding.message)))
    assert finding.run is None or 0 <= finding.run < len(report.runs)


@few
@given(RECORDINGS)
def test_any_records_are_judged_without_an_exception(recording: list[Any]) -> None:
    """Calls, activities and other JSON of any shape, in any order."""
    check(recording)


@few
@given(mutated())
def test_a_damaged_recording_is_judged_without_an_exception(recording: list[Any]) -> None:
    """A good recording with members changed and records lost, doubled or late."""
    check(recording)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_cases_hold_too(path: Path) -> None:
    """Every rule's own recordings, record by record: `finish` works after any prefix."""
    file = tomllib.loads(path.read_text(encoding="utf-8"))
    for case in [*(file[part] for part in ("fires", "near", "quiet") if part in file), *file.get("more", [])]:
        recording = [json.loads(line) for line in lines(case["script"])]
        for end in range(len(recording) + 1) if len(recording) < 12 else (0, 1, len(recording)):
            check(recording[:end])


@few
@given(RECORDINGS | mutated())
def test_the_same_recording_gives_the_same_report(recording: list[Any]) -> None:
    """No chance, no clock, no order of sets."""
    one, other = judged(recording), judged(recording)
    assert [f.public() for f in one[0].findings] == [f.public() for f in other[0].findings]
    assert (one[0].verdict, one[0].rejected_at, one[2]) == (other[0].verdict, other[0].rejected_at, other[2])


@few
@given(mutated())
def test_the_end_can_come_after_any_record(recording: list[Any]) -> None:
    """What was found before is still found when more records follow, except what only the end can tell."""
    for end in range(len(recording)):
        check(recording[:end])


@few
@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"{", b"null", b'{"response":{},"url":1}', b"\xff"]),
        max_size=5,
    )
)
def test_bytes_of_any_kind_are_let_pass(raws: list[bytes]) -> None:
    """Broken JSON and broken UTF-8 are records that say nothing."""
    replay = Replay("teams")
    for raw in raws:
        replay.feed(raw)
    assert replay.finish().records == len(raws)


@pytest.mark.parametrize("name", ["streamId", "streamType", "streamSequence", "streamResult", "feedbackLoop"])
@pytest.mark.parametrize("depth", [5, 300, 900])
def test_deep_values_in_any_field_are_let_pass(name: str, depth: int) -> None:
    """Nesting that the decoder still reads must not be too deep for what comes after it."""
    deep = '{"a":' * depth + "1" + "}" * depth
    for place in ("si", "call"):
        script = f"""
        +0.0 streaming 1 "a" -> 201 S
        +1.6 streaming 2 "a b" @S {{"{place}": {{"{name}": "DEEP"}}}} -> 202
        +3.2 final "a b c" @S -> 202
        """
        first, second, last = lines(script)
        second = second.replace(b'"DEEP"', deep.encode())
        replay = Replay("teams")
        for raw in (first, second, second, last):
            replay.feed(raw)
        assert replay.finish().events >= 2


def test_memory_does_not_grow_with_the_calls_of_a_stream() -> None:
    """Thousands of refused and lost calls leave a bounded number behind."""
    replay = TeamsEngine(max_findings=50)
    (start,) = lines('+0.0 streaming 1 "a" -> 201 S')
    replay.feed(start)
    for number in range(2, 1500):
        (line,) = lines(
            f'+{number}.0 streaming {number} "a{number}" @S -> {"lost" if number % 2 else "E429"}'
        )
        replay.feed(line)
    assert len(replay._world.streams[0].pending) <= 50
    assert len(replay._world.chats) == 1
    assert replay.finish("1").findings_left_out >= 0
