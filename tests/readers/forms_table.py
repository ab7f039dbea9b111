"""docs/forms.md, made from what was read: every form, the runs wrapped in it, and what came of them.

Rules of this file: words and layout; what is wrapped and how stands in `wrapping` and `wrapping_teams`. Run
`python -m tests.readers.forms_table --write` to write the file anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.readers.wrapping import CLEAN, FAULT, FAULT_KEY, WRAPS
from tests.readers.wrapping_teams import FAULT as REFUSED
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from webapp.check_judge import Judged, judge
from webapp.readers.every import every
from webapp.readers.registry import FORMS

PATH = Path(__file__).resolve().parents[2] / "docs" / "forms.md"
PROTOCOLS = {"ag-ui": "AG-UI", "teams": "Microsoft Teams"}

NO_CALLS = "it holds an event stream, and a reply into Teams is a row of HTTP calls"
# form -> protocol -> why it cannot carry its runs
CANNOT: dict[str, dict[str, str]] = {
    "sse": {"teams": NO_CALLS},
    "har-stream": {"teams": "calls of the connector in a HAR file are read as `har`"},
    "har": {"ag-ui": "a streamed response in a HAR file is read as `har-stream`"},
    "agui-devtools": {"teams": NO_CALLS},
    "agui-inspector": {"teams": NO_CALLS},
    "copilotkit": {"teams": NO_CALLS},
    "debug-events": {"teams": NO_CALLS},
    "eventstream": {"teams": NO_CALLS},
    "protobuf": {"teams": NO_CALLS},
    "console": {"teams": "it is the console of the AG-UI client"},
    "typed": {"teams": "activities have no names of events in front"},
    "http": {"teams": "it holds one response, and a reply into Teams is a row of calls"},
    "python-dump": {"teams": "activities dumped by Python are read as `python-activities`"},
    "python-activities": {"ag-ui": "events dumped by Python are read as `python-dump`"},
    "http-log": {"ag-ui": "the log of an HTTP client holds no bodies, so no event"},
}

# form -> what it cannot carry of a run, for the reader of the table
LACKS: dict[str, str] = {
    "redacted": "Texts. Rules that need them are skipped; verdict and findings are those of its first line.",
    "sse": "Times of arrival: only an event's own `timestamp` is known.",
    "ndjson": "The framing of the wire, so rules about it are not judged.",
    "array": "The framing of the wire, so rules about it are not judged; a transcript holds no answers.",
    "har": "Calls the proxy did not see.",
    "har-stream": "With a body as text, times of single events; the EventSource messages have them.",
    "agui-devtools": "What its user had redacted; rules that need it are skipped.",
    "agui-inspector": "Frames it took for no event are counted, not judged.",
    "copilotkit": "The framing of the wire; the oldest events beyond its limit.",
    "debug-events": "The framing of the wire between agent and runtime.",
    "eventstream": "Dates: its times are times of day. Comments of the stream.",
    "protobuf": "What the binary form has no field for; the artefacts say it.",
    "python-activities": "Names as they went over the wire, and nulls: compare the body on the wire.",
    "sdk-console": "Answers of the service and times.",
    "python-dump": "Names as they went over the wire, and nulls.",
    "markdown": "Whatever the text inside lacks.",
    "http": "Times of arrival; bodies that were redirected into a file.",
    "console": "The bytes: it shows events the client had decoded.",
    "typed": "The framing of the wire.",
    "log": "The framing of the wire; what the log cut off. Times are those of writing the line.",
    "python": "Names as they went over the wire, nulls, and the framing.",
    "http-log": "Bodies: only pace and refusals can be judged, and no refusal is explained unless the log does.",
    "js-objects": "What Node shows as `[Object]`, and the framing of the wire.",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One wrapping and what came of its two runs. fault: where it was to be found, "" where it cannot be."""

    name: str
    form: str
    protocol: str
    fault: str
    clean: Judged
    faulty: Judged

    @property
    def found(self) -> bool:
        return self.fault in self.keys

    @property
    def keys(self) -> list[str]:
        return [finding.key for finding in self.faulty.report.findings]


def judged(data: bytes) -> Judged:
    """The only stream of a file, as `lanescope check` judges it."""
    [one] = [
        judge("run", stream.chunks, stream.run_input, assembled=False, form=stream.form)
        for stream in every(lambda: [data])
    ]
    return one


