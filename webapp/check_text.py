"""The report of `lanescope check` for a terminal.

Rules of this file: words from a judged recording; nothing is read or judged here. They are free to change.
"""

from __future__ import annotations

from webapp.check_judge import Judged
from webapp.core.advice import advise
from webapp.core.errors import look_up
from webapp.core.findings import SEVERITIES, Finding
from webapp.core.foreign import BY_SLUG
from webapp.core.rules import catalogue
from webapp.readers.detect import form_name

# protocol -> its name, what a run is called, what a record is called
WORDS = {"ag-ui": ("AG-UI", "run", "event"), "teams": ("Teams", "stream", "exchange")}
NO_FIX = "Nothing to change."  # of rows that explain what is all right
MARKS = {"fatal": "✖", "error": "▲", "warning": "●", "info": "○"}


def as_text(judged: Judged) -> str:
    """The report for a terminal."""
    report = judged.report
    if judged.detection.form is None:
        return "\n".join(
            [f"{report.verdict.upper()}  {printable(judged.name)}", *_unread(judged), *_around(judged)]
        )
    version = f" {report.protocol_version}" if report.protocol_version else ""
    name, run, event = WORDS[report.protocol]
    form = form_name(judged.detection)
    counts = f"{_count(len(report.runs), run)} · {_count(report.events, event)}"
    lines = [
        f"{report.verdict.upper()}  {printable(judged.name)}",
        f"  {name}{version} · read as {form} · {counts}",
    ]
    if report.verdict == "unchecked":
        lines.append(f"  Nothing was checked: no {event} could be read.")
    for finding in sorted(report.findings, key=_reading_order):
        lines += _finding_lines(finding)
    if report.findings_left_out:
        lines.append(f"  … and {report.findings_left_out:,} more findings beyond the limit")
    return "\n".join([*lines, *_around(judged)])


def skipped(judged: Judged) -> str:
    """One sentence for a file of a folder that is no recording."""
    return f"Skipped, since it is no recording: this is {', '.join(judged.detection.reasons)}."


def _around(judged: Judged) -> list[str]:
    """What the capture did, and how many lines nobody understood."""
    lines = [f"  recording: {printable(a.message)}" for a in judged.account.artefacts]
    if judged.account.not_understood:
        lines.append(f"  {_count(judged.account.not_understood, 'line')} not understood")
    return lines


def _unread(judged: Judged) -> list[str]:
    """What input that is no recording is, and what an error sentence means: no rule was asked."""
    found = judged.detection
    known = BY_SLUG.get(found.foreign or "")
    lines = [f"  Nothing was checked: this is {', '.join(found.reasons)}."]
    lines += [] if known is None else [f"  {known.explains}"]
    for each in look_up(found.said):
        lines.append(f"  {printable(each.said)}")
        lines.append(f"      {each.wording.means}")
        rules = [catalogue()[rule] for rule in each.wording.rules if rule in catalogue()]
        lines += [f"      Rule: {rule.id} {rule.slug}" for rule in rules]
        lines += [f"      Likely cause: {cause.cause}" for cause in each.causes]
    return lines


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _reading_order(finding: Finding) -> tuple[bool, bool, int, int]:
    """Causes before what follows from them, what the client met before what it never got, worst first."""
    level = SEVERITIES.index(finding.severity)
    return finding.after_rejection, finding.cause is not None, level, finding.event


def _finding_lines(finding: Finding) -> list[str]:
    times = f" (×{finding.count})" if finding.count > 1 else ""
    after = ", after the rejection" if finding.after_rejection else ""
    follows = f" · follows from {finding.cause}" if finding.cause else ""
    name = f"{finding.rule} {finding.slug}"
    lines = [
        f"  {MARKS[finding.severity]} {finding.severity} #{finding.event}{times} {name}{after}{follows}",
        f"      {printable(finding.message)}",
    ]
    fix = _fix(finding)
    return [*lines, f"      Fix: {fix}"] if fix else lines


def _fix(finding: Finding) -> str:
    """What to change. Empty for consequences, and for a note of a rule whose fix is meant for its errors."""
    if finding.cause or (finding.severity == "info" and catalogue()[finding.rule].severity != "info"):
        return ""
    kind = None if finding.item is None else finding.item.kind
    fix = advise(finding.rule, finding.reason, kind).fix
    return "" if fix == NO_FIX else fix


def printable(text: str) -> str:
    """Text from a trace on a terminal: no control characters, nothing an encoder refuses."""
    clean = "".join(ch if ch.isprintable() else "�" for ch in text)
    return clean.encode("utf-8", "replace").decode()
