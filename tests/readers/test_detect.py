"""Detection: by content alone, with reasons; and `read`, which does all of it."""

from __future__ import annotations

import gzip
import json

import pytest

from webapp.readers.detect import detect, open_reader
from webapp.readers.head import HEAD_BYTES
from webapp.readers.limits import Limits, TooLarge
from webapp.readers.read import read

EVENT = b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
PRETTY = json.dumps(json.loads(EVENT), indent=2).encode()
EXCHANGE = (
    b'{"at":1.6,"method":"POST","url":"https://x/v3/conversations/c/activities","request":{"type":"typing"}}'
)
ACTIVITY = b'{"type":"typing","text":"Hel","entities":[{"type":"streaminfo","streamType":"streaming"}]}'

FORMS = {
    "sse": [
        b"data: " + EVENT + b"\n\n",
        b"data:" + EVENT,
        b": hello\n\nretry: 100\n\nevent: x\ndata: " + EVENT + b"\n\n",
        b"event: message\nid: 1\ndata: " + EVENT + b"\r\n\r\n",
        b"\xef\xbb\xbfdata: " + EVENT + b"\n\n",
        b"data: [DONE]\n\n",
        b"data: " + b'{"delta":"\\u0000 \x00"}' + b"\n\n",
    ],
    "ndjson": [
        EVENT,
        EVENT + b"\n" + EVENT + b"\n",
        EVENT + b'\n{"type":"RU',
        b"{broken\n" + (EVENT + b"\n") * 3,
        b'{"type":"RUN_STA',
        b"A log:\n" + EVENT + b"\nmore prose\n" + EVENT,
    ],
    "array": [
        b"[" + EVENT + b"]",
        b"[\n  " + EVENT + b",\n  " + EVENT + b"\n]",
        b"\n\n[\n",
        b"[]",
        PRETTY,
        PRETTY + b"\n" + PRETTY,
        EVENT + EVENT,
        EVENT + b",\n" + EVENT + b",\n" + EVENT,
        json.dumps([json.loads(EVENT)] * 3, indent=4).encode(),
    ],
    "http": [
        b"< HTTP/1.1 200 OK\n\ndata: " + EVENT + b"\n\n",
    ],
    "markdown": [
        b"```json\n[\n" + PRETTY + b"\n]\n```",
    ],
}


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, texts in FORMS.items() for text in texts])
def test_the_form_is_known_by_content(form, text):
    """Each way people save a stream leads to its reader."""
    found = detect(text, complete=True)
    assert found.form == form
    assert 0 < found.score <= 1
    assert found.reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"<!DOCTYPE html>\n<html><script>\ndata: 1\n</script>", "an HTML page"),
        (b"  <html>", "an HTML page"),
        (b'<?xml version="1.0"?>', "XML or HTML markup"),
        (b"\x00\x01\x02\x03binary", "binary"),
        (b"PK\x03\x04rest", "a zip archive; unpack it and give the file inside"),
        (b"Hello, it does not work.\nPlease help.", "plain text"),
        (b"[2026-09-01] INFO started", "plain text"),
    ],
)
def test_what_is_no_stream_is_named_in_plain_words(text, reason):
    """The verdict `unchecked` says what was given instead."""
    found = detect(text, complete=True)
    assert (found.form, found.score, found.reasons, found.protocol) == (None, 0.0, (reason,), None)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b'{"log": {"version": "1.2", "entries": []}}', "HAR"),
        (b'{"threadId":"t","runId":"r","messages":[],"tools":[]}', "input of a run"),
    ],
)
def test_another_kind_of_recording_is_not_judged_as_a_stream(text, word):
    """A file that holds no event itself must not be called a broken one."""
    found = detect(text, complete=True)
    assert found.form is None
    assert word in found.reasons[0]


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        (b"data: " + EVENT + b"\n\n", "ag-ui"),
        (b"[" + EVENT + b"]", "ag-ui"),
        (PRETTY, "ag-ui"),
        (b'{"type":"THINKING_START"}\n', "ag-ui"),
        (EXCHANGE + b"\n" + EXCHANGE, "teams"),
        (ACTIVITY, "teams"),
        (b"[" + ACTIVITY + b"," + ACTIVITY + b"]", "teams"),
        (json.dumps(json.loads(ACTIVITY), indent=1).encode(), "teams"),
        (b'{"type":"keepalive"}\n', None),
        (b"data: hello\n\n", None),
        (b'{"type":"CUSTOM","name":"n","value":{"method":"GET","url":"u","request":1}}', "ag-ui"),
    ],
)
def test_the_protocol_is_known_by_content(text, protocol):
    """AG-UI by event names, Teams by exchanges and streamed activities, nothing by guess."""
    assert detect(text, complete=True).protocol == protocol


