"""Every form in which a stream is kept or shown: pushed live it is read and judged as an upload of the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.ingest.live import taking
from tests.ingest.live.test_same_as_upload import Pair, cut
from tests.readers.several import two_connections, two_exchanges, two_runs_enveloped
from tests.readers.test_not_a_pass import FOREIGN
from tests.readers.wrapping import CLEAN, FAULT, WRAPS, wrap_redacted, wrap_sse
from tests.readers.wrapping_teams import FAULT as REFUSED
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from tests.slices import WHOLE, every
from webapp.errors import UserError
from webapp.ingest.live import batches
from webapp.ingest.reread import rejudge, reread
from webapp.ingest.upload import ingest

# How a recording differs from an upload of the same bytes, and why. Nothing else may.
DIFFERENT = {
    "times": "a recording knows when its bytes came; no rule looks at that, since it is not when they were sent",
    "reasons": "why it is read so begins with the words that it was recorded as it came",
    "refused": "an upload that is refused leaves nothing; what has come is kept, and told as unchecked with the reason",
    "several": "an upload asks which of several streams is meant; a recording is told as unchecked",
    "packed": "credentials inside of packed bytes or UTF-16 cannot be overwritten as they come: told as unchecked",
    "binary": "a binary body is shown as text that is made of the whole of it: so unchecked until it is read again",
    "har": "an upload keeps only the calls of one stream of a HAR file; of a recording every line is there",
}


def wrap_quoted(events: list[Any]) -> bytes:
    """Events as JSON texts, one a line."""
    return "".join(f"{json.dumps(json.dumps(event))}\n" for event in events).encode()


PACKED = ("UTF-16", "exchange lines in UTF-16")
BINARY = ("binary frames",)
HAR = tuple(name for name in (*WRAPS, *TEAMS_WRAPS) if name.startswith("HAR"))
# of a HAR file's summary, rows of events and findings: what tells of the lines around the stream
OF_LINES = {"sha256", "size", "lines", "masked", "artefacts"}


def _wrapped() -> Iterator[Any]:
    for name, (_, wrap) in WRAPS.items():
        yield pytest.param(name, wrap(CLEAN), wrap(FAULT), id=name)
    for name, teams in TEAMS_WRAPS.items():
        yield pytest.param(name, teams.make(GOOD), teams.make(REFUSED), id=name)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    pair = Pair(tmp_path_factory.mktemp("forms"))
    yield pair
    pair.uploads.close()
    pair.taking.database.close()


@pytest.mark.parametrize(("name", "clean", "fault"), list(_wrapped()))
def test_a_form_pushed_live_is_as_if_uploaded(pair: Pair, name: str, clean: bytes, fault: bytes) -> None:
    """The form, the protocol, every row, whatever the pieces; but for the differences that are named."""
    ways = (
        (clean, 1_000_000),
        (clean, max(2, len(clean) // 30)),
        (fault, max(2, len(fault) // 4)),
    )
    for data, most in ways if WHOLE else ways[1:]:
        pieces = cut(data, Random(name), most)
        if name in (*PACKED, *BINARY):
            live = pair.taking.record(pieces)
            trace = pair.taking.trace(live.id)
            assert (trace.status, trace.verdict, trace.format, trace.records) == ("ready", "unchecked", "", 0)
            assert "read it again" in trace.read_because[0]
            reread(pair.taking.database, live.id, settings=pair.settings)
            assert pair.taking.trace(live.id).records
        elif name in HAR:
            _same_but_lines(pair, data, pieces)
        else:
            pair.same(data, pieces, every=max(3, len(pieces) // 6))


def _same_but_lines(pair: Pair, data: bytes, pieces: list[bytes]) -> None:
    live = pair.taking.record(pieces)
    other = ingest(pair.uploads, [data], name="n", settings=pair.settings)
    mine, theirs = (
        taking.summary(pair.taking.database, live.id),
        taking.summary(pair.uploads, other.id),
    )
    assert {name for name in mine if mine[name] != theirs[name]} <= OF_LINES
    rows = taking.derived(pair.taking.database, live.id, {"trace", "line", "offset", "at", "t0", "t1"})
    assert rows == taking.derived(pair.uploads, other.id, {"trace", "line", "offset", "at", "t0", "t1"})


def test_what_was_recorded_in_a_form_is_judged_again_alike(pair: Pair) -> None:
    """Another engine of the same version says of what is stored what was said while it came."""
    for name, (_, wrap) in every(WRAPS.items(), 3, 0):
        if name in (*PACKED, *BINARY, *HAR, "redacted file"):  # a redacted one is not judged again
            continue
        live = pair.taking.record(cut(wrap(FAULT), Random(name), 200))
        before = taking.derived(pair.taking.database, live.id, {"trace"})
        verdict = pair.taking.trace(live.id).verdict
        rejudge(pair.taking.database, live.id, pair.settings)
        assert taking.derived(pair.taking.database, live.id, {"trace"}) == before, name
        assert pair.taking.trace(live.id).verdict == verdict


# ── what is none of ours ─────────────────────────────────────

UNKNOWN = [{"type": f"SOMETHING_{n}", "value": n} for n in range(40)]
STRANGE = {
    **{name: data for name, data in FOREIGN.items() if data},
    "unknown events": wrap_sse(UNKNOWN),
    "unknown events, more than is looked at first": wrap_sse(UNKNOWN * 60),
    "an error alone": b'{"error":{"message":"model not found","type":"invalid_request_error","code":"x"}}\n',
    "another service's stream": b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"delta":{}}]}\n\n'
    * 9,
    "both protocols": wrap_sse(CLEAN)
    + b'\ndata: {"type":"message","channelId":"msteams","text":"x","id":"1",'
    b'"from":{"id":"a"},"conversation":{"id":"c"},"recipient":{"id":"b"}}\n\n',
    "events behind much prose": b"Dear reader, this is what I saw.\n" * 4000 + wrap_sse(FAULT),
    "a run behind a long log": b"2026-09-01 10:00:00,123 INFO x started\n" * 3000 + wrap_sse(FAULT),
    "events in JSON strings": wrap_quoted(FAULT),
    "times over midnight": b"".join(
        b"%s INFO x %s\n" % (time, line[6:])
        for time, line in zip(
            (b"23:59:58.000", b"23:59:59.000", b"00:00:01.000", b"00:00:02.000", b"00:00:03.000"),
            wrap_sse(CLEAN).split(b"\n\n"),
            strict=False,
        )
    ),
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("whole", [True, False], ids=["at once", "in pieces"])
def test_what_is_no_recording_is_told_alike(pair: Pair, name: str, whole: bool) -> None:
    """Foreign streams, prose, pages: never more than an upload says, and what an upload refuses is kept."""
    data = STRANGE[name]
    pieces = [data] if whole else cut(data, Random(name), max(2, len(data) // 12))
    try:
        ingest(pair.uploads, [data], name="n", settings=pair.settings)
    except UserError:
        live = pair.taking.record(pieces)
        assert pair.taking.trace(live.id).verdict == "unchecked"
        assert pair.taking.text(live.id) == data
    else:
        if data.startswith(b'{"log"'):
            _same_but_lines(pair, data, pieces)
        else:
            pair.same(data, pieces)


def test_unknown_events_alone_are_no_pass_while_they_come(pair: Pair) -> None:
    """Nothing is concluded of events that nobody knows, neither in the middle nor at the end."""
    live = pair.taking.begin()
    for event in UNKNOWN:
        live.write(wrap_sse([event]), 1000.0)
        pair.taking.round()
        assert pair.taking.trace(live.id).verdict == "unchecked"
    pair.taking.end(live)
    trace = pair.taking.trace(live.id)
    assert (trace.verdict, trace.format, trace.not_understood) == ("unchecked", "", len(UNKNOWN))


# ── redacted files ───────────────────────────────────────────


def test_a_redacted_file_keeps_its_sealed_verdict(pair: Pair) -> None:
    """What was concluded before texts were taken out is not judged anew; the trace says whose word it is."""
    data = wrap_redacted(FAULT)
    live = pair.taking.begin()
    for piece in cut(data, Random(3), 90):
        live.write(piece, 1000.0)
        pair.taking.round()
        assert pair.taking.trace(live.id).verdict == "unchecked"  # before it is whole nothing is
    pair.taking.end(live)
    trace = pair.taking.trace(live.id)
    assert (trace.verdict, trace.redaction, trace.records) == ("rejected", "structure", len(FAULT))
    assert trace.sealed["by"] == "file"


@pytest.mark.parametrize("cut_off", [1, 30, 200])
def test_a_redacted_file_that_is_not_whole_is_kept_and_not_judged(pair: Pair, cut_off: int) -> None:
    """Without its texts no verdict of ours would be true; the reason stands with it."""
    data = wrap_redacted(FAULT)[: -cut_off - 1]
    live = pair.taking.record(cut(data, Random(3), 90), every=1)
    trace = pair.taking.trace(live.id)
    assert (trace.status, trace.verdict, trace.records, trace.redaction) == ("ready", "unchecked", 0, "")
    assert "redacted file" in trace.artefacts[0]["message"]
    assert pair.taking.text(live.id) == data


# ── several streams, changed minds ───────────────────────────


@pytest.mark.parametrize("make", [two_connections, two_exchanges, two_runs_enveloped])
def test_a_file_of_several_streams_is_not_judged_as_one(pair: Pair, make: Callable[[], bytes]) -> None:
    """Which is meant nobody can be asked; both are there for an upload."""
    data = make()
    live = pair.taking.record(cut(data, Random(1), 200))
    trace = pair.taking.trace(live.id)
    assert (trace.verdict, trace.records) == ("unchecked", 0)
    assert "streams, each a trace of its own" in trace.read_because[0]


def test_what_turns_out_otherwise_is_read_anew_from_its_beginning(pair: Pair) -> None:
    """An event on the first line, and then a log: what was shown of the first guess is gone."""
    event = wrap_sse(FAULT).split(b"\n\n")[0][6:]
    log = b"".join(
        b"2026-09-01 10:00:00,123 INFO agent %s\n" % line[6:] for line in wrap_sse(FAULT).split(b"\n\n")[1:-1]
    )
    data = event + b"\n" + log
    pair.same(data, [event + b"\n", *cut(log, Random(1), 60)], every=1)


def test_a_limit_of_records_holds_for_both(tmp_path: Path) -> None:
    """What is beyond the limit is counted alike."""
    pair = Pair(tmp_path, max_records=7)
    for wrap in (wrap_sse, wrap_quoted):
        data = wrap(CLEAN * 3)
        live = pair.same(data, cut(data, Random(1), 100))
        assert pair.taking.trace(live).records == 7
    pair.uploads.close()
    pair.taking.database.close()


@pytest.mark.parametrize("name", ["server-sent events", "JSON lines", "redacted file", "activities in a log"])
def test_numbered_batches_are_read_as_an_upload_of_what_they_hold(pair: Pair, name: str) -> None:
    """How a batch's lines are told apart is a guess by the first one, and nothing is read by that guess."""
    data = TEAMS_WRAPS[name].make(GOOD) if name in TEAMS_WRAPS else WRAPS[name][1](FAULT)
    take = pair.taking
    live = take.begin(kind=batches.KIND)
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        batches.add(take.database, live.id, number, line, pair.settings, take.recorder.owner)
        take.recorder.wake(live.pk)
        take.round()
    batches.end(take.database, live.id, take.recorder.owner)
    take.recorder.wake(live.pk)
    take.round()
    stored = take.text(live.id)
    other = ingest(pair.uploads, [stored], name="n", settings=pair.settings)
    assert taking.summary(take.database, live.id) == taking.summary(pair.uploads, other.id)
    assert taking.derived(take.database, live.id) == taking.derived(pair.uploads, other.id)
