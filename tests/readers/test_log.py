"""Log lines: prefixes, JSON logs, cut and joined lines, repeats by a second logger, times."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.readers.wrapping import CLEAN, line
from tests.readers.wrapping_texts import PYTHON, lines
from webapp.core.records import Record
from webapp.readers.base import Account
from webapp.readers.detect import detect
from webapp.readers.log import times
from webapp.readers.read import read

EVENT = line(CLEAN[0])


def got(text: str | bytes, form: str | None = None) -> tuple[list[Record], Account]:
    _, records, account = read([text if isinstance(text, bytes) else text.encode()], form)
    return list(records), account


def kinds(account: Account) -> list[str]:
    return [artefact.kind for artefact in account.artefacts]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-09-01T08:00:00Z ", 1_788_249_600.0),
        ("2026-09-01 10:00:00,123 INFO x", 1_788_256_800.123),
        ("2026-09-01T10:00:00.5+02:00 x", 1_788_249_600.5),
        ("2026-09-01 10:00:00 +0200 x", 1_788_249_600.0),
        ("[2026/09/01 08:00:00.25] x", 1_788_249_600.25),
        ('10.0.0.1 - - [01/Sep/2026:10:00:00 +0200] "POST"', 1_788_249_600.0),
        ("Tue, 01 Sep 2026 08:00:00 GMT x", 1_788_249_600.0),
        ("1788249600 x", 1_788_249_600.0),
        ("1788249600123 x", 1_788_249_600.123),
        ("1788249600.5 x", 1_788_249_600.5),
        ("level=info ts=1788249600.25 msg=x", 1_788_249_600.25),
        ("agent-1  | 2026-09-01T08:00:00Z x", 1_788_249_600.0),
        ("INFO: 2026-09-01T08:00:00.000000001Z 10:00:00 x", 1_788_249_600.0),
    ],
)
def test_a_time_with_its_date_is_seconds_since_1970(text: str, seconds: float) -> None:
    """Zones are brought to UTC; of two times the first counts."""
    found = times.find(text)
    assert found is not None
    assert found.dated
    assert found.seconds == pytest.approx(seconds, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("[12:00:01.123] x", 43_201.123),
        ("Sep  1 10:00:01 host x", 36_001.0),
        ("09/01/2026 1:00:01 PM x", 46_801.0),
        ("12:00:01 AM x", 1.0),
        ("I0901 10:00:01.5 1 x.go:1]", 36_001.5),
    ],
)
def test_without_a_whole_date_the_time_of_day_is_told(text: str, seconds: float) -> None:
    """A year that is not there, or day and month in an unknown order, are not guessed."""
    found = times.find(text)
    assert found is not None
    assert not found.dated
    assert found.seconds == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["INFO x", "25:00:00 x", "10:61:00", "2026-13-01T10:00", "12345 x", "::1:2:3", ""]
)
def test_what_is_no_time_is_none(text: str) -> None:
    """Numbers and addresses are left alone."""
    assert times.find(text) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1_788_249_600_000, 1_788_249_600.0),
        ("1788249600000000", 1_788_249_600.0),
        (1_788_249_600.5, 1_788_249_600.5),
        ("2026-09-01T08:00:00Z", 1_788_249_600.0),
        (5, None),
        (True, None),
        ("soon", None),
        (None, None),
        (float("inf"), None),
    ],
)
def test_a_member_tells_the_time_in_any_unit(value: Any, seconds: float | None) -> None:
    """Seconds to nanoseconds, as numbers or text."""
    found = times.member(value)
    assert (None if found is None else found.seconds) == seconds


def test_a_record_names_its_line_and_the_time_before_it() -> None:
    """Line, offset and bytes are those of the log."""
    text = "2026-09-01 09:59:59,000 INFO up\n" + lines(CLEAN, PYTHON)
    records, account = got(text)
    assert [record.line for record in records] == [2, 3, 4, 5, 6]
    assert [record.payload.decode() for record in records] == [line(event) for event in CLEAN]
    assert records[1].offset == text.encode().index(b"2026-09-01 10:00:01")
    assert records[0].prefix_at == pytest.approx(1_788_256_800.123)
    assert (account.ignored, kinds(account)) == ({"log line without an event": 1}, ["log-prefix"])


def test_lines_that_are_neither_prefix_nor_event_are_not_understood() -> None:
    """A traceback is shown, a cut event too, with a word about it."""
    text = (
        f"{PYTHON.format(n=1)}{EVENT}\nTraceback (most recent call last):\n{PYTHON.format(n=2)}{EVENT[:30]}\n"
    )
    records, account = got(text)
    assert (len(records), account.not_understood) == (1, 2)
    assert [stray.line for stray in account.strays] == [2, 3]
    assert "cut-lines" in kinds(account)


def test_an_unknown_type_at_the_place_of_events_is_an_event() -> None:
    """The same prefix says it; JSON behind another one is only a log line."""
    text = f'10:00:01 DEBUG emit {EVENT}\n10:00:02 DEBUG emit {{"type":"Odd"}}\n10:00:03 INFO cfg {{"type":"Odd"}}\n'
    records, account = got(text)
    assert [record.payload for record in records] == [EVENT.encode(), b'{"type":"Odd"}']
    assert account.ignored == {"log line without an event": 1}


def test_an_event_printed_by_a_second_logger_is_read_once() -> None:
    """But twice by the same logger is twice in the stream."""
    both = "".join(f"10:00:01 DEBUG encoder {line(e)}\n10:00:01 DEBUG sse data: {line(e)}\n" for e in CLEAN)
    records, account = got(both)
    assert [record.payload.decode() for record in records] == [line(event) for event in CLEAN]
    assert "repeated-by-logger" in kinds(account)
    assert len(got(lines([CLEAN[0], CLEAN[0]], PYTHON))[0]) == 2


def test_a_json_log_gives_its_member_as_it_stands_and_its_time() -> None:
    """The bytes are the line's own, spaces and order too; other entries are ignored."""
    inside = '{ "type" : "CUSTOM", "name":"n","value": 1.10 }'
    text = f'{{"time":1788249600123,"msg":"up"}}\n{{"time":1788249600124,"msg":"emit","event":{inside}}}\n'
    records, account = got(text)
    assert [(record.payload.decode(), record.prefix_at) for record in records] == [
        (inside, 1_788_249_600.124)
    ]
    assert account.ignored == {"log line without an event": 1}
    assert "unwrapped" in kinds(account)


