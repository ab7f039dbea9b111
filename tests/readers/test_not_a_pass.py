"""Empty, foreign and half-understood input, in every form: never a pass, or a pass that says what was not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.mutate import sample
from tests.readers.test_any_split import PIECES, texts
from tests.readers.wrapping import CLEAN, WRAPS
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from tests.slices import examples
from webapp.check_judge import judge
from webapp.check_text import as_text
from webapp.errors import UserError
from webapp.readers.every import every
from webapp.readers.limits import TooLarge
from webapp.readers.registry import FORMS
from webapp.readers.several import Refused

PASSES = ("conformant", "warnings")
FOREIGN = {
    "nothing": b"",
    "blank lines": b"\n \n\t\r\n",
    "prose": b"Hello,\nit does not work.\nThanks\n",
    "a page": b"<!doctype html><html><body>hi</body></html>",
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "zeros": bytes(500),
    "other JSON lines": b'{"a":1}\n{"b":2}\n',
    "other array": b'[1,2,{"x":{}}]',
    "other objects of Node": b"{ a: 1 }\n{ b: 'x' }\n",
    "source code": b"from x import y\n\ndef f(a):\n    return {'type': 'x'}\n",
    "another stream": b'event: messages/partial\ndata: [{"content":"x"}]\n\n',
    "the end of another stream": b"data: [DONE]\n\n",
    "keep-alive comments": b": ping\n\n: ping\n\n",
    "a table": b"a,b,c\n1,2,3\n",
    "another log": b"2026-09-01 10:00:00,123 INFO x started\n" * 5,
    "an empty HAR file": b'{"log":{"version":"1.2","entries":[]}}',
    "calls of something else": b"Sending HTTP request POST http://login.example/token\n"
    b"Received HTTP response headers after 1ms - 200\n",
    "an empty answer": b"HTTP/1.1 204 No Content\r\n\r\n",
    "an empty fence": b"Look:\n```json\n```\n",
}


def judged(data, form=None):
    """Every stream of a file, or none when it was refused with a sentence."""
    try:
        return [
            judge("x", stream.chunks, stream.run_input, assembled=False, form=form or stream.form)
            for stream in every(lambda: [data], form=form)
        ]
    except (Refused, TooLarge, UserError):
        return []


def says_it(one):
    """A pass is of events, and tells the lines nobody understood, in both forms of the report."""
    public = one.public()
    assert public["not_understood"] == one.account.not_understood
    json.dumps(public)
    if one.report.verdict in PASSES:
        assert one.report.events > 0
    if one.account.not_understood:
        assert "not understood" in as_text(one)
        assert one.account.strays
    if one.report.verdict == "unchecked":
        assert one.report.events == 0
        assert "Nothing was checked" in as_text(one)


@pytest.mark.parametrize("form", [None, *FORMS])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_input_is_no_pass_in_any_form(name, form):
    """Also when somebody insists on a form."""
    for one in judged(FOREIGN[name], form):
        assert one.report.verdict not in PASSES
        says_it(one)


@pytest.mark.parametrize("form", [*PIECES, None])
@given(data=st.data())
@settings(max_examples=examples(20), deadline=None)
def test_no_bytes_at_all_are_a_pass_without_an_event(form, data):
    """Pieces of every form, read as it and as what they look like."""
    text = data.draw(st.one_of(texts(form or "array"), st.binary(max_size=80)))
    for one in judged(text, form):
        says_it(one)


@given(seed=st.integers(0, 10_000_000))
@settings(max_examples=60, deadline=None)
def test_no_spoilt_file_is_a_pass_without_saying_so(seed):
    """Samples of the fuzz test."""
    for one in judged(sample(seed)):
        says_it(one)


@pytest.mark.parametrize("name", WRAPS)
def test_a_recording_that_breaks_off_is_no_pass(name):
    """Cut anywhere before its last event is whole."""
    data = WRAPS[name][1](CLEAN)
    for part in range(1, 12):
        for one in judged(data[: len(data) * part // 12]):
            assert one.report.events == 5 or one.report.verdict not in PASSES
            says_it(one)


@pytest.mark.parametrize("name", TEAMS_WRAPS)
def test_a_teams_recording_that_breaks_off_says_what_is_open(name):
    """Cut before the final message: the stream is told to be open, or, without bodies, what cannot be judged."""
    wrap = TEAMS_WRAPS[name]
    data = wrap.make(GOOD)
    for part in range(1, 12):
        for one in judged(data[: len(data) * part // 12]):
            told = one.report.findings or one.report.skipped_rules
            assert one.report.events in (0, 5) or told
            says_it(one)


JUNK = {
    "prose": b"something else\n",
    "broken JSON": b'{"at":1.6,"method":"POST","url":"https://x/v3/conversations/a/activities","request":{"ty\n',
    "other JSON": b'{"a":1}\n',
    "a list": b"[1,2]\n",
}


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("protocol", ["ag-ui", "teams"])
def test_more_junk_than_events_is_told_line_by_line(junk, protocol):
    """Ten lines of it around five that are understood: counted as not understood, or found against the stream."""
    clean = WRAPS["JSON lines"][1](CLEAN) if protocol == "ag-ui" else TEAMS_WRAPS["exchange lines"].make(GOOD)
    [one] = judged(clean + JUNK[junk] * 10)
    says_it(one)
    assert one.report.protocol == protocol
    assert one.account.not_understood == 10 or one.report.verdict not in PASSES
    [before] = judged(JUNK[junk] * 10 + clean, "ndjson")
    says_it(before)
    assert before.account.not_understood == 10 or before.report.verdict not in PASSES


def test_stray_places_of_unread_exchanges_are_those_of_the_file():
    """What no rule looked at can be opened at its line and offset."""
    data = TEAMS_WRAPS["exchange lines"].make(GOOD)
    first = data.index(b"\n") + 1
    [one] = judged(data[:first] + b'{"a":1}\n' + data[first:])
    assert [(stray.line, stray.offset, stray.text) for stray in one.account.strays] == [(2, first, '{"a":1}')]
    assert (one.report.events, one.report.verdict) == (5, "conformant")


def test_the_samples_of_the_forms_are_read_whole():
    """Nothing in the hand-made samples is lost without a word."""
    for path in sorted((Path(__file__).parent / "forms").rglob("*")):
        if path.is_file():
            for one in judged(path.read_bytes()):
                says_it(one)
