"""One trace as a row of a list.

Rules of this file: pure; from a stored row to words. The clock comes in as `now`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from webapp.storage.models import Trace
from webapp.views import answer_status, dates, live, run_list, unsettled, vocabulary
from webapp.views.marks import marks
from webapp.views.names import plural, short_id, unit_of
from webapp.views.selection import Selection
from webapp.views.unsettled import Ended

_LONG_ID = re.compile(r"`([^`\s]{21,})`")  # a UUID says nothing in a list; its ends tell two apart
PROTOCOLS = {"ag-ui": "AG-UI", "teams": "Teams"}
_SIDES = {"producer": "Agent", "application": "Application", "capture": "Recording"}


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One row. event: the record the headline is about, or None; when: relative; when_full: exact.

    look: the verdict as it is drawn; lanes: of Teams its streams; event_word, lane_word: what they are called; ended:
    how the streams came out, "" for AG-UI
    """

    id: str
    href: str
    edit_href: str
    name: str
    ticket: str
    redacted: bool
    verdict: str
    look: str
    status: str
    event: int | None
    event_href: str
    headline: Markup
    protocol: str
    events: int
    event_word: str
    lanes: int
    lane_word: str
    ended: str
    side: str
    summary: str
    when: str
    when_full: str


def trace_line(row: Trace, now: float, outcomes: Mapping[str, int] | None = None) -> TraceLine:
    href = f"/traces/{row.id}"
    protocol = protocol_label(row)
    outcomes = outcomes or {}
    teams = row.protocol == "teams"
    bad = unsettled.ended(row, outcomes)
    look = live.look(row, unsettled.look(row, outcomes))
    note = row.verdict == "conformant"
    side = (
        "" if note and (not bad or row.headline_party == "producer") else _side(row)
    )  # a note blames nobody
    words = vocabulary.of(row.protocol)
    lanes = (row.run_count or 0) if teams else row.lane_count
    ended = run_list.summed(outcomes, row.protocol) if teams and outcomes else ""
    summary = [protocol, plural(row.events, words.event)]
    if lanes > 1 or (teams and lanes):
        summary.append(plural(lanes, words.lane))
    if ended:
        summary.append(ended.removeprefix("1 ") if lanes == 1 else ended)
    if side:
        summary.append("the recording" if side == _SIDES["capture"] else f"{side}’s side")
    return TraceLine(
        id=row.id,
        href=href,
        edit_href=f"{href}/edit",
        name=row.name,
        ticket=row.ticket,
        redacted=bool(row.redaction),
        verdict=row.verdict,
        look=look,
        status=row.status,
        event=row.headline_event if row.headline and row.events else None,
        event_href=f"{href}?event={row.headline_event}",
        headline=marks(_headline(row, bad), Selection(base=href)),
        protocol=protocol,
        events=row.events,
        event_word=unit_of(row.events, words.event),
        lanes=lanes,
        lane_word=unit_of(lanes, words.lane),
        ended=ended.removeprefix("1 ") if lanes == 1 else ended,
        side=side,
        summary=" · ".join(summary),
        when=dates.ago(row.created, now),
        when_full=dates.exact(row.created),
    )


def protocol_label(row: Trace) -> str:
    """`AG-UI 1.0`, `AG-UI` when no version was said, `unknown` when nothing was read."""
    word = PROTOCOLS.get(row.protocol)
    if word is None or row.events == 0:
        return "unknown"
    return f"{word} {row.protocol_version}" if row.protocol_version else word


def _side(row: Trace) -> str:
    if not row.headline_party:
        return ""
    if row.verdict == "unchecked":
        whose = answer_status.side(row).removeprefix("The ").partition("’")[0]
        return whose.capitalize() or _SIDES["capture"]
    return _SIDES.get(row.headline_party) or ("Teams" if row.protocol == "teams" else "Transport")


def _headline(row: Trace, bad: Ended | None = None) -> str:
    """The first cause as a sentence; what to say when there is none. bad: how it ended all the same."""
    if row.status == "failed":
        return row.error or "It could not be analysed."
    if told := answer_status.headline(row):
        return told
    if row.headline:
        text = _LONG_ID.sub(lambda found: f"`{short_id(found[1])}`", row.headline)
        if row.verdict == "conformant" and not bad:
            text = (
                f"nothing wrong; one note: {text}"
                if row.infos == 1
                else f"nothing wrong; the first note: {text}"
            )
        text = text[:1].upper() + text[1:]
        return text if text.endswith((".", "!", "?")) else f"{text}."
    if row.status == live.LIVE:
        return (
            "Nothing wrong so far."
            if row.events
            else f"Waiting for the first {vocabulary.of(row.protocol).event}."
        )
    if row.verdict == "unchecked":
        return f"No {vocabulary.of(row.protocol).event} could be read, so nothing was checked."
    if bad is unsettled.STOPPED:
        return "Nothing wrong up to where the recording was stopped."
    return "Ended by Teams without a reason that names a fault." if bad else "Nothing wrong."
