"""The very bytes of a recording's records, read back from storage."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path

import pytest

from tests.streams import finished, message, sse, started
from webapp.ingest import playback
from webapp.ingest.playback import Tape
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import originals, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace

BAD = b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\xff\xfe %d"}\n\n'
NUL = b'data: {"type":"CUSTOM","name":"n","value":"a\x00b"}\n\n'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


def stored(database: Database, body: bytes, **more: str) -> Trace:
    """The trace of a recording."""
    id_ = ingest(database, [body], name="a trace", **more).id
    with database.session() as session:
        trace = traces.get(session, id_)
    assert trace is not None
    return trace


def payloads(tape: Tape) -> list[bytes]:
    """All of them, a page at a time."""
    out: list[bytes] = []
    while page := tape.page(len(out)):
        out += [frame.payload for frame in page]
    return out


def data_of(body: bytes) -> list[bytes]:
    return [line[6:] for line in body.split(b"\n") if line.startswith(b"data: ")]


def test_text_comes_back_as_it_was(database: Database, settings: Settings) -> None:
    """Unusual spacing, escapes and characters of any plane included."""
    odd = '{ "type" : "CUSTOM", "name":"\\u00e9\\ud83d\\ude00 \u2028 \U0001f600","value": 1.0e3 }'
    body = sse(started(), odd, *message("m", "é"), finished())
    assert payloads(Tape(database, stored(database, body), settings)) == data_of(body)


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_that_are_no_text_come_back_as_they_were(
    database: Database, settings: Settings, packed: bool
) -> None:
    """They are replaced in the table of records, so the original has them: of a packed upload too."""
    body = sse(started()) + BAD % 1 + NUL + "data: \ufffd is a character too\n\n".encode() + sse(finished())
    trace = stored(database, gzip.compress(body) if packed else body)
    assert payloads(Tape(database, trace, settings)) == data_of(body)


def test_json_lines_come_back_too(database: Database, settings: Settings) -> None:
    """In other forms than SSE the same holds."""
    lines = [json.dumps(started()).encode(), (BAD % 1)[6:-2], json.dumps(finished()).encode()]
    trace = stored(database, b"\n".join(lines) + b"\n")
    assert trace.format == "ndjson"
    assert payloads(Tape(database, trace, settings)) == lines


def test_the_original_is_read_in_parts(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more exact bytes are held than HELD: what lies behind is looked for when it is reached."""
    monkeypatch.setattr(playback, "HELD", 200)
    looked = []
    read = originals.text
    monkeypatch.setattr(originals, "text", lambda session, pk: looked.append(pk) or read(session, pk))
    body = sse(started()) + b"".join(BAD % n for n in range(9)) + sse(finished())
    assert payloads(Tape(database, stored(database, body), settings)) == data_of(body)
    assert 1 < len(looked) < 9


def test_an_original_that_cannot_be_read_leaves_the_text(
    database: Database, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """A limit that was lowered since ends no replay: the text is sent, and the log says so."""
    body = gzip.compress(sse(started()) + BAD % 1 + sse(finished()))
    trace = stored(database, body)
    trace.format = "no such form"
    with caplog.at_level(logging.WARNING):
        found = payloads(Tape(database, trace, settings))
    assert len(found) == 3
    assert "\ufffd\ufffd 1".encode() in found[1]
    assert "cannot be read again" in caplog.text


@pytest.mark.parametrize(
    ("end", "cut"),
    [
        (b'data: {"type":"TEXT_MESS', True),
        (b'data: {"type":"TEXT_MESS\n\n', False),  # whole, and no JSON
        (b'data: {"type":"CUSTOM","name":"n","value":1}', False),  # pasted without its last line end
        (b"data: [DONE]", False),
        (b"data: hello", False),
    ],
)
def test_a_recording_that_was_cut_ends_inside_its_last_record(
    database: Database, settings: Settings, end: bytes, cut: bool
) -> None:
    """Only where there is no line end and no whole JSON text; no other record is ever cut."""
    tape = Tape(database, stored(database, sse(started()) + end), settings)
    frames = tape.page(0)
    assert [frame.cut for frame in frames] == [False, cut]
    assert tape.page(2) == []
