"""`lanescope check`: judge recordings from the command line.

Rules of this file: paths in, verdicts out, exit code; no web code is imported. What is printed as JSON is a public
contract: docs/report.md. The words of the text form are free to change.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from webapp.check_files import again, beside, expand, is_no_recording, load_input, nothing_in
from webapp.check_judge import Judged, judge
from webapp.check_text import as_text, skipped
from webapp.core.findings import SEVERITIES, Report
from webapp.core.kinds import ProtocolName
from webapp.errors import UserError
from webapp.ingest.cleaner import Cleaner
from webapp.readers.every import every
from webapp.readers.limits import TooLarge
from webapp.readers.registry import known_form
from webapp.readers.several import Refused


def check(
    paths: Annotated[list[str], typer.Argument(help="Recordings, folders of them, or - for standard input.")],
    protocol: Annotated[
        Literal["auto", ProtocolName], typer.Option(help="What the recordings speak.")
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
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="FORM", help="Read them so; `lanescope formats` lists the forms."),
    ] = None,
    fail_on: Annotated[
        Literal["fatal", "error", "warning", "none"],
        typer.Option(help="Least severity that gives exit code 1."),
    ] = "error",
) -> None:
    """Judge recordings of AG-UI event streams and of Microsoft Teams streaming.

    Exit code 0: nothing at or above --fail-on · 1: something · 2: unreadable, or nothing could be checked.
    """
    chosen = None if protocol == "auto" else protocol
    given = None if input_ is None else load_input(input_)
    form = None if as_ is None else known_form(as_)
    worst = 0
    empty: dict[str, bool] = {}  # folder -> whether nothing in it was a recording so far
    for source, folder in expand(paths):
        empty.setdefault(folder, True)
        streams = _judged(source, given, assembled=assembled, protocol=chosen, form=form)
        while True:
            try:
                judged = next(streams, None)
            except (UserError, Refused, TooLarge) as error:
                sentence = error.sentence if isinstance(error, UserError) else str(error)
                print(f"lanescope: {source}: {sentence}", file=sys.stderr)
                worst, empty[folder] = 2, False
                break
            if judged is None:
                break
            if folder and not judged.part and is_no_recording(source, judged.detection):
                print(f"lanescope: {source}: {skipped(judged)}", file=sys.stderr)
                continue
            empty[folder] = False
            if format_ == "json":
                _write(json.dumps(judged.public(), ensure_ascii=True, separators=(",", ":")))
            else:
                _write(as_text(judged))
            worst = max(worst, _exit_code(judged.report, fail_on))
    for folder in [folder for folder, nothing in empty.items() if folder and nothing]:
        print(f"lanescope: {nothing_in(folder)}", file=sys.stderr)
        worst = 2
    raise typer.Exit(worst)


def _judged(
    source: str, given: dict[str, Any] | None, *, assembled: bool, protocol: str | None, form: str | None
) -> Iterator[Judged]:
    """Every stream of one recording, in order."""
    asked = given if given is not None else beside(source)
    with ExitStack() as stack:
        for stream in every(again(source, stack), form=form):
            run_input = stream.run_input if asked is None else asked
            judged = judge(
                source,
                stream.chunks,
                run_input,
                assembled=assembled,
                protocol=protocol,
                form=form or stream.form,
            )
            judged.part = Cleaner(judged.masked is not None).name(stream.title)
            yield judged


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


def _exit_code(report: Report, fail_on: str) -> int:
    if report.verdict == "unchecked":
        return 2
    if fail_on == "none":
        return 0
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return int(any(finding.severity in failing for finding in report.findings))
