"""`lanescope check`: judge recordings from the command line.

Rules of this file: paths in, verdicts out, exit code; no web code is imported. What is printed as JSON is a public
contract: docs/report.md. The words of the text form are free to change.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from webapp.core import Replay
from webapp.core.advice import advise
from webapp.core.agui.wire import delivered_events
from webapp.core.findings import SEVERITIES, Finding, Report
from webapp.errors import UserError
from webapp.ingest.clock import Clock
from webapp.readers.base import Account
from webapp.readers.detect import Detection, read

PIECE = 64 * 1024
MAX_INPUT_BYTES = 64 * 1024 * 1024  # a RunAgentInput with a long history
MARKS = {"fatal": "✖", "error": "▲", "warning": "●", "info": "○"}


@dataclass(slots=True)
class Judged:
    """One trace: what the reader and the engine say, and what the application received when it was asked for."""

    source: str
    detection: Detection
    account: Account
    report: Report
    clock: Clock
    assembled: dict[str, Any] | None = None

    def public(self) -> dict[str, Any]:
        """The report as one JSON object."""
        report = self.report
        out: dict[str, Any] = {
            "source": self.source,
            "format": self.detection.form,
            "protocol": report.protocol,
            "protocol_version": report.protocol_version,
            "version_used": report.version_used,
            "engine": report.engine,
            "events": report.events,
            "verdict": report.verdict,
            "rejected_at": report.rejected_at,
            "runs": [{name: getattr(run, name) for name in run.__struct_fields__} for run in report.runs],
            "findings": [finding.public() for finding in report.findings],
            "artefacts": [
                {"kind": a.kind, "message": a.message, "line": a.line} for a in self.account.artefacts
            ],
            "not_understood": self.account.not_understood,
            "skipped_rules": [{"rule": s.rule, "reason": s.reason} for s in report.skipped_rules],
            "clock": {"kind": self.clock.kind, "source": self.clock.source},
        }
        return {**out, **(self.assembled or {})}


def judge(
    source: str, chunks: Iterator[bytes], run_input: dict[str, Any] | None, *, assembled: bool
) -> Judged:
    """Read and replay one recording. Raises UserError when it is too large."""
    detection, records, account = read(chunks)
    replay = Replay("ag-ui", run_input)
    clock = Clock()
    delivered: list[dict[str, Any]] = []
    if detection.protocol != "teams":
        for seq, record in enumerate(records):
            step = replay.feed(record.payload, record.at, record.framing)
            clock.add(seq, record.at, step.ts)
            if assembled:
                delivered += delivered_events(step, record.payload)
    report = replay.finish()
    extra = (
        {"delivered": delivered, "messages": replay.messages(), "state": replay.state()}
        if assembled
        else None
    )
    if detection.protocol == "teams":
        report.protocol, report.findings = "teams", []
    return Judged(source, detection, account, report, clock, extra)


def check(
    paths: Annotated[list[str], typer.Argument(help="Recordings, folders of them, or - for standard input.")],
    protocol: Annotated[
        Literal["auto", "ag-ui", "teams"], typer.Option(help="What the recordings speak.")
    ] = "auto",
    format_: Annotated[
        Literal["text", "json"], typer.Option("--format", help="json: one object a line.")
    ] = "text",
    input_: Annotated[
        Path | None, typer.Option("--input", help="The RunAgentInput; default: NAME.input.json beside NAME.*")
    ] = None,
    assembled: Annotated[
        bool, typer.Option("--assembled", help="Add delivered events, messages, state.")
    ] = False,
    fail_on: Annotated[
        Literal["fatal", "error", "warning", "none"],
        typer.Option(help="Least severity that gives exit code 1."),
    ] = "error",
) -> None:
    """Judge recorded event streams.

    Exit code 0: nothing at or above --fail-on · 1: something · 2: unreadable, or nothing could be checked.
    """
    if protocol == "teams":
        raise UserError("Microsoft Teams recordings cannot be judged yet.")
    given = None if input_ is None else _load_input(input_)
    worst = 0
    for source in _expand(paths):
        try:
            run_input = given if given is not None else _beside(source)
            judged = judge(source, _chunks(source), run_input, assembled=assembled)
        except UserError as error:
            print(f"lanescope: {source}: {error.sentence}", file=sys.stderr)
            worst = 2
            continue
        if format_ == "json":
            _write(json.dumps(judged.public(), ensure_ascii=True, separators=(",", ":")))
        else:
            _write(as_text(judged))
        worst = max(worst, _exit_code(judged.report, fail_on))
    raise typer.Exit(worst)


def _write(text: str) -> None:
    """Print a report now. Raises UserError when the disk is full; a reader that went away is typer's affair."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = io.StringIO()  # what is still held back would fail once more at the exit
        why = (error.strerror or "unknown reason").lower()
        raise UserError(f"The report could not be written: {why}.") from error


