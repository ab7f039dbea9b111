"""Lines that a logger cut at one length: said where it is so, and not otherwise."""

from __future__ import annotations

import json

import pytest

from webapp.core import Replay
from webapp.readers.cut import CUT_LINES, ends_inside
from webapp.readers.read import read

WORDS = (3, 40, 50, 60, 4, 80, 2)
EVENTS = [
    json.dumps({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "wörd " * n}, ensure_ascii=False)
    for n in WORDS
]


def logged(events: list[str], end: int | None = None) -> str:
    return "".join(
        f"2026-09-01 10:00:{n:02},123 DEBUG emit {each}"[:end] + "\n" for n, each in enumerate(events)
    )


def note(text: str | bytes, size: int = 10**6, form: str | None = None) -> tuple[int | None, str] | None:
    """Line and words of the artefact about cut lines."""
    data = text.encode() if isinstance(text, str) else text
    _, records, account = read((data[at : at + size] for at in range(0, len(data), size)), form)
    list(records)  # the account is whole once they are used up
    found = [each for each in account.artefacts if each.kind == CUT_LINES]
    assert len(found) <= 1
    return (found[0].line, found[0].message) if found else None


SAID = (
    "The lines seem to be cut at 200 characters by whatever wrote them: {} end there in the middle of JSON. "
    "Raise that limit, or capture the response itself."
)


@pytest.mark.parametrize("size", [1, 7, 300, 10**6])
def test_a_log_cut_at_one_length_is_told(size: int) -> None:
    """Characters are counted, not bytes; whatever the pieces in which the bytes come."""
    assert note(logged(EVENTS, 200), size) == (2, SAID.format(4))


@pytest.mark.parametrize("size", [1, 7, 300, 10**6])
def test_json_lines_cut_at_one_length_are_told(size: int) -> None:
    """The records stay what they are; the note stands beside them."""
    assert note("".join(f"{each[:200]}\n" for each in EVENTS), size) == (2, SAID.format(4))


def test_a_limit_of_the_message_is_told_although_prefixes_differ() -> None:
    """Some loggers cut what is logged and not the line."""
    names = ("a", "worker", "b", "main.loop", "c", "d", "agui.emit")
    text = "".join(
        f"2026-09-01 10:00:00,123 DEBUG {name} {each[:120]}\n"
        for name, each in zip(names, EVENTS, strict=True)
    )
    assert note(text) == (2, SAID.replace("200", "120").format(4))


def test_a_limit_in_bytes_is_called_one() -> None:
    """Where the lines differ in characters and not in bytes."""
    events = [
        json.dumps({"type": "CUSTOM", "value": "ö" * n + "x" * 200}, ensure_ascii=False) for n in (1, 5, 9)
    ]
    text = b"".join(each.encode()[:150] + b"\n" for each in events)
    assert (note(text, form="ndjson") or (0, ""))[1].startswith("The lines seem to be cut at 150 bytes by")


def test_a_log_in_which_every_event_is_cut_says_why_nothing_was_read() -> None:
    """It is no log without events."""
    calls = [
        json.dumps({"at": n, "request": {"type": "typing", "text": "word " * (50 + n)}}) for n in range(4)
    ]
    text = "".join(
        f"2026-09-01 10:00:0{n},123 DEBUG sent {call}"[:160] + "\n" for n, call in enumerate(calls)
    )
    found, records, account = read([text.encode()])
    assert (found.form, found.foreign, list(records)) == (None, "cut-log", [])
    assert [each.kind for each in account.artefacts] == [CUT_LINES]


@pytest.mark.parametrize(
    "lines",
    [
        EVENTS,
        [each[:200] for each in EVENTS[:3]],  # two of them
        [*(each[:200] for each in EVENTS), "{" + '"x":"' + "y" * 300 + '"}'],  # a longer line is whole
        [
            *(each[:200] for each in EVENTS),
            json.dumps({"type": "CUSTOM", "value": "y" * 400})[:-3],
        ],  # or not
        [each[: 200 - n] for n, each in enumerate(EVENTS)],  # at no one length
        ['{"type":"CUSTOM","name":"heartbeat","value":{"a":"' + "x" * 60 + f'{n}"}}' for n in range(5)],
    ],
)
def test_other_broken_lines_are_not_called_cut(lines: list[str]) -> None:
    """Too few, another length, a longer line that is whole, or a bracket that the agent forgot."""
    told = note("".join(f"{each}\n" for each in lines), form="ndjson")
    assert told is None


def test_a_log_with_one_line_cut_keeps_the_vaguer_word() -> None:
    """That a line ends in the middle is certain, why is not."""
    text = logged(EVENTS[:2]) + logged(EVENTS[2:3], 150) + logged(EVENTS[3:])
    assert (note(text) or (0, ""))[1].startswith("Some log lines end in the middle of an event")


def test_pieces_of_a_container_runtime_are_not_lines_that_were_cut() -> None:
    """Those were joined again."""
    text = "".join(
        f"2026-09-01T10:00:0{n}Z stdout P {each[:100]}\n2026-09-01T10:00:0{n}Z stdout F {each[100:]}\n"
        for n, each in enumerate(EVENTS[1:4])
    )
    assert note(text) is None


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (b'{"a":"b', "string"), (b'x {"a":"b\\', "string"), (b'{"a":"b"', "open"), (b'{"a":[1,', "open"),
        (b'{"a":"}', "string"), (b'{"a":{"b":1}', "open"), (b'{"a":"{"}', ""), (b'{"a":1} x', ""), (b"{ no", ""),
        (b'say "a', ""),
    ],
)  # fmt: skip
def test_where_json_ends_is_known(text: bytes, how: str) -> None:
    """Inside a string, elsewhere before its end, or not before its end."""
    assert ends_inside(text) == how


RUN = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "weather"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "sunny " * 60},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


def test_a_record_behind_an_event_that_was_cut_follows_a_gap() -> None:
    """Nobody is blamed for what the cut line may have held: here the answer of a call."""
    lines = logged([json.dumps(event) for event in RUN], 200)
    found, records, _ = read([lines.encode()])
    read_ones = list(records)
    assert [record.framing for record in read_ones] == [(), (), (), ("gap",)]
    replay = Replay(found.protocol or "")
    for record in read_ones:
        replay.feed(record.payload, record.at, record.framing)
    report = replay.finish()
    assert [finding.rule for finding in report.findings] == []
    assert "AGUI-TOL-18" in {skipped.rule for skipped in report.skipped_rules}


def test_a_line_of_no_event_that_ends_unfinished_is_no_gap() -> None:
    """The near miss: what the agent logs of its own beside the events."""
    events = [json.dumps(event) for event in RUN]
    lines = logged([*events[:3], '{"request": {"body": "' + "x" * 90, *events[3:]])
    _, records, _ = read([lines.encode()])
    assert {record.framing for record in records} == {()}