def test_a_first_record_longer_than_the_head_still_tells_form_and_protocol():
    """A huge snapshot at the start is common."""
    big = b'{"type":"STATE_SNAPSHOT","snapshot":"' + b"x" * 2 * HEAD_BYTES
    assert (detect(b"data: " + big, complete=False).form, detect(b"[" + big, complete=False).form) == (
        "sse",
        "array",
    )
    found = detect(big, complete=False)
    assert (found.form, found.protocol) == ("ndjson", "ag-ui")


def test_comments_longer_than_the_head_are_a_stream():
    """Heartbeats before the first event."""
    assert detect(b": ping\n\n" * 20_000, complete=False).form == "sse"


@pytest.mark.parametrize("size", [1, 1000, 10_000_000])
def test_read_detects_and_replays_the_head(size):
    """Nothing of the head is lost or read twice, whatever the pieces."""
    text = b"".join(b'data: {"type":"RUN_STARTED","n":%d}\n\n' % n for n in range(3000))
    found, records, account = read(text[at : at + size] for at in range(0, len(text), size))
    assert (found.form, found.protocol) == ("sse", "ag-ui")
    assert [json.loads(record.payload)["n"] for record in records] == list(range(3000))
    assert account.lines == 6000


def test_read_takes_the_form_it_is_told():
    """The user may override what was detected."""
    found, records, account = read([b"data: {}\n\n"], form="ndjson")
    assert (found.form, found.score) == ("ndjson", 1.0)
    assert list(records) == []
    assert account.not_understood == 1


def test_read_accounts_for_text_it_cannot_read():
    """No form, no record, every line told."""
    found, records, account = read([b"Hello\n\nit is broken"])
    assert found.form is None
    assert list(records) == []
    assert (account.lines, account.not_understood, account.ignored) == (3, 2, {"blank line": 1})
    assert [(stray.line, stray.offset) for stray in account.strays] == [(1, 0), (3, 7)]


@pytest.mark.parametrize("size", [1, 50, 1_000_000])
def test_read_expands_gzip(size):
    """Compressed and plain are the same recording, but for the note."""
    plain = (b"data: " + EVENT + b"\n\n") * 500
    packed = gzip.compress(plain)
    found, records, account = read(packed[at : at + size] for at in range(0, len(packed), size))
    assert found.form == "sse"
    assert list(records) == list(read([plain])[1])
    assert [artefact.kind for artefact in account.artefacts] == ["gzip"]


def test_read_refuses_a_file_that_expands_too_far():
    """One sentence, and never more than the limit in memory."""
    packed = gzip.compress(b"data: x\n\n" * 100_000)
    with pytest.raises(TooLarge, match="holds more than 500 kB"):
        list(read([packed], limits=Limits(max_expanded_bytes=500_000))[1])


def test_an_unknown_form_is_refused_by_name():
    """A wrong form is the caller's mistake, not the input's."""
    with pytest.raises(KeyError, match="toml"):
        open_reader("toml")


@pytest.mark.parametrize("odd", [b"{}", b"[]", b"7", b"null", b'{"a":[1]}', b"true"])
def test_a_type_that_is_no_text_is_no_sign_of_anything(odd):
    """The first record may hold any JSON value as its `type`."""
    found, records, _ = read([b'data: {"type":' + odd + b"}\n\ndata: " + EVENT + b"\n\n"])
    assert (found.form, found.protocol, len(list(records))) == ("sse", "ag-ui", 2)


TOLD = (
    "RunStartedEvent(type=<EventType.RUN_STARTED: 'RUN_STARTED'>, thread_id='t', run_id='r')",
    "type=<EventType.RUN_STARTED: 'RUN_STARTED'> timestamp=None thread_id='t' run_id='r'",
    "{ type: 'message', channelData: { streamType: 'final' } }\nconfig: { url: '/v3/conversations/a/activities' }",
    "Activity(type='typing', entities=[{'type': 'streaminfo', 'stream_type': 'streaming'}])",
    'HTTP Request: POST https://h.example/v3/conversations/a/activities "HTTP/1.1 201 Created"',
    '[DEBUG] app {\n[DEBUG] app   "type": "typing"',
)


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("form", ["sse", "ndjson", "array", "log", "typed"])
def test_what_an_event_says_does_not_make_the_form(form, told):
    """An agent may show code, logs and objects in its texts, in every form of recording."""
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "CUSTOM", "name": "code", "value": {"text": told, "list": [told]}},
    ]
    lines = [json.dumps(event) for event in events]
    text = {
        "sse": "".join(f"data: {line}\n\n" for line in lines),
        "ndjson": "\n".join(lines),
        "array": json.dumps(events, indent=2),
        "log": "".join(f"2026-09-01 10:00:00,123 DEBUG app emit {line}\n" for line in lines),
        "typed": "".join(f"{event['type']}: {line}\n" for event, line in zip(events, lines, strict=True)),
    }[form]
    found = detect(text.encode(), complete=True)
    assert (found.form, found.protocol) == (form, "ag-ui")
