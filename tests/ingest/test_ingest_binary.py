"""A binary upload: kept as it came, and as text with one frame a line for everything that shows lines."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest

from tests.readers.frames import frame
from tests.streams import finished, message, started
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import originals, traces
from webapp.storage.db import Database

EVENTS = [started(), *message("m", "Grüße"), finished()]
FRAMES = [frame(event) for event in EVENTS]
BODY = b"".join(FRAMES)


@pytest.mark.parametrize("packed", [False, True])
def test_the_bytes_are_kept_and_the_lines_are_frames(
    database: Database, tmp_path: Path, packed: bool
) -> None:
    """The download is the upload byte for byte; a record's line is that of its frame in hexadecimal."""
    upload = gzip.compress(BODY, mtime=0) if packed else BODY
    settings = load_settings(data_dir=tmp_path)
    id_ = ingest(database, [upload[:7], upload[7:]], settings=settings, name="x.bin").id
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        assert (trace.format, trace.verdict, trace.events) == ("protobuf", "conformant", len(EVENTS))
        assert (trace.lines, trace.size, trace.not_understood) == (len(EVENTS), len(upload), 0)
        assert b"".join(originals.whole(session, trace.pk)) == upload
        lines = originals.lines(session, trace.pk, 1, 99)
        assert [(number, text) for number, _, text in lines] == [
            (number, one.hex(" ").encode()) for number, one in enumerate(FRAMES, 1)
        ]
        kinds = [artefact["kind"] for artefact in trace.artefacts]
        assert kinds == [*(["gzip"] if packed else []), "binary-upload", "binary"]
        told = next(a["message"] for a in trace.artefacts if a["kind"] == "binary-upload")
        assert told.startswith("The upload is binary.")


def test_base64_text_stays_text(database: Database, tmp_path: Path) -> None:
    """Text is kept and shown as it came."""
    text = b"\n".join(map(base64.b64encode, FRAMES))
    id_ = ingest(database, [text], settings=load_settings(data_dir=tmp_path), name="x.txt").id
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        assert (trace.format, trace.verdict, trace.lines) == ("protobuf", "conformant", len(EVENTS))
        assert [line for _, _, line in originals.lines(session, trace.pk, 1, 99)] == text.split(b"\n")


def test_another_form_that_was_chosen_gets_the_bytes(database: Database, tmp_path: Path) -> None:
    """Nothing is made text for a reader that did not ask for it, and nothing readable is unchecked."""
    id_ = ingest(database, [BODY], settings=load_settings(data_dir=tmp_path), name="x", form="ndjson").id
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        assert (trace.format, trace.verdict) == ("ndjson", "unchecked")
        assert b"".join(originals.text(session, trace.pk)) == BODY


def test_the_response_head_is_stored_without_values(database: Database, tmp_path: Path) -> None:
    """Status, content type and the names of the other headers; a cookie's value is nowhere in it."""
    body = (
        b"HTTP/1.1 502 Bad Gateway\nContent-Type: text/event-stream\nSet-Cookie: s=secret\n\n"
        b'data: {"type":"RUN_ERROR","message":"no"}\n\n'
    )
    id_ = ingest(database, [body], settings=load_settings(data_dir=tmp_path), name="x").id
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        assert trace.head == {"status": 502, "content_type": "text/event-stream", "headers": ["set-cookie"]}
        assert (trace.verdict, trace.warnings) == ("warnings", 1)
