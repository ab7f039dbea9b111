"""A recording that was stopped is no stream that broke off: its missing end is nobody's fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.live.taking import Taking
from tests.streams import message, sse, started
from webapp.ingest.live.transactions import BROKE_OFF
from webapp.ingest.reread import rejudge
from webapp.settings import load_settings
from webapp.storage import findings
from webapp.storage.db import Database

CUT_OFF = sse(started(), *message("m", "Hello"))
RULE = "AGUI-TRN-10"


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path))


def told(take: Taking, public: str) -> tuple[bool, bool]:
    """Whether the missing end is a finding, and whether it is listed as not judged."""
    trace = take.trace(public)
    with take.database.session() as session:
        rules = {row.rule for row in findings.at_events(session, trace.pk, range(trace.records))}
    return RULE in rules, RULE in {skipped["rule"] for skipped in trace.skipped_rules}


def ended(take: Taking, reason: str, broke: bool = False) -> str:
    live = take.begin()
    live.write(CUT_OFF)
    if broke:
        live.note(BROKE_OFF, reason)
    live.stop("" if broke else reason)
    take.round()
    return live.id


def test_the_missing_end_of_a_stopped_recording_is_not_judged(take: Taking) -> None:
    """It is told as not judged with the reason, and reading it again changes nothing."""
    public = ended(take, "It was stopped by hand.")
    assert told(take, public) == (False, True)
    rejudge(take.database, public, take.settings)
    assert told(take, public) == (False, True)


def test_a_stream_that_broke_off_or_just_ended_lacks_its_end(take: Taking) -> None:
    """What the agent did stays a fault, whether its connection broke or was closed early."""
    assert told(take, ended(take, "The upstream broke off its answer.", broke=True)) == (True, False)
    assert told(take, ended(take, "")) == (True, False)
