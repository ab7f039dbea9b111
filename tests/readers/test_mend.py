"""What a paste or an export spoilt is mended where it can mean one thing only, and said; what was sent so is judged."""

from __future__ import annotations

import json

import pytest

from tests.readers.test_not_a_pass import PASSES, judged
from tests.readers.wrapping import CLEAN, FAULT, FAULT_KEY, Event, line, sse


def curly(text: str) -> str:
    """As a word processor has it: opening and closing quotes."""
    pieces = text.split('"')
    return "".join(piece + "“”"[n % 2] for n, piece in enumerate(pieces[:-1])) + pieces[-1]


def rows(events: list[Event]) -> str:
    return "".join(f"{line(event)}\n" for event in events)


SPOILT = {
    "frames on one line": ("sse", "joined-frames", lambda events: " ".join(sse(events).split("\n")).encode()),
    "frames without a space": (
        "sse", "joined-frames", lambda events: "".join(f"data: {line(each)}" for each in events).encode(),
    ),
    "line ends written out": ("sse", "joined-frames", lambda events: sse(events).replace("\n", "\\n").encode()),
    "curly quotes": ("sse", "curly-quotes", lambda events: curly(sse(events)).encode()),
    "closing quotes only": ("sse", "curly-quotes", lambda events: sse(events).replace('"', "”").encode()),
    "curly lines": ("ndjson", "curly-quotes", lambda events: curly(rows(events)).encode()),
    "array of texts": ("array", "quoted-event", lambda events: json.dumps([line(each) for each in events]).encode()),
    "array of frames": (
        "array", "quoted-event", lambda events: json.dumps([sse([each]) for each in events]).encode(),
    ),
    "a text a line": (
        "ndjson", "quoted-event", lambda events: "".join(json.dumps(line(each)) + "\n" for each in events).encode(),
    ),
    "a stream as one text": ("ndjson", "quoted-event", lambda events: json.dumps(sse(events)).encode()),
    "an array as one text": ("ndjson", "quoted-event", lambda events: json.dumps(json.dumps(events)).encode()),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_it_is_read_as_it_was_and_said(name: str) -> None:
    """The same events and the same finding as unspoilt, and an artefact says what was done."""
    form, kind, spoil = SPOILT[name]
    [one] = judged(spoil(CLEAN))
    assert (one.detection.form, one.report.verdict, one.report.events) == (form, "conformant", 5)
    assert kind in [artefact.kind for artefact in one.account.artefacts]
    assert one.account.not_understood == 0
    [bad] = judged(spoil(FAULT))
    assert FAULT_KEY in [f"{finding.rule}@{finding.event}" for finding in bad.report.findings]


@pytest.mark.parametrize(
    "data",
    [
        b'data: {"type":"RUN_STARTED","threadId":"t","runId":"data: {"}\n\n',
        'data: {"type":"CUSTOM","name":"n","value":"he said “no”"}\n\n'.encode(),
        b'{"type":"CUSTOM","name":"n","value":"data: {} data: {}"}\n',
    ],
)
def test_a_whole_event_is_left_alone(data: bytes) -> None:
    """Texts of an agent may hold anything."""
    [one] = judged(data)
    assert {artefact.kind for artefact in one.account.artefacts}.isdisjoint(
        {"joined-frames", "curly-quotes", "quoted-event"}
    )
    assert one.report.events == 1


def test_frames_that_were_sent_as_texts_are_the_producers() -> None:
    """What stands in a `data:` field came over the wire: an event encoded twice is a fault."""
    [one] = judged("".join(f"data: {json.dumps(line(event))}\n\n" for event in CLEAN).encode())
    assert one.report.verdict not in PASSES
    assert "AGUI-TRN-04" in [finding.rule for finding in one.report.findings]


def test_one_event_as_a_text_among_others_is_the_producers() -> None:
    """A recording that was spoilt on the way is spoilt from its first record on."""
    lines = [line(event) for event in CLEAN]
    lines[2] = json.dumps(lines[2])
    [one] = judged("\n".join(lines).encode())
    assert one.report.verdict not in PASSES


def test_more_on_a_line_than_frames_is_not_guessed_at() -> None:
    """A piece that is no object makes the line one broken payload."""
    [one] = judged(f"data: {line(CLEAN[0])} data: {{broken data: {line(CLEAN[4])}\n\n".encode())
    assert one.report.verdict not in PASSES
    assert one.account.artefacts == []
