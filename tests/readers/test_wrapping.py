"""One clean and one faulty run in every form: the same verdict, the same finding at the same event."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import Any

import pytest
import zstandard

from tests.readers import forms_table
from tests.readers.wrapping import CLEAN, FAULT, FAULT_KEY, WRAPS
from tests.readers.wrapping_teams import FAULT as REFUSED
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from webapp.core import Replay
from webapp.core.findings import Report
from webapp.ingest.incoming import prepared
from webapp.ingest.sealed_engine import engine_of
from webapp.readers.every import every
from webapp.readers.read import read
from webapp.readers.registry import FORMS


def judged(data: bytes) -> tuple[str | None, Report]:
    """The form and the report of the only stream in a file."""
    found = []
    for stream in every(lambda: [data]):
        detection, records, account = read(stream.chunks, stream.form)
        records = prepared(records, account)
        replay = engine_of(Replay(detection.protocol or "ag-ui", stream.run_input), account)
        for record in records:
            replay.feed(record.payload, record.at, record.framing)
        assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
        found.append((detection.form, replay.finish()))
    [one] = found
    return one


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/run.txt", data)
    return out.getvalue()


PACKINGS: dict[str, Any] = {
    "as it is": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "zip": zipped,
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", WRAPS)
def test_a_clean_run_is_conformant_with_its_five_events(name: str, packing: str) -> None:
    """The wrapping adds no event and no fault, packed or not."""
    form, wrap = WRAPS[name]
    found, report = judged(PACKINGS[packing](wrap(CLEAN)))
    assert (found, report.verdict, report.events) == (form, "conformant", 5)


@pytest.mark.parametrize("name", WRAPS)
def test_a_faulty_run_has_its_finding_at_its_event(name: str) -> None:
    """Text after the end of its message, refused at the fourth event."""
    form, wrap = WRAPS[name]
    found, report = judged(wrap(FAULT))
    assert (found, report.verdict, report.rejected_at) == (form, "rejected", 3)
    assert FAULT_KEY in [finding.key for finding in report.findings]


@pytest.mark.parametrize("name", TEAMS_WRAPS)
def test_a_clean_reply_into_teams_has_five_exchanges_and_no_fault(name: str) -> None:
    """The wrapping adds no exchange, no error and no warning."""
    wrap = TEAMS_WRAPS[name]
    found, report = judged(wrap.make(GOOD))
    assert (found, report.protocol, report.verdict, report.events) == (wrap.form, "teams", "conformant", 5)
    assert [finding.key for finding in report.findings if finding.severity != "info"] == []


@pytest.mark.parametrize("name", TEAMS_WRAPS)
def test_a_faulty_reply_into_teams_has_its_finding_at_its_exchange(name: str) -> None:
    """A piece in place of the whole text; where the form has no bodies, the rule is skipped with its reason."""
    wrap = TEAMS_WRAPS[name]
    found, report = judged(wrap.make(REFUSED))
    assert (found, report.events) == (wrap.form, 3)
    keys = [finding.key for finding in report.findings]
    if wrap.fault:
        assert report.verdict == "rejected"
        assert wrap.fault in keys
    else:
        assert "TEAMS-020" in [skipped.rule for skipped in report.skipped_rules]
        assert keys, "that the service refused a call is told all the same"


@pytest.mark.parametrize("protocol", forms_table.PROTOCOLS)
def test_every_form_carries_the_runs_or_says_why_not(protocol: str) -> None:
    """A form that is added to the registry needs a wrapping here, or a reason."""
    wraps = (
        {form for form, _ in WRAPS.values()}
        if protocol == "ag-ui"
        else {w.form for w in TEAMS_WRAPS.values()}
    )
    excused = {form for form, why in forms_table.CANNOT.items() if protocol in why}
    assert wraps | excused == set(FORMS)
    assert not wraps & excused, "what can be carried needs no excuse"


def test_every_form_says_what_it_cannot_carry() -> None:
    """One sentence a form in the table of forms."""
    assert set(forms_table.LACKS) == set(FORMS)


def test_the_table_of_forms_is_what_comes_of_them() -> None:
    """docs/forms.md is written anew with `python -m tests.readers.forms_table --write`."""
    rows = list(forms_table.rows())
    assert [row.name for row in rows if row.fault and not row.found] == []
    assert forms_table.PATH.read_text() == forms_table.document(rows)
