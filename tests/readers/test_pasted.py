"""Fences, consoles, Python dumps, UTF-16: what was taken off, what was left out, what is said."""

from __future__ import annotations

import json

import pytest

from tests.readers.wrapping import CLEAN, line, sse
from tests.readers.wrapping_texts import lines, snake, wrap_console, wrap_fence, wrap_snake, wrap_utf16
from webapp.core import Replay
from webapp.core.records import Record
from webapp.readers.base import Account
from webapp.readers.detect import detect
from webapp.readers.python.dump import translated
from webapp.readers.read import read


def got(data: bytes, form: str | None = None) -> tuple[list[Record], Account]:
    _, records, account = read([data], form)
    return list(records), account


def kinds(account: Account) -> set[str]:
    return {artefact.kind for artefact in account.artefacts}


# -- fences


def test_only_fences_with_events_are_read_and_the_prose_is_counted() -> None:
    """A record's line and offset are those of the message."""
    data = wrap_fence(CLEAN)
    records, account = got(data)
    assert kinds(account) == {"fence", "other-fences"}
    assert (account.ignored["text around the stream"], account.ignored["fence without events"]) == (3, 1)
    assert all(data[record.offset :].startswith(b"data: " + record.payload) for record in records)


def test_a_fence_that_never_closes_is_read_to_the_end() -> None:
    """People cut messages."""
    records, _ = got(f"Look\n```\n{lines(CLEAN, '')}".encode())
    assert len(records) == 5


def test_text_in_an_event_that_looks_like_a_fence_is_no_fence() -> None:
    """A clean stream stays what it is."""
    event = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "```\ncode\n```\n> quote"}
    for text, form in (
        (sse([event]), "sse"),
        (line(event), "ndjson"),
        (json.dumps([event], indent=1), "array"),
    ):
        assert detect(text.encode(), complete=True).form == form


def test_fences_without_any_event_give_no_record() -> None:
    """Nothing to judge is never a pass."""
    records, _ = got(b"```\nls -l\n```\n", "markdown")
    assert records == []


# -- the client's console


def test_the_earliest_stage_that_has_every_event_is_read() -> None:
    """The sentence names it and counts the repeats."""
    records, account = got(wrap_console(CLEAN))
    assert len(records) == 5
    [said] = [artefact.message for artefact in account.artefacts if artefact.kind == "repeated-stages"]
    assert "those of HTTP were read and 15 repeats" in said


def test_a_stage_whose_beginning_is_cut_off_gives_way_to_the_next() -> None:
    """The console forgets its oldest lines."""
    rows = wrap_console(CLEAN).decode().splitlines(keepends=True)
    records, account = got("".join(rows[3:]).encode())
    assert len(records) == 5
    assert any("those of VERIFY" in artefact.message for artefact in account.artefacts)


def test_what_a_stage_derived_from_chunks_does_not_make_it_the_one() -> None:
    """The wire's own chunks are read."""
    chunk = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-1", "delta": "x"}
    derived = [CLEAN[1], {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-1", "delta": "x"}, CLEAN[3]]
    wire = [CLEAN[0], chunk, CLEAN[4]]
    text = "".join(f"[SSE] Event received: {line(event)}\n" for event in wire)
    text += "".join(f"[VERIFY] Event: {line(event)}\n" for event in [CLEAN[0], *derived, CLEAN[4]])
    records, _ = got(text.encode())
    assert [json.loads(record.payload)["type"] for record in records] == [event["type"] for event in wire]


def test_a_shortened_event_is_not_understood() -> None:
    """A console that printed an object and not its text has not printed the event."""
    text = f"[VERIFY] Event: {line(CLEAN[0])}\n[VERIFY] Event: {{type: 'TEXT_MESSAGE_START'}}\n"
    records, account = got(text.encode())
    assert (len(records), account.not_understood) == (1, 1)
    assert "shortened" in kinds(account)


# -- Python's spelling


def test_a_dump_can_be_read_as_the_wire_instead() -> None:
    """Translated it is clean; judged as sent its names are the fault."""
    data = wrap_snake(CLEAN)
    assert detect(data, complete=True).form == "python-dump"
    for form, verdict in ((None, "conformant"), ("ndjson", "rejected")):
        replay = Replay()
        records, account = got(data, form)
        for record in records:
            replay.feed(record.payload)
        assert replay.finish().verdict == verdict
        assert ("snake-case" in kinds(account)) == (form is None)


@pytest.mark.parametrize(
    "events",
    [
        [snake(CLEAN[0]), CLEAN[4]],
        [{"type": "RUN_ERROR", "message": "x"}],
        [{"type": "STATE_SNAPSHOT", "snapshot": {"a_b": 1}}],
    ],
)
def test_one_name_of_the_wire_or_none_of_python_makes_it_the_wire(events: list[dict[str, object]]) -> None:
    """A single odd event is the agent's fault and must be found."""
    assert detect(lines(events, "").encode(), complete=True).form == "ndjson"


def test_server_sent_events_are_never_a_dump() -> None:
    """There the names were on the wire."""
    assert detect(sse(map(snake, CLEAN)).encode(), complete=True).form == "sse"


def test_what_the_application_owns_keeps_its_names() -> None:
    """And its nulls."""
    event = {
        "type": "STATE_SNAPSHOT", "snapshot": {"my_key": None}, "raw_event": None, "metadata": {"x_y": None},
    }  # fmt: skip
    assert json.loads(translated(json.dumps(event).encode())) == {
        "type": "STATE_SNAPSHOT",
        "snapshot": {"my_key": None},
        "metadata": {"x_y": None},
    }
    asked = {"type": "MESSAGES_SNAPSHOT", "messages": [
        {"id": "1", "role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, "encrypted_value": None}]},
    ]}  # fmt: skip
    [message] = json.loads(translated(json.dumps(asked).encode()))["messages"]
    assert message.keys() == {"id", "role", "toolCalls"}
    assert message["toolCalls"][0].keys() == {"id", "type", "function"}
    assert json.loads(translated(b'{"type":"STATE_SNAPSHOT","snapshot":null}')) == {
        "type": "STATE_SNAPSHOT",
        "snapshot": None,
    }


# -- UTF-16


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_other_encodings_are_brought_to_utf8(encoding: str, mark: str) -> None:
    """Known by the mark, or by the zeros of UTF-16."""
    if not mark and "32" in encoding:
        mark = "\ufeff"
    data = (mark + sse(CLEAN)).encode(encoding)
    _, records, account = read([data[at : at + 7] for at in range(0, len(data), 7)])
    assert [record.payload.decode() for record in records] == [line(event) for event in CLEAN]
    assert "transcoded" in kinds(account)


def test_half_a_character_at_the_end_is_said() -> None:
    """Nothing is lost without a word."""
    _, account = got(wrap_utf16(CLEAN) + b"\x00")
    assert "transcoded-cut" in kinds(account)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\xfe\xff\xd8", b"\xff\xfe\x00\xd8" * 5, b"a\0b\0"])
def test_odd_bytes_in_another_encoding_are_no_pass(data: bytes) -> None:
    """No event, no exception."""
    records, _ = got(data)
    assert records == []
