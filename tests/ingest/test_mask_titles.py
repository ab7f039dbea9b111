"""What a file, a stream or a member of an archive is called holds no credential either."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.ingest.credentials import ADDRESSES, CANARY, HEADERS, SHAPES, named
from tests.streams import finished, message, sse, started
from webapp.ingest.choose import ManyStreams
from webapp.ingest.mask_titles import masked_title
from webapp.ingest.upload import ingest
from webapp.storage import traces
from webapp.storage.db import Database

WORDS = [value for value in SHAPES.values() if "/" not in value and "+" not in value]
NAMES = [
    *(f"logs/{value}.sse" for value in WORDS),
    *(f"logs/run-{value}.sse" for value in WORDS),
    *(f"2026-09-01_{value}.ndjson.gz" for value in WORDS),
    *(f"Taken out of a zip archive: a/user_{value}, one of 3 streams" for value in WORDS),
    *(f"GET {value}" for value in ADDRESSES.values()),
    f"a/token={named(1)}.sse",
    f"a/api_key={named(2)}.json",
    f"access_token={named(3)}&x=1.har",
    f"run-sessionid={named(4)}.sse",
    f"curl -H 'Authorization: {HEADERS['Authorization']}'.txt",
]
UNTOUCHED = [
    "logs/2026-09-01/run-0a1B2c3D4e5F6a7B8c9D.sse", "POST /agent #2", "task-1234567890abcdefghij.ndjson",
    "thread_t1A2b3C4d5E6f7G8.sse", "sessionId-a1B2c3D4.sse", "key=title/code=404.har", "the-secret-sauce.sse",
    "pasted text", "", "https://host.example/agent?threadId=t1A2b3C4d5", "sk-loading-indicator-container.sse",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_credential_is_left_in_a_name(name: str) -> None:
    """Also where words are joined by what file names are joined by."""
    clean = masked_title(name)
    assert CANARY.lower() not in clean.lower(), clean
    assert len(clean) == len(name)
    assert masked_title(clean) == clean


@pytest.mark.parametrize("name", UNTOUCHED)
def test_other_names_stay(name: str) -> None:
    """Dates, ids, words."""
    assert masked_title(name) == name


def test_a_name_keeps_what_it_ends_with() -> None:
    """So that one sees what kind of file it was."""
    assert masked_title("a/run-" + SHAPES["github"] + ".sse").endswith("*.sse")
    assert masked_title("a/token=" + named(1) + ".sse") == "a/token=[secret]***.sse"


def archive(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for number, name in enumerate(names):
            file.writestr(name, sse(started(), *message(f"m{number}", "hello"), finished()))
    return packed.getvalue()


def test_tokens_in_the_names_of_an_archive_s_files_are_not_kept_or_shown(database: Database) -> None:
    """In the question which stream to open, and in the trace made of one."""
    names = (f"a/run-{SHAPES['github']}.sse", f"b/token={named(1)}.sse")
    with pytest.raises(ManyStreams) as asked:
        ingest(database, [archive(*names)], name="all.zip")
    assert CANARY not in str(asked.value.listed())
    for choice in asked.value.choices:
        made = ingest(database, [archive(*names)], name="all.zip", part=choice.id)
        with database.session() as session:
            trace = traces.get(session, made.id)
            assert trace is not None
            assert "[secret]" in trace.name
            assert CANARY not in f"{trace.name} {trace.source} {trace.artefacts} {trace.upload_notes}"
