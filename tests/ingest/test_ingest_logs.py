"""A log comes in: its clock, what was taken off it, and a beginning that is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.readers.wrapping import CLEAN, sse
from tests.readers.wrapping_texts import PYTHON, lines, wrap_curl, wrap_fenced_log, wrap_quoted
from webapp.check_judge import judge
from webapp.core.findings import Finding
from webapp.ingest.upload import ingest
from webapp.storage import events, traces
from webapp.storage.db import Database
from webapp.storage.models import Trace


def stored(database: Database, data: bytes) -> tuple[Trace, list[float | None]]:
    done = ingest(database, [data], name="log")
    with database.session() as session:
        trace = traces.get(session, done.id)
        assert trace is not None
        rows = [events.one(session, trace.pk, seq) for seq in range(trace.records)]
    return trace, [None if row is None else row.prefix_at for row in rows]


def judged(data: bytes) -> tuple[str, str | None, list[Finding], list[str]]:
    found = judge("x", [data], None, assembled=False)
    return (
        found.clock.kind,
        found.clock.source,
        found.report.findings,
        [artefact.kind for artefact in found.account.artefacts],
    )


def test_a_log_with_dates_has_their_clock(database: Database) -> None:
    """Prefix times are kept beside each event and lay out the trace."""
    trace, prefixes = stored(database, lines(CLEAN, PYTHON).encode())
    assert (trace.format, trace.clock, trace.clock_source) == ("log", "unix", "prefix")
    assert prefixes[0] == trace.started == pytest.approx(1_788_256_800.123)
    assert trace.ended == pytest.approx(1_788_256_804.123)


def test_times_of_day_go_on_over_midnight(database: Database) -> None:
    """The same from the command line, with a word about it."""
    times = ["23:59:58", "23:59:59", "00:00:01", "00:00:02", "00:00:03"]
    text = "".join(
        f"[{time}.5] {row}" for time, row in zip(times, lines(CLEAN, "").splitlines(True), strict=True)
    )
    trace, prefixes = stored(database, text.encode())
    assert (trace.clock, trace.clock_source) == ("time-of-day", "prefix")
    assert prefixes == [86_398.5, 86_399.5, 86_401.5, 86_402.5, 86_403.5]
    assert (trace.started, trace.ended) == (86_398.5, 86_403.5)
    kind, source, _, artefacts = judged(text.encode())
    assert (kind, source) == ("time-of-day", "prefix")
    assert {"midnight", "time-of-day"} <= set(artefacts)


def test_a_log_cut_at_its_beginning_blames_nobody(database: Database) -> None:
    """What misses its start is not judged; with the cut hidden it would be."""
    rest = lines(CLEAN[2:], PYTHON)
    trace, _ = stored(database, f'","delta":"x"}}\n{rest}'.encode())
    assert trace.verdict == "conformant"
    assert "AGUI-RUN-01" in [row["rule"] for row in trace.skipped_rules]
    assert "head-missing" in [row["kind"] for row in trace.artefacts]
    assert judged(rest.encode())[2][0].rule == "AGUI-RUN-01"


@pytest.mark.parametrize("cut", [10, 30])
def test_a_stream_cut_inside_its_first_event_blames_nobody(cut: int) -> None:
    """As `tail -c` leaves it."""
    data = sse(CLEAN[1:]).encode()[cut:]
    _, _, findings, artefacts = judged(data)
    assert findings == []
    assert "head-missing" in artefacts


@pytest.mark.parametrize("wrap", [wrap_curl, wrap_fenced_log, wrap_quoted])
def test_a_long_stream_keeps_its_wrapping(wrap: Callable[[list[dict[str, object]]], bytes]) -> None:
    """However little of the first bytes is wrapping."""
    pieces = [{**CLEAN[2], "delta": f"{n} "} for n in range(2000)]
    _, _, findings, artefacts = judged(wrap([*CLEAN[:2], *pieces, *CLEAN[3:]]))
    assert findings == []
    assert {"http-head", "fence", "quoted"} & set(artefacts)
