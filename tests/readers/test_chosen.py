"""A form that somebody insists on: never a pass of what it does not read, and what nobody speaks is no stream."""

from __future__ import annotations

import pytest

from tests.readers.test_not_a_pass import PASSES, judged
from tests.readers.wrapping import CLEAN, FAULT, WRAPS, line
from tests.readers.wrapping_teams import FAULT as REFUSED
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from tests.slices import every
from webapp.check_judge import judge
from webapp.check_text import as_text
from webapp.readers.registry import FORMS


@pytest.mark.parametrize("form", FORMS)
def test_a_fault_is_a_pass_in_no_form(form: str) -> None:
    """Whatever the recording is in and is read as: its fault is found, or nothing is checked."""
    turn = list(FORMS).index(form)
    for wrap in every(WRAPS.values(), 2, turn):
        for one in judged(wrap[1](FAULT), form):
            assert one.report.verdict not in PASSES
    for name, teams in every(TEAMS_WRAPS.items(), 2, turn):
        if "httpx" in name or "HttpClient" in name:  # without bodies nobody can find it
            continue
        for one in judged(teams.make(REFUSED), form):
            assert one.report.verdict not in PASSES


def test_a_form_that_reads_a_part_says_so() -> None:
    """Calls of a HAR file without their bodies would show no fault."""
    [one] = judged(TEAMS_WRAPS["HAR of connector calls"].make(REFUSED), "js-objects")
    assert one.report.verdict == "unchecked"
    assert "as a log of JavaScript objects only a part of it is read" in as_text(one)


@pytest.mark.parametrize(
    ("name", "form"), [("Python dump", "ndjson"), ("JSON lines", "log"), ("curl -i", "sse")]
)
def test_a_form_that_reads_all_is_taken(name: str, form: str) -> None:
    """Another form than the detected one may be the better one."""
    [one] = judged(WRAPS[name][1](CLEAN), form)
    assert one.detection.form == form
    assert one.report.events == 5


OTHERS = {
    "one activity that may be anything": b'{"type":"message","text":"hi"}',
    "unknown types": b'{"type":"foo"}\n{"type":"BAR_BAZ"}\n',
    "unknown types in frames": b'data: {"type":"foo"}\n\ndata: {"type":"bar"}\n\n',
    "no types": b'{"a":1}\n{"b":2}\n',
    "an array": b'[{"type":"tick"},{"type":"tock"}]',
    "behind a head": b'HTTP/1.1 200 OK\r\n\r\ndata: {"type":"tick"}\n\n',
}


@pytest.mark.parametrize("name", OTHERS)
def test_json_in_which_nobody_speaks_is_no_stream(name: str) -> None:
    """Nothing is judged: no event of AG-UI, no call or activity of Teams."""
    [one] = judged(OTHERS[name])
    assert (one.report.verdict, one.report.events, one.report.findings[0].rule) == (
        "unchecked",
        0,
        "AGUI-TRN-11",
    )
    assert "this is JSON without an event of AG-UI or a call or activity of Teams" in as_text(one)
    for form in FORMS:
        for chosen in judged(OTHERS[name], form):
            assert chosen.report.verdict not in PASSES


def test_one_event_among_others_makes_it_a_stream() -> None:
    """Unknown types are then what a client drops."""
    [one] = judged(f'{{"type":"tick"}}\n{line(CLEAN[0])}\n{{"type":"tock"}}\n'.encode())
    assert (one.detection.form, one.report.events) == ("ndjson", 3)
    assert "AGUI-ENV-01" in [finding.rule for finding in one.report.findings]


def test_what_is_said_to_be_teams_is_judged_as_teams() -> None:
    """A bare activity is one when somebody says so."""
    told = judge("x", [OTHERS["one activity that may be anything"]], None, assembled=False, protocol="teams")
    assert (told.detection.form, told.report.protocol, told.report.events) == ("ndjson", "teams", 1)


def test_both_protocols_in_a_recording_are_told() -> None:
    """It is judged as one; how many records the other has is said, and how to judge those."""
    ours, theirs = WRAPS["JSON lines"][1](CLEAN), TEAMS_WRAPS["exchange lines"].make(GOOD)
    for data, protocol, said in (
        (ours + theirs.splitlines(keepends=True)[0] * 2, "ag-ui", "2 records are exchanges and activities"),
        (theirs + ours.splitlines(keepends=True)[0], "teams", "one record is an event of AG-UI"),
    ):
        [one] = judged(data)
        assert one.report.protocol == protocol
        [note] = [artefact for artefact in one.account.artefacts if artefact.kind == "both-protocols"]
        assert said in note.message
        assert "`--protocol`" in note.message
        assert note.line == 6
    for data in (ours, theirs):
        assert "both-protocols" not in [each.kind for each in judged(data)[0].account.artefacts]


def test_an_event_that_carries_an_activity_is_one_record_of_one_protocol() -> None:
    """What stands inside a record is not counted."""
    carrier = {
        "type": "CUSTOM",
        "name": "bot",
        "value": {"type": "typing", "entities": [{"type": "streaminfo"}]},
    }
    [one] = judged(f"{line(CLEAN[0])}\n{line(carrier)}\n{line(CLEAN[4])}\n".encode())
    assert [each.kind for each in one.account.artefacts] == []