def as_text(judged: Judged) -> str:
    """The report for a terminal."""
    report = judged.report
    version = f" {report.protocol_version}" if report.protocol_version else ""
    form = judged.detection.form or "not recognised"
    name = "AG-UI" if report.protocol == "ag-ui" else "Teams"
    runs = f"{len(report.runs)} run{'' if len(report.runs) == 1 else 's'}"
    lines = [
        f"{report.verdict.upper()}  {_printable(judged.source)}",
        f"  {name}{version} · read as {form} · {runs} · {report.events:,} events",
    ]
    if report.verdict == "unchecked":
        reasons = ", ".join(judged.detection.reasons)
        what = "Microsoft Teams recordings cannot be judged yet" if name == "Teams" else (
            f"this is {reasons}" if judged.detection.form is None else "no event could be read")  # fmt: skip
        lines.append(f"  Nothing was checked: {what}.")
    for finding in sorted(report.findings, key=_reading_order):
        lines += _finding_lines(finding)
    if report.findings_left_out:
        lines.append(f"  … and {report.findings_left_out:,} more findings beyond the limit")
    lines += [f"  recording: {_printable(a.message)}" for a in judged.account.artefacts]
    if judged.account.not_understood:
        lines.append(f"  {judged.account.not_understood:,} lines not understood")
    return "\n".join(lines)


def _reading_order(finding: Finding) -> tuple[bool, bool, int, int]:
    """Causes before what follows from them, what the client met before what it never got, worst first."""
    return (
        finding.after_rejection,
        finding.cause is not None,
        SEVERITIES.index(finding.severity),
        finding.event,
    )


def _finding_lines(finding: Finding) -> list[str]:
    times = f" (×{finding.count})" if finding.count > 1 else ""
    after = ", after the rejection" if finding.after_rejection else ""
    follows = f" · follows from {finding.cause}" if finding.cause else ""
    name = f"{finding.rule} {finding.slug}"
    lines = [
        f"  {MARKS[finding.severity]} {finding.severity} #{finding.event}{times} {name}{after}{follows}",
        f"      {_printable(finding.message)}",
    ]
    if finding.severity in ("fatal", "error") and not finding.cause:
        kind = None if finding.item is None else finding.item.kind
        lines.append(f"      Fix: {advise(finding.rule, finding.reason, kind).fix}")
    return lines


def _printable(text: str) -> str:
    """Text from a trace on a terminal: no control characters, nothing an encoder refuses."""
    clean = "".join(ch if ch.isprintable() else "�" for ch in text)
    return clean.encode("utf-8", "replace").decode()


def _exit_code(report: Report, fail_on: str) -> int:
    if report.verdict == "unchecked":
        return 2
    if fail_on == "none":
        return 0
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return int(any(finding.severity in failing for finding in report.findings))


def _expand(paths: list[str]) -> Iterator[str]:
    """Files of folders in order; run inputs and hidden files are no recordings."""
    for given in paths:
        if not given:
            raise UserError("An empty path names no recording.")
        path = Path(given)
        if given == "-" or not path.is_dir():
            yield given
            continue
        found = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        chosen = [str(p) for p in found if not p.name.endswith(".input.json")]
        if not chosen:
            raise UserError(f"The folder {given} holds no recording.")
        yield from chosen


def _chunks(source: str) -> Iterator[bytes]:
    try:
        if source == "-":
            while piece := sys.stdin.buffer.read(PIECE):
                yield piece
            return
        with Path(source).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except OSError as error:
        raise UserError(f"It cannot be read: {(error.strerror or 'unknown reason').lower()}.") from error


def _beside(source: str) -> dict[str, Any] | None:
    """NAME.input.json beside NAME.*"""
    if source == "-":
        return None
    path = Path(source)
    stem = path.name.split(".")[0]
    for candidate in (path.name.removesuffix(".gz").rsplit(".", 1)[0], stem):
        sibling = path.with_name(f"{candidate}.input.json")
        if sibling.is_file() and sibling != path:
            return _load_input(sibling)
    return None


def _load_input(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_INPUT_BYTES:
            raise UserError(f"The run input {path.name} is larger than {MAX_INPUT_BYTES // 2**20} MB.")
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"The run input {path.name} is not readable JSON.") from error
    if not isinstance(value, dict):
        raise UserError(f"The run input {path.name} is not a JSON object.")
    return value
