"""A recording read again keeps what only its recorder knew: when its bytes came, and the response's head."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exchanges import good, lines
from tests.ingest.live import taking
from tests.ingest.live.taking import Taking
from tests.streams import finished, message, sse, started
from webapp.core.evidence import ResponseHead
from webapp.errors import BadInput
from webapp.ingest.live import bench as bench_module
from webapp.ingest.reread import rejudge, rejudge_all, reread
from webapp.settings import load_settings
from webapp.storage.db import Database
from webapp.storage.models import Trace

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
WRONG = ResponseHead(200, "text/html", ("x-powered-by",))


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


def _everything(take: Taking, public: str) -> object:
    told = [getattr(take.trace(public), column.name) for column in Trace.__table__.columns]
    return taking.derived(take.database, public, {"trace"}), told


@pytest.mark.parametrize(
    "data", [WHOLE, WHOLE.replace(b"\n", b"\r"), lines(good())], ids=["sse", "CR", "Teams"]
)
@pytest.mark.parametrize("head", [None, WRONG])
def test_a_recording_judged_again_is_as_it_was(take: Taking, data: bytes, head: ResponseHead | None) -> None:
    """Every row and every member of the summary, arrival times and the findings about the head included."""
    pieces = [data[at : at + 50] for at in range(0, len(data), 50)]
    live = take.record(pieces, head=head)
    before = _everything(take, live.id)
    rejudge(take.database, live.id, take.settings)
    assert _everything(take, live.id) == before


def test_the_head_of_the_response_counts_and_is_shown(take: Taking) -> None:
    """A wrong content type is a finding, and the page can tell the head."""
    live = take.record([WHOLE], head=WRONG)
    trace = take.trace(live.id)
    assert trace.head == {"status": 200, "content_type": "text/html", "headers": ["x-powered-by"]}
    found = {row[2] for row in taking.table_rows(take.database, live.id, taking.DERIVED[-1])}
    assert any(str(rule).startswith("AGUI-TRN") for rule in found), found


def test_a_recording_with_a_reason_keeps_it(take: Taking) -> None:
    """What the capture tells of itself is told after reading again, too."""
    live = take.begin()
    live.write(WHOLE[:-40])
    live.note("proxy", "A note.")
    take.end(live, "It broke off.")
    before = _everything(take, live.id)
    assert [note["message"] for note in take.trace(live.id).artefacts][:2] == ["A note.", "It broke off."]
    rejudge(take.database, live.id, take.settings)
    assert _everything(take, live.id) == before


def test_read_as_another_form_its_events_keep_their_times(take: Taking) -> None:
    """The bytes lie where they lay."""
    live = take.record(
        [b"data: " + line + b"\n\n" for line in WHOLE.replace(b"data: ", b"").split(b"\n\n") if line]
    )
    reread(take.database, live.id, form="sse", settings=take.settings)
    times = [row[2] for row in taking.table_rows(take.database, live.id, taking.DERIVED[0], {"trace"})]
    assert times == [1000.0, 1001.0, 1002.0, 1003.0, 1004.0, 1005.0]
    assert take.trace(live.id).clock_source == "arrival"


def test_a_running_recording_is_not_read_again(take: Taking) -> None:
    """Two would write the same rows; judging all passes it over."""
    live = take.begin()
    live.write(WHOLE[:150])
    take.round()
    for again in (reread, rejudge):
        with pytest.raises(BadInput, match="still being recorded"):
            again(take.database, live.id, settings=take.settings)
    assert [each.fault for each in rejudge_all(take.database, take.settings, every=True)] == []
    live.write(WHOLE[150:])
    take.end(live)
    assert take.trace(live.id).verdict == "conformant"


def test_a_recording_that_could_not_be_judged_is_ready_once_it_can(
    take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault of ours is gone with the new reading."""

    def fail(*_: object) -> None:
        raise RuntimeError("an engine that fails")

    monkeypatch.setattr(bench_module.Analyst, "_judge", fail)
    live = take.record([WHOLE])
    assert (take.trace(live.id).status, take.trace(live.id).verdict) == ("failed", "unchecked")
    monkeypatch.undo()
    rejudge(take.database, live.id, take.settings)
    trace = take.trace(live.id)
    assert (trace.status, trace.error, trace.verdict, trace.records) == ("ready", None, "conformant", 6)
