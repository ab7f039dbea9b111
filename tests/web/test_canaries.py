"""Traces whose every text is a canary, behind links and as downloads of each level: no canary where it must not be.

What is looked at is what leaves the server: bodies and headers of pages, parts of pages, pictures, reports, exports,
originals and the play-back of `/s/TOKEN`, the redacted download, the log; and the copy's own rows in the database.
"""

from __future__ import annotations

import json
import logging
import re
import time
import zlib
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from tests.exchanges import STREAM, activity, exchange
from tests.redact.canaries import LETTERS, canary_line
from tests.slices import every
from tests.streams import finished, sse, started
from webapp.ingest.copies import copy_for
from webapp.ingest.upload import ingest
from webapp.readers.read import read
from webapp.settings import Settings
from webapp.storage import findings, shares, traces
from webapp.storage.base import hanging_on_traces
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.views.panels import PANELS

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "webapp" / "samples"
RECORDINGS = (
    SAMPLES / "msaf-old-tool.sse",
    ROOT / "tests" / "samples" / "nested-subagents-timed.sse",
    SAMPLES / "agpy19-citation-bracket.exchanges.jsonl",
    ROOT / "tests" / "samples" / "teams" / "tpy21-expiry-short.exchanges.jsonl",
    ROOT / "tests" / "cases" / "streams" / "legal-tour.toml",
)
LETTER = LETTERS.pattern.strip("[]")
# a Cyrillic letter as itself, in an address, in JSON, in a page's number
CANARY = re.compile(
    rf"[{LETTER}]|%D[0-3]%|\\u04[0-9a-f]{{2}}|&#(?:10[2-9]\d|11\d\d|12[0-7]\d);", re.IGNORECASE
)
PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
TAILS = ("original", "report.html", "sequence.svg", "sequence.mmd", "exchanges.jsonl", "play")
PERSON = re.compile(r"mia\.canary|canary\.example|DE89\s?3704|4111\s?1111|0171[ /]?5550")
PERSONAL = "Write to mia.canary@canary.example, call 0171 5550123, pay DE89 3704 0044 0532 0130 00."


def turned(path: Path) -> bytes:
    """A recording with its texts turned into canaries; one without frames, so that no reader is in the way."""
    if path.suffix == ".toml":
        lines = [
            line.encode() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("{")
        ]
    else:
        lines = [record.payload for record in read([path.read_bytes()])[1]]
    return b"".join(canary_line(line) + b"\n" for line in lines)


