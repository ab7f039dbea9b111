"""Words for things: how lanes, items, types, ids and times are called on every page.

Rules of this file: pure functions from stored rows to short words; no database, no HTML. Names come before
ids, numbers of events are `#12`, counts have separators, times carry their unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from webapp.core.findings import SEVERITIES, VERDICTS, party_words
from webapp.draw import layout
from webapp.storage.items import StoredLane
from webapp.storage.models import Trace
from webapp.views import answer_status

SEVERITY = SEVERITIES
INFO = SEVERITY.index("info")
SEVERITY_WORD = {"fatal": "Fatal", "error": "Error", "warning": "Warning", "info": "Note"}
VERDICT_SIGN = {"rejected": "✖", "nonconformant": "▲", "warnings": "●", "conformant": "✓", "unchecked": "◌"}
VERDICT_WORD = {verdict: verdict.capitalize() for verdict in VERDICTS}
KIND_CLASS = {
    "text": "k-text",
    "tool": "k-tool",
    "result": "k-tool",
    "reasoning": "k-reason",
    "span": "k-reason",
    "step": "k-step",
    "subagent": "k-step",
    "activity": "k-activity",
}
KIND_WORD = {
    "text": "message",
    "tool": "call",
    "reasoning": "reasoning",
    "span": "reasoning span",
    "step": "step",
    "subagent": "subagent",
    "activity": "activity",
    "result": "result",
}
_PREFIXES = (
    "TEXT_MESSAGE_",
    "TOOL_CALL_",
    "REASONING_MESSAGE_",
    "REASONING_",
    "RUN_",
    "STEP_",
    "SUBAGENT_",
    "STATE_",
    "MESSAGES_",
    "ACTIVITY_",
    "THINKING_TEXT_MESSAGE_",
    "THINKING_",
)
LANE_COLOURS = 5


def count(number: int) -> str:
    """A count with separators: `1,305`. (`#1304` is a name and has none.)"""
    return f"{number:,}"


def plural(number: int, word: str, words: str | None = None) -> str:
    """`1 event`, `40 events`."""
    return f"{count(number)} {word if number == 1 else words or word + 's'}"


def ordinal(number: int) -> str:
    """`1st`, `213th`."""
    tail = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{count(number)}{tail}"


MAX_NAME = 80  # characters of a name: it stands many times on a page, and a recording may give it any length


def short_id(text: str, limit: int = 12) -> str:
    """A long id with its middle left out: `fb29d…e886`."""
    return text if len(text) <= limit else f"{text[:5]}…{text[-4:]}"


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the cut marked."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def sentence(text: str) -> str:
    """With its full stop, unless a quotation at the end brings one: `… said “Let me look.”`"""
    return text if text.endswith((".”", "!”", "?”")) else f"{text}."


def type_parts(name: str | None) -> tuple[str, str]:
    """The quiet prefix and the verb of an event type: (`TOOL_CALL_`, `ARGS`)."""
    if not name:
        return "", "not an event"
    for prefix in _PREFIXES:
        if name.startswith(prefix) and len(name) > len(prefix):
            return prefix, clip(name[len(prefix) :], 40)
    return "", clip(name, 40)


class Named(Protocol):
    """What an item's name is made of; number: 1-based within its kind."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str | None: ...

    @property
    def number(self) -> int: ...


def item_name(item: Named) -> str:
    """What a person would call it: `message 1`, a tool's or step's own name."""
    if item.kind in ("tool", "step", "subagent", "activity") and item.name:
        return clip(item.name, MAX_NAME)
    return f"{KIND_WORD.get(item.kind, item.kind)} {item.number}"


def lane_name(lane: StoredLane | None) -> str:
    """`parent` for the agent itself, a subagent's name, or its shortened tag."""
    if lane is None or lane.tag is None:
        return "parent"
    return clip(lane.name or "", MAX_NAME) or short_id(lane.tag) or "(empty tag)"


def lane_class(ord_: int) -> str:
    """Tint of a lane: `l0` is the parent's; the others take turns."""
    return "l0" if ord_ == 0 else f"l{1 + (ord_ - 1) % (LANE_COLOURS - 1)}"


def duration(seconds: float) -> str:
    """`9 ms`, `4.17 s`, `3 min 20 s`, `2 h 5 min`."""
    sign, size = ("−", -seconds) if seconds < 0 else ("", seconds)
    if size < 0.9995:
        return f"{sign}{size * 1000:.0f} ms"
    if size < 59.995:
        return f"{sign}{size:.2f} s" if size < 9.995 else f"{sign}{size:.1f} s"
    if size < 3600:
        return f"{sign}{int(size // 60)} min {int(size % 60)} s"
    return f"{sign}{size // 3600:,.0f} h {int(size % 3600 // 60)} min"


