"""A stored trace as a redacted file: what was concluded about it on the first line, then a line a record.

Rules of this file: the file's making, from stored rows, with nothing held but a page of them. What is taken out is
decided in `webapp/redact`; what the first line holds in `core/seal.py`; reading it again is `readers/redacted`. Of the
trace's own name, file, note, ticket and people nothing goes into it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

from sqlalchemy.orm import Session

from webapp.core.findings import Run, Skipped
from webapp.core.kinds import Outcome
from webapp.core.records import REACHED
from webapp.core.seal import MAX_BYTES, Note, Seal, SealedHead, written
from webapp.core.teams.times import FAR
from webapp.errors import BadInput
from webapp.ingest.sealed_engine import TAKEN_OUT
from webapp.readers.several import PIECE, SPOOL
from webapp.redact import LEVELS, Redactor, marker, media_type, redactor
from webapp.storage import findings, items, redacted_copies
from webapp.storage.captures import CUT
from webapp.storage.models import Trace

_NUMBER = re.compile(r"#\d+")  # a Teams stream without an id is named after its first record
# notes on the recording that bear on the verdict and whose words are ours: others name files, members and agents
HANDED_ON = frozenset(
    {"head-missing", "capped", "midnight", "time-of-day", "too-many-records", "too-long-record", CUT}
)
STOPPED = "The recording was stopped before its stream had ended."  # why may name a host
MAX_TITLE, MAX_WHY, MAX_NAME = 500, 2000, 200  # characters
LIVE = "This trace is still being recorded; it can be redacted when that has ended."
UNREAD = "Nothing of this trace was understood, so nothing can be told apart in it: it cannot be redacted."
HUGE = "This trace has too many findings for a redacted file; share the report instead."


def effective(trace: Trace, level: str) -> str:
    """What a file of this trace at `level` is: texts that are out already do not come back."""
    return "structure" if trace.redaction == "structure" else level


def check(trace: Trace) -> None:
    """Raises BadInput with one sentence for a trace of which no redacted file can be made."""
    if trace.status == "live":
        raise BadInput(LIVE)
    if not trace.protocol or not trace.records:
        raise BadInput(UNREAD)


def _nothing() -> None:
    """Nobody stops the making."""


def redacted_file(
    session: Session, trace: Trace, level: str, max_record: int, go_on: Callable[[], None] = _nothing
) -> Iterator[bytes]:
    """The redacted file in pieces. level: one of `redact.LEVELS`; max_record: bytes of a record that is kept whole;
    go_on: called every thousand records, raises what ends the making.

    Everything is read before the first piece comes. Raises BadInput with one sentence.
    """
    if level not in LEVELS:
        raise BadInput(
            "Choose what is taken out: structure (all texts) or personal (personal data and secrets)."
        )
    check(trace)
    level = effective(trace, level)
    red = redactor(trace.protocol, level)
    if red.looks:
        for page in redacted_copies.pages(session, trace.pk):
            go_on()
            for told in page:
                red.look(told.raw.encode("utf-8", "replace"))
    with SpooledTemporaryFile(SPOOL) as file:
        _write_records(session, trace, red, file, max_record, go_on)
        line = written(_seal(session, trace, level, red))
        if len(line) > MAX_BYTES:
            raise BadInput(HUGE)
        yield line + b"\n"
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _write_records(
    session: Session,
    trace: Trace,
    red: Redactor,
    file: IO[bytes],
    max_record: int,
    go_on: Callable[[], None],
) -> None:
    teams = trace.protocol == "teams"
    for page in redacted_copies.pages(session, trace.pk):
        go_on()
        new = redacted_copies.new_chars(session, trace.pk, page[0].seq, page[-1].seq) if teams else {}
        for told in page:
            raw = told.raw.encode("utf-8", "replace")
            made = red.record(raw)
            about: dict[str, Any] = {"seq": told.seq, "size": len(raw)}
            times = {"at": told.at, "prefix_at": told.prefix_at}
            about |= {name: at for name, at in times.items() if at is not None and abs(at) < FAR}
            if told.reached:
                about["reached"] = REACHED[told.reached]
            if told.seq in new:
                about["new"] = new[told.seq]
            head = json.dumps(about, separators=(",", ":"))[:-1].encode()
            if made is None or len(made) > max_record:
                red.removed["records"] += 1
                file.write(head + b',"raw":"' + marker(len(told.raw)).encode() + b'"}\n')
            else:
                file.write(head + b',"record":' + made + b"}\n")


def _seal(session: Session, trace: Trace, level: str, red: Redactor) -> Seal:
    kept = red.value(trace.input) if trace.input is not None else None  # its ids may stand in sentences
    known = findings.all_of(session, trace.pk, limit=1_000_000)
    told = []
    for row in known:
        finding = findings.to_finding(row)
        finding.title = red.words(finding.title)[:MAX_TITLE]
        finding.why = red.words(finding.why)[:MAX_WHY]
        finding.lane = _id(finding.lane, red)
        if finding.item is not None:
            finding.item.id = _id(finding.item.id, red) or ""
        told.append(finding)
    sealed = trace.sealed or {}
    removed = {**sealed.get("removed", {}), **{what: count for what, count in red.removed.items() if count}}
    head = trace.head or {}
    return Seal(
        level="structure" if level == "structure" else "personal",
        protocol="teams" if trace.protocol == "teams" else "ag-ui",
        engine=trace.engine,
        verdict=trace.verdict,  # type: ignore[arg-type]
        records=trace.records,
        events=trace.events,
        rejected_at=trace.rejected_at,
        protocol_version=_id(trace.protocol_version, red),
        version_used=trace.version_used,
        runs=[
            Run(
                run=row.ord,
                thread_id=_id(row.thread_id, red),
                run_id=_id(row.run_id, red),
                outcome=cast(Outcome, row.outcome),
                claimed=cast(Outcome | None, row.claimed),
                first=row.first,
                last=row.last,
            )
            for row in items.runs(session, trace.pk, limit=1_000_000)
        ],
        findings=told,
        skipped_rules=[
            Skipped(each["rule"], red.words(each["reason"]))
            for each in trace.skipped_rules
            if each["reason"] not in TAKEN_OUT.values()  # told anew by whoever reads the file
        ],
        removed=removed,
        artefacts=[
            Note(each["kind"], STOPPED if each["kind"] == CUT else red.words(each["message"])[:MAX_WHY])
            for each in trace.artefacts
            if each["kind"] in HANDED_ON
        ],
        head=SealedHead(head.get("status"), media_type(head.get("content_type"))) if head else None,
        clock=trace.clock,  # type: ignore[arg-type]
        input=kept if isinstance(kept, dict) else None,
    )


def _id(text: str | None, red: Redactor) -> str | None:
    """An id as the redacted records have it; one that they do not have is no id of theirs."""
    if text is None or text in red.ids or _NUMBER.fullmatch(text):
        return text
    if text in red.aliases:
        return red.aliases[text]
    return red.words(text)[:MAX_NAME] if red.looks else red.text(text, "ids")