def pages(path: str, last: int) -> Iterator[str]:
    """Every kind of address of a link: each panel at some records, as page and as part, and everything to take away."""
    events = sorted({0, min(2, last), last // 2, last})
    for number, panel in enumerate(PANELS):
        for event in every(events, 2, number + last):
            yield f"{path}/{panel}?event={event}"
        yield f"{path}?panel={panel}&event={last}&asof=end"
    yield f"{path}/source?only=strays"
    yield f"{path}/events?hits=1&unfolded=1"
    yield from (f"{path}/{tail}" for tail in TAILS)


def told(client: TestClient, address: str) -> str:
    """What an answer says: headers and body."""
    answer = client.get(address)
    assert answer.status_code in (200, 404), (address, answer.status_code)
    pictures = [b64decode(data).decode() for data in PICTURE.findall(answer.text)]  # a report brings its own
    return "\n".join([str(answer.headers), answer.text, *pictures])


def rows_of(database: Database, trace: int) -> str:
    """Everything the database holds under one trace, as text; originals expanded."""
    out = []
    with database.session() as session:
        for table in hanging_on_traces():
            for row in session.execute(select(table).where(table.c.trace == trace)):
                out += [zlib.decompress(v).decode() if isinstance(v, bytes) else str(v) for v in row]
        own = Trace.__table__
        out += map(str, session.execute(select(own).where(own.c.pk == trace)).one())
    return "\n".join(out)


def store(database: Database, settings: Settings, data: bytes) -> tuple[str, int, int]:
    """(id, pk, last record) of a recording; it has a name, a ticket and a note of its own, in canaries too."""
    public = ingest(database, [data], name="имя", source="файл", settings=settings).id
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        traces.set_note(session, trace.pk, "заметка")
        traces.set_ticket(session, trace.pk, "билет")
        return public, trace.pk, trace.records - 1


def link(database: Database, pk: int, level: str) -> str:
    with database.session() as session:
        _, token = shares.create(session, pk, name="ссылка", now=time.time(), days=7, level=level)
    return f"/s/{token}"


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_link_without_texts_shows_no_canary(
    client: TestClient,
    database: Database,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    recording: Path,
) -> None:
    """No page, part, picture, report, export, header or line of the log has one; nor has a row of the copy."""
    caplog.set_level(logging.DEBUG)
    _, pk, last = store(database, settings, turned(recording))
    path = link(database, pk, "structure")
    leaks = {}
    for address in pages(path, last):
        if (found := CANARY.search(text := told(client, address))) is not None:
            leaks[address.removeprefix(path)] = text[max(0, found.start() - 120) : found.end() + 60]
    assert leaks == {}
    assert CANARY.search(caplog.text) is None
    assert CANARY.search(rows_of(database, copy_for(database, pk, "structure", settings))) is None


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_link_to_everything_shows_them(
    client: TestClient, database: Database, settings: Settings, recording: Path
) -> None:
    """The canaries are there where nothing is taken out, so the tests beside this one can fail."""
    _, pk, last = store(database, settings, turned(recording))
    path = link(database, pk, "everything")
    for tail in (f"events?event={last // 2}", "conversation?asof=end", f"source?event={last}", "report.html"):
        assert CANARY.search(client.get(f"{path}/{tail}").text) is not None, tail
    assert CANARY.search(client.get(f"{path}/original").text) is not None
    for own in ("ссылка", "заметка", "билет", "файл"):
        assert own not in client.get(path).text


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_redacted_download_has_no_canary_and_gives_the_same_verdict(
    client: TestClient, database: Database, settings: Settings, recording: Path
) -> None:
    """Neither in its name nor in its lines; uploaded again it has the findings of the trace it was made of."""
    public, *_ = store(database, settings, turned(recording))
    answer = client.get(f"/traces/{public}/redacted.jsonl")
    assert answer.status_code == 200
    assert CANARY.search(f"{answer.headers}{answer.text}") is None
    again = ingest(database, [answer.content], name="again", settings=settings).id
    with database.session() as session:
        before, after = traces.get(session, public), traces.get(session, again)
        assert before is not None
        assert after is not None
        for what in ("verdict", "rejected_at", "events", "records", "item_count", "lane_count", "run_count"):
            assert getattr(after, what) == getattr(before, what), what
        keys = [[row.key for row in findings.all_of(session, each.pk)] for each in (before, after)]
        assert keys[0] == keys[1]
        assert after.redaction == "structure"


def personal_agui() -> bytes:
    """Personal data in every place of a stream that has texts; an address lies over three deltas."""
    deltas = ("Write to mia.can", "ary@canary.ex", "ample, or call 0171 5550123.")
    return sse(
        started(),
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta} for delta in deltas),
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "send"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"to":"mia.canary@can'},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": 'ary.example"}'},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": PERSONAL},
        {"type": "STATE_SNAPSHOT", "snapshot": {"user": {"mail": "mia.canary@canary.example"}}},
        {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/said", "value": PERSONAL}]},
        {"type": "CUSTOM", "name": "note", "value": {"text": PERSONAL}},
        {"type": "RAW", "event": {"text": PERSONAL}},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": PERSONAL}]},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": f"late: {PERSONAL}"},
        finished(),
    )


def personal_teams() -> bytes:
    """Personal data in a stream that grows through an address, and in a message of the user."""
    texts = ("Write to mia.can", "Write to mia.canary@canary.ex", "Write to mia.canary@canary.example now.")
    calls = [exchange(0.0, activity(texts[0], 1, None), 201, {"id": STREAM})]
    calls += [exchange(1.6, activity(texts[1], 2)), exchange(3.2, activity(texts[2], 3))]
    calls += [
        exchange(5.0, activity(texts[2], None)),
        exchange(9.0, {"type": "message", "text": PERSONAL}, 201, {"id": "m"}),
    ]
    return "".join(json.dumps(call) + "\n" for call in calls).encode()


@pytest.mark.parametrize("made", [personal_agui, personal_teams])
def test_a_link_without_personal_data_shows_none(
    client: TestClient, database: Database, settings: Settings, caplog: pytest.LogCaptureFixture, made: object
) -> None:
    """The texts stay, and what looks like a person's data in them is overwritten, over the pieces it came in."""
    caplog.set_level(logging.DEBUG)
    data = made()  # type: ignore[operator]
    public, pk, last = store(database, settings, data)
    shown, out = link(database, pk, "everything"), link(database, pk, "personal")
    leaks = {}
    for address in pages(out, last):
        if (found := PERSON.search(text := told(client, address))) is not None:
            leaks[address.removeprefix(out)] = text[max(0, found.start() - 120) : found.end() + 60]
    assert leaks == {}
    assert PERSON.search(caplog.text) is None
    assert PERSON.search(rows_of(database, copy_for(database, pk, "personal", settings))) is None
    assert "Write to •" in client.get(f"{out}/original").text
    assert PERSON.search(client.get(f"{shown}/original").text) is not None
    assert PERSON.search(client.get(f"/traces/{public}/redacted.jsonl?level=personal").text) is None


def test_a_download_of_no_level_is_refused(
    client: TestClient, database: Database, settings: Settings
) -> None:
    """In a sentence that names the two there are."""
    public, *_ = store(database, settings, personal_agui())
    answer = client.get(f"/traces/{public}/redacted.jsonl?level=everything")
    assert answer.status_code == 400
    assert "Choose what is taken out" in answer.text
