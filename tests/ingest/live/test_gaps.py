"""What is missing in a recording is nobody's fault: around a gap nothing is told that the gap may explain."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.exchanges import good, lines
from tests.ingest.live import taking
from tests.ingest.live.taking import Taking
from tests.streams import finished, message, sse, started
from webapp.core import Replay
from webapp.core.findings import Report
from webapp.core.records import Record
from webapp.ingest.live.transactions import LOST_END
from webapp.ingest.reread import rejudge
from webapp.readers.read import read
from webapp.settings import load_settings
from webapp.storage.db import Database

TESTS = Path(__file__).parents[2]
HOLES = 6  # of each stream
# rule -> why it may be told of a stream with a hole though not of the whole one
TOLD_OTHERWISE = {
    "AGUI-RUN-06": "the agent's own word that it failed, which in the whole stream comes after its run's end",
    "AGUI-TXT-02": "a message that goes on beyond the `RUN_STARTED` behind the hole: no stream may do so",
}


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


# ── the engines ──────────────────────────────────────────────


def _streams() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((TESTS / "cases" / "streams").iterdir()):
        yield path.stem, tomllib.loads(path.read_text(encoding="utf-8"))["trace"]["stream"].splitlines()
    for path in sorted((TESTS / "cases").rglob("*.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        for name in ("fires", "near", "quiet"):
            case = told.get(name)
            if isinstance(case, dict) and not case.keys() & {"binary", "head", "hex"}:
                yield f"{path.stem} {name}", case.get("stream", "").splitlines()


def _judged(protocol: str, records: Sequence[Record], gap: int | None = None) -> Report:
    replay = Replay(protocol)
    for number, record in enumerate(records):
        notes = (*record.framing, "gap") if number == gap else record.framing
        replay.feed(record.payload, record.at, notes)
    return replay.finish()


@pytest.mark.parametrize("part", range(4))
def test_a_hole_in_a_stream_gives_no_finding(part: int) -> None:
    """Streams of all cases with some records left out: no rule fires that does not fire for the whole stream."""
    random = Random(part)
    holes = 0
    for name, text in list(_streams())[part::4]:
        data = "".join(f"{line.rpartition(' * ')[0] or line}\n" for line in text if line.strip()).encode()
        found, given, _ = read([data])
        records, protocol = list(given), found.protocol or "ag-ui"
        if len(records) < 3:
            continue
        whole = {finding.rule for finding in _judged(protocol, records).findings}
        for _ in range(HOLES):
            begin = random.randrange(len(records) - 1)
            end = random.randrange(begin + 1, len(records))
            report = _judged(protocol, records[:begin] + records[end:], begin)
            new = {finding.rule for finding in report.findings} - whole - TOLD_OTHERWISE.keys()
            assert not new, (name, begin, end)
            holes += 1
    assert holes > 400


# ── recordings ───────────────────────────────────────────────


def _recorded(take: Taking, pieces: Sequence[bytes | int], **more: Any) -> str:
    """A recording in which so many bytes are lost where a number stands."""
    live = take.begin(**more)
    for number, piece in enumerate(pieces):
        if isinstance(piece, int):
            live.lose(piece, 1000.0 + number)
        else:
            live.write(piece, 1000.0 + number)
        take.round()
    take.end(live)
    return live.id


def _told(take: Taking, public: str) -> tuple[str, list[str], set[str]]:
    """Verdict, rules that found something, rules that were not judged for the gap."""
    trace = take.trace(public)
    rows = taking.table_rows(take.database, public, taking.DERIVED[-1])
    names = [column.name for column in taking.DERIVED[-1].columns if column.name not in taking.CLOCKS]
    found = [row[names.index("rule")] for row in rows]
    return (
        trace.verdict,
        found,
        {s["rule"] for s in trace.skipped_rules if "missing in the recording" in s["reason"]},
    )


BLOCKS = [
    block + b"\n\n"
    for block in sse(started(), *message("m", "Hello", " you"), finished()).split(b"\n\n")[:-1]
]


@pytest.mark.parametrize(("begin", "end"), [(0, 1), (0, 2), (1, 2), (1, 4), (2, 4), (3, 5), (1, 5)])
def test_bytes_lost_inside_a_run_are_not_its_fault(take: Taking, begin: int, end: int) -> None:
    """Its start, its text or the end of its message is not here; the rules about that say so, also when judged anew."""
    public = _recorded(
        take, [b"".join(BLOCKS[:begin]), 100, b"ing lost\n\n" + b"".join(BLOCKS[end:])][begin == 0 :]
    )
    verdict, found, skipped = _told(take, public)
    assert (verdict, found) == ("conformant", [])
    assert {"AGUI-TXT-02", "AGUI-TXT-03", "AGUI-TRN-10"} <= skipped
    before = taking.derived(take.database, public), taking.summary(take.database, public)
    rejudge(take.database, public, take.settings)
    assert (taking.derived(take.database, public), taking.summary(take.database, public)) == before


def test_a_fault_in_a_run_behind_the_gap_is_found(take: Taking) -> None:
    """From the next `RUN_STARTED` on everything of that run is here."""
    later = sse(started(run="r2"), message("n", "x")[1], finished(run="r2"))
    public = _recorded(take, [b"".join(BLOCKS[:2]), 100, b"torn\n\n" + later])
    assert _told(take, public)[:2] == ("rejected", ["AGUI-TXT-02"])
    assert take.trace(public).rejected_at == 3
    runs = taking.DERIVED[1]
    place = [column.name for column in runs.columns if column.name not in taking.CLOCKS].index("outcome")
    assert [row[place] for row in taking.table_rows(take.database, public, runs)] == ["truncated", "rejected"]


def test_a_fault_before_the_gap_stays_found(take: Taking) -> None:
    """What was seen was there."""
    public = _recorded(take, [sse(started(), message("n", "x")[1]), 100, b"torn\n\n" + BLOCKS[-1]])
    assert _told(take, public)[:2] == ("rejected", ["AGUI-TXT-02"])


def test_a_lost_end_is_told_as_that_of_the_recording(take: Taking) -> None:
    """The missing end of the run is not judged, and the page says that the recording lacks it."""
    public = _recorded(take, [b"".join(BLOCKS[:4]), 100])
    trace = take.trace(public)
    assert _told(take, public)[:2] == ("conformant", [])
    assert LOST_END in [note["message"] for note in trace.artefacts]
    assert {"rule": "AGUI-TRN-10", "reason": LOST_END} in trace.skipped_rules


def test_calls_lost_in_a_teams_recording_are_not_the_agents_fault(take: Taking) -> None:
    """Without its start a stream's numbers and texts seem to begin anywhere."""
    calls = lines(good()).splitlines(keepends=True)
    for gone in (0, 1, len(calls) - 1):
        rest = [b"".join(calls[:gone]), 100, b"torn\n" + b"".join(calls[gone + 1 :])]
        verdict, found, skipped = _told(take, _recorded(take, rest[gone == 0 :]))
        assert (verdict, found) == ("conformant", []), gone
        assert "TEAMS-012" in skipped or gone