def since(seconds: float, digits: int = 0) -> str:
    """Time since the first record: `+9 ms`, `+4.17 s`, `+9:53.02`; clocks of events may run backwards.

    digits: decimals of the seconds at least, where they are not milliseconds anyway.
    """
    sign, size = ("−", -seconds) if seconds < 0 else ("+", seconds)
    if size < 59.995:
        exact = digits and size >= 0.9995
        return f"{sign}{size:.{digits}f} s" if exact else f"{sign}{duration(size)}"
    places = max(2, digits)
    size = round(size, places)
    minutes, rest = int(size // 60), size % 60
    if minutes < 60:
        return f"{sign}{minutes}:{rest:0{places + 3}.{places}f}"
    told = f"{rest:0{digits + 3}.{digits}f}" if digits else f"{int(rest):02d}"
    return f"{sign}{minutes // 60:,}:{minutes % 60:02d}:{told}"


def apart(times: Sequence[float | None]) -> list[str]:
    """`since` for rows that stand under each other, as exact as they have to be to differ, see `layout.apart`."""
    return layout.apart(times, since, (0, 2, 3))


def size_words(size: int) -> str:
    """`100 bytes`, `1.1 kB`, `31 MB`."""
    if size < 1000:
        return plural(size, "byte")
    for unit, scale in (("kB", 1e3), ("MB", 1e6)):
        if size < scale * 999.5 or unit == "MB":
            value = size / scale
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    raise AssertionError("unreachable")


def verdict_words(trace: Trace, ended: str = "") -> str:
    """`✖ Rejected at #12`, `✓ Conformant`. ended: the bad end that takes the tick from it, of `views.unsettled`."""
    if trace.status == "live" and trace.verdict in ("conformant", "unchecked"):
        return "● Live"
    if ended and trace.verdict == "conformant":
        return f"○ Conformant, {ended[:1].lower()}{ended[1:]}"
    at = f" at #{trace.rejected_at}" if trace.rejected_at is not None else ""
    refused = trace.protocol == "teams" and trace.verdict == "rejected"  # it is a service that says no
    word = "Refused" if refused else VERDICT_WORD[trace.verdict]
    return f"{VERDICT_SIGN[trace.verdict]} {word}{at}"


def unit_of(number: int, word: str) -> str:
    """What a number counts, without the number: `events`."""
    return plural(number, word).rpartition(" ")[2]


def held(trace: Trace, event: str) -> str:
    """`412 events`; `5 events in 6 records` where a record is none: lists show every record, numbers are theirs."""
    told = plural(trace.events, event)
    return told if trace.records == trace.events else f"{told} in {plural(trace.records, 'record')}"


def of_records(trace: Trace) -> str:
    """`5`; `6 records` where not every record is an event."""
    return count(trace.records) if trace.records == trace.events else plural(trace.records, "record")


def whose_side(party: str, trace: Trace) -> str:
    """Whose side a finding is on; of what no event could be read from, nobody but the recording is to blame."""
    if trace.verdict == "unchecked":
        return answer_status.side(trace) or party_words("capture", trace.protocol)
    return party_words(party, trace.protocol)


def artefact_words(artefact: Mapping[str, Any], limit: int = 2_000) -> str:
    """A note on the recording as a sentence without its full stop: `… is cut (line 12)`."""
    line = artefact.get("line")
    where = f" (line {count(line)})" if isinstance(line, int) and line > 0 else ""
    return f"{clip(str(artefact.get('message', '')), limit).rstrip('.')}{where}"


def protocol_words(trace: Trace) -> str:
    """`AG-UI 1.0`, `AG-UI 1.0, uses 1.1`; `form not known` when nothing could be read."""
    name = {"ag-ui": "AG-UI", "teams": "Microsoft Teams"}.get(trace.protocol, trace.protocol)
    if not name:
        return "form not known"
    declared, used = trace.protocol_version, trace.version_used
    if trace.protocol == "teams":  # streaming in Teams has no versions
        return name
    if declared is None:
        return f"{name}, no version declared" if used else name
    return f"{name} {declared}, uses {used}" if used and used > declared else f"{name} {declared}"


def found(roots: Mapping[int, int], total: int) -> str:
    """`1 cause, 1 follows, 2 notes`. roots: findings that follow from no other, by severity number; total: all.

    What only informs is no cause of anything, so it is told apart.
    """
    notes = roots.get(INFO, 0)
    number = sum(roots.values()) - notes
    behind = total - number - notes
    told = []
    if number:
        told.append(plural(number, "cause" if behind else "finding"))
    if behind:
        told.append("1 follows" if behind == 1 else f"{count(behind)} follow")
    if notes:
        told.append(plural(notes, "note"))
    return ", ".join(told)


def page_number(text: str) -> int:
    """The page of a list that a URL asks for, from 1; 1 for what is no number."""
    return int(text[:6]) if text.isascii() and text.isdigit() and int(text[:6]) > 0 else 1
