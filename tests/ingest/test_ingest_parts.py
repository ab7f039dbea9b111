"""Files with several streams come in: asked for first, and nothing kept of what was not picked."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.ingest.test_ingest_teams import on_disk, read
from tests.readers.several import CANARY, FILES, run, two_in_a_zip, zipped
from tests.readers.wrapping import CLEAN, WRAPS, sse
from webapp.errors import BadInput
from webapp.ingest.choose import ManyStreams, ask
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage.db import Database


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_stored_until_it_is_known_which(database: Database, name: str) -> None:
    """The question names the streams; no byte of them is in the database."""
    with pytest.raises(ManyStreams) as told:
        ingest(database, [FILES[name][0]], name="x")
    assert [choice.title for choice in told.value.choices] == FILES[name][1]
    assert CANARY.encode() not in on_disk(database)


@pytest.mark.parametrize("name", FILES)
def test_only_the_picked_stream_is_stored(database: Database, name: str) -> None:
    """A trace of its own, named after the file and the stream; of the others no canary is found."""
    asked = ask([FILES[name][0]], load_settings())
    assert asked is not None
    trace = read(database, ingest(database, [FILES[name][0]], name="file.x", part=asked.choices[0].id).id)
    assert (trace.name, trace.source) == (f"file.x › {asked.choices[0].title}", "file.x")
    assert trace.events == 5
    stored = on_disk(database)
    assert f"{CANARY}1".encode() in stored
    assert not any(f"{CANARY}{n}".encode() in stored for n in (2, 3, 8, 9))
    assert b"zzSECRET" not in stored


def test_each_stream_is_found_again_and_not_stored_twice(database: Database) -> None:
    """The same stream of the same file is here already; another one is another trace."""
    first = ingest(database, [two_in_a_zip()], name="a.zip", part="m1")
    again = ingest(database, [two_in_a_zip()], name="b.zip", part="m1")
    other = ingest(database, [two_in_a_zip()], name="a.zip", part="m2")
    assert (again.id, again.duplicate, other.duplicate) == (first.id, True, False)
    bare = ingest(database, [sse(run(1)).encode()], name="first.sse")
    assert (bare.id, bare.duplicate) == (first.id, True)


def test_a_request_in_the_file_is_the_run_input(database: Database) -> None:
    """Of a HAR file, a DevTools recording and an inspector recording; one that is sent with it wins."""
    for name in ("HAR, body as text", "AG-UI DevTools", "agui-inspector"):
        trace = read(database, ingest(database, [WRAPS[name][1](CLEAN)], name=name).id)
        assert trace.input is not None, name
        assert trace.input["threadId"] == "t-1"
    own = {"threadId": "t-1", "runId": "r-1", "messages": [], "tools": [], "state": 1}
    trace = read(database, ingest(database, [WRAPS["AG-UI DevTools"][1](CLEAN)], name="x", run_input=own).id)
    assert trace.input == own


@pytest.mark.parametrize(
    "name", ["AG-UI DevTools", "agui-inspector", "CopilotKit inspector", "debug stream, SSE"]
)
def test_a_file_with_one_stream_is_kept_byte_for_byte(database: Database, name: str) -> None:
    """Nothing was left out of it, so nothing was changed."""
    data = WRAPS[name][1](CLEAN)
    trace = read(database, ingest(database, [data[:40], data[40:]], name="x").id)
    assert (trace.size, trace.name, trace.verdict) == (len(data), "x", "conformant")


@pytest.mark.parametrize(
    ("data", "part", "why"),
    [
        (gzip.compress(two_in_a_zip()), None, "unpack it once"),
        (zipped({"a.zip": two_in_a_zip()}), None, "Archives inside an archive are not opened"),
        (two_in_a_zip(), "m7", "no stream called m7"),
        (sse(CLEAN).encode(), "m1", "one stream only"),
    ],
)
def test_what_is_not_opened_is_told_and_nothing_is_stored(
    database: Database, data: bytes, part: str | None, why: str
) -> None:
    """One sentence each."""
    with pytest.raises(BadInput) as told:
        ingest(database, [data], name="x", part=part)
    assert why in told.value.sentence
    assert CANARY.encode() not in on_disk(database)


def test_a_file_of_one_in_an_archive_asks_nothing(database: Database) -> None:
    """It is opened at once; the notes say where it came from."""
    data = zipped(
        {
            "logs/run.sse": sse(CLEAN),
            "logs/run.input.json": json.dumps({"threadId": "t-1", "runId": "r-1", "messages": []}),
        }
    )
    trace = read(database, ingest(database, [data], name="a.zip").id)
    assert (trace.name, trace.format, trace.verdict) == ("a.zip › logs/run.sse", "sse", "conformant")
    assert trace.input is not None
    assert trace.artefacts[0]["message"].startswith("Taken out of a zip archive: logs/run.sse.")