def test_a_member_can_hold_the_event_as_text() -> None:
    """As JSON, or as a whole log line of its own."""
    rows = [
        {"@timestamp": "2026-09-01T08:00:00Z", "message": EVENT},
        {"@timestamp": "2026-09-01T08:00:00Z", "message": f"emit {EVENT}"},
        {"jsonPayload": {"data": {"e": CLEAN[0]}}, "timestamp": "2026-09-01T08:00:00Z"},
    ]
    for row in rows:
        records, _ = got(json.dumps(row, ensure_ascii=False) + "\n")
        assert [(json.loads(r.payload), r.prefix_at) for r in records] == [(CLEAN[0], 1_788_249_600.0)]


def test_several_zones_are_brought_together_and_said() -> None:
    """One clock for all lines."""
    text = f"2026-09-01T10:00:00+02:00 a {EVENT}\n2026-09-01T08:00:01Z a {line(CLEAN[1])}\n"
    records, account = got(text)
    assert [record.prefix_at for record in records] == [1_788_249_600.0, 1_788_249_601.0]
    [said] = [artefact.message for artefact in account.artefacts if artefact.kind == "time-zones"]
    assert "UTC, +02:00" in said


def test_times_of_day_are_said_to_have_no_date() -> None:
    """The flag is there with the first record."""
    _, records, account = read([f"[12:00:01.5] {EVENT}\n".encode()])
    assert next(records).prefix_at == 43_201.5
    assert account.time_of_day
    assert list(records) == []
    assert "time-of-day" in kinds(account)


@pytest.mark.parametrize("first", ['ssageId":"m-1","delta":"x"}', "...", "[120 lines omitted]"])
def test_a_log_that_was_cut_at_its_beginning_says_so(first: str) -> None:
    """Known with the first record, so that the engine can be told."""
    _, records, account = read([f"{first}\n{PYTHON.format(n=1)}{line(CLEAN[2])}\n".encode()])
    next(records)
    assert account.head_missing
    assert "head-missing" in kinds(account)


@pytest.mark.parametrize(
    "text",
    [
        f"data: {EVENT}\n\n" * 3,
        f"{EVENT}\n" * 3,
        f"[{EVENT},\n{EVENT}]",
        json.dumps([CLEAN[0], {"type": "RAW", "event": CLEAN[0]}], indent=1),
        f'{{"type":"RAW","event":{EVENT}}}\n' * 3,
        f"data: {EVENT}\n: note {EVENT}\n\n",
        "2026-09-01 10:00:00,123 INFO nothing here {}\n",
    ],
)
def test_a_clean_stream_is_never_a_log(text: str) -> None:
    """Nor is a log without any event."""
    assert detect(text.encode(), complete=True).form not in ("log", "typed")


def test_bait_for_slow_matching_is_read_in_one_go() -> None:
    """Many brackets, quotes and escapes on one line are only looked at a few times."""
    for bait in ("{" * 200_000, '{"a":' * 50_000, "[" * 200_000, 'x {"' + '\\"' * 200_000, "\x1b]" * 100_000):
        records, account = got(f"10:00:01 INFO a {EVENT}\n10:00:02 INFO a {bait}\n", "log")
        assert len(records) == 1
        assert account.lines == 2