def rows() -> Iterator[Row]:
    """Every wrapping, in the order of the registry."""
    order = list(FORMS)
    found = [
        Row(name, form, "ag-ui", FAULT_KEY, judged(wrap(CLEAN)), judged(wrap(FAULT)))
        for name, (form, wrap) in WRAPS.items()
    ]
    found += [
        Row(name, wrap.form, "teams", wrap.fault, judged(wrap.make(GOOD)), judged(wrap.make(REFUSED)))
        for name, wrap in TEAMS_WRAPS.items()
    ]
    yield from sorted(found, key=lambda row: order.index(row.form))


HEAD = """# The forms that are read

This file is written by a test run: `python -m tests.readers.forms_table --write`. One clean run and one with a known
fault are wrapped in every form below and judged as `lanescope check` judges them; a test fails when this file says
anything else than what comes of it. `lanescope formats` lists the same forms.

Each form may besides be packed with gzip, zstd or zip, and be UTF-16 or UTF-32. `make fuzz` spoils files of every form
in 50,000 ways (some minutes) and reads them: nothing raises, every line is accounted for, no sample takes long.

A stream is found behind up to 4 MB of other text. Several `data: {…}` on one line, curly quotes around names
and values, and events as JSON texts (`["{\\"type\\": …}"]`) are read where that can mean one thing only. Records of the
other protocol are counted and told. Each is an artefact of the recording, never a finding.

Not judged, so `unchecked` with the reason: text and JSON in which neither protocol speaks, the body of an error answer,
and a form that somebody chose when it reads only a part of what the recording’s own form shows. Refused: calls of a
HAR file in any shape but that of a HAR file (other members before its `log` are no matter), an archive in an archive,
and one of more than 1,000 files.

## Forms

| form | what it is | what it cannot carry |
|---|---|---|
"""

RUNS = {
    "ag-ui": """\
The clean run has five events: `RUN_STARTED`, `TEXT_MESSAGE_START`, `TEXT_MESSAGE_CONTENT`, `TEXT_MESSAGE_END`,
`RUN_FINISHED`. In the faulty one the text comes after the end of its message: rule AGUI-TXT-02 at event 3
(events count from 0).""",
    "teams": """\
The clean reply has five exchanges: two informative updates, two chunks, the final message. The faulty one
sends a piece of the text in place of all of it so far, and the service refuses it: rule TEAMS-020 at
exchange 2.""",
}
COLUMNS = (
    "| wrapping | detected as | events | clean run | fault found at | times | what is said |\n"
    "|---|---|---|---|---|---|---|\n"
)
CLOCKS = {"arrival": "of arrival", "prefix": "of the log lines", "event": "of the events"}
KINDS = {"unix": "dates", "relative": "from a start", "time-of-day": "times of day"}


def document(found: list[Row]) -> str:
    """The whole file."""
    out = [HEAD]
    for name, form in FORMS.items():
        cannot = [f"No {PROTOCOLS[which]}: {why}." for which, why in CANNOT.get(name, {}).items()]
        out.append(f"| `{name}` | {form.about} | {' '.join([LACKS[name], *cannot])} |\n")
    said: dict[str, str] = {}
    for protocol, title in PROTOCOLS.items():
        out.append(f"\n## {title}\n\n{RUNS[protocol]}\n\n{COLUMNS}")
        for row in found:
            if row.protocol == protocol:
                out.append(_line(row))
                for artefact in row.clean.account.artefacts:
                    said.setdefault(artefact.kind, artefact.message)
    out.append("\n## What is said\n\nAbout what the capture did; the producer is never blamed for it.\n\n")
    out += [f"- `{kind}`: {said[kind]}\n" for kind in sorted(said)]
    return "".join(out)


def _line(row: Row) -> str:
    report, clock = row.clean.report, row.clean.clock
    times = "none" if clock.source is None else f"{KINDS[clock.kind]}, {CLOCKS[clock.source]}"
    said = ", ".join(f"`{artefact.kind}`" for artefact in row.clean.account.artefacts) or "–"
    where = row.fault.replace("@", " at ") if row.found else "not found: no bodies"
    form = f"`{row.clean.detection.form}`"
    return f"| {row.name} | {form} | {report.events} | {report.verdict} | {where} | {times} | {said} |\n"


if __name__ == "__main__":
    text = document(list(rows()))
    if "--write" in sys.argv[1:]:
        PATH.write_text(text)
    else:
        print(text, end="")
