"""The front page: the list of traces with its facets, and the form of one trace's name, ticket and note.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as
`now`; nothing here reads the database. Every link of the list is made by `ListQuery`, so that the URL is
the state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from webapp.core.findings import VERDICTS
from webapp.storage.models import Trace
from webapp.views import dates, run_list, vocabulary
from webapp.views.marks import marks
from webapp.views.names import VERDICT_WORD, plural, short_id
from webapp.views.selection import Selection

PAGE_SIZE = 25
_LONG_ID = re.compile(r"`([^`\s]{21,})`")  # a UUID says nothing in a list; its ends tell two apart
PROTOCOLS = {"ag-ui": "AG-UI", "teams": "Teams"}
_SIDES = {"producer": "Agent", "application": "Application", "capture": "Capture"}
_NOTICES = {
    "deleted": "The trace and everything made from it is deleted.",
    "saved": "Saved.",
    "samples": "The samples are here again.",
}


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What the reader has chosen on the front page.

    q: words to find; verdict, protocol: "" = all; page: 1-based
    """

    q: str = ""
    verdict: str = ""
    protocol: str = ""
    page: int = 1

    @property
    def offset(self) -> int:
        return (self.page - 1) * PAGE_SIZE

    @property
    def narrowed(self) -> bool:
        return bool(self.q or self.verdict or self.protocol)

    def href(self, **changes: Any) -> str:
        """The URL of this list with some members changed; any but of the page goes back to page 1."""
        chosen = replace(self, **{"page": 1, **changes})
        query = {name: value for name in ("q", "verdict", "protocol") if (value := getattr(chosen, name))}
        if chosen.page > 1:
            query["page"] = str(chosen.page)
        return f"/?{urlencode(query)}" if query else "/"


def parse_query(q: str = "", verdict: str = "", protocol: str = "", page: str = "1") -> ListQuery:
    """The list a URL asks for; a value that does not exist is left out instead of refused."""
    return ListQuery(
        q=q.strip()[:200],
        verdict=verdict if verdict in VERDICTS else "",
        protocol=protocol if protocol in PROTOCOLS else "",
        page=min(int(page), 1_000_000) if page.isascii() and page.isdigit() and int(page) > 0 else 1,
    )


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One row. event: the record the headline is about, or None; when: relative; when_full: exact.

    lanes: of Teams its streams; ended: how those came out, "" for AG-UI
    """

    id: str
    href: str
    edit_href: str
    name: str
    ticket: str
    verdict: str
    status: str
    event: int | None
    event_href: str
    headline: Markup
    protocol: str
    events: int
    lanes: int
    ended: str
    side: str
    summary: str
    when: str
    when_full: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A switch above the list: one verdict or protocol, `count` None where no count is shown."""

    value: str
    label: str
    count: int | None
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class TraceList:
    """The list under its facets. known: all traces, found: those that match, shown: `1–25 of 38 shown`."""

    query: ListQuery
    lines: Sequence[TraceLine]
    verdicts: Sequence[Facet]
    protocols: Sequence[Facet]
    known: int
    found: int
    shown: str
    newer: str
    older: str
    notice: str
    max_upload: str


@dataclass(frozen=True, slots=True)
class TraceForm:
    """What a person may change about a trace, and the question asked before deleting it."""

    id: str
    name: str
    ticket: str
    note: str
    source: str
    verdict: str
    summary: str
    back: str
    back_href: str


def trace_list(
    query: ListQuery,
    rows: Sequence[Trace],
    found: int,
    facets: Mapping[str, Mapping[str, int]],
    *,
    now: float,
    max_upload_bytes: int,
    notice: str = "",
    outcomes: Mapping[int, Mapping[str, int]] | None = None,
) -> TraceList:
    """The list's context. facets: counts over all traces; now: unix seconds; notice: a key of _NOTICES; outcomes: how
    many streams of a trace (by its `pk`) ended in which way.
    """
    by_verdict = facets.get("verdict", {})
    known = sum(by_verdict.values())
    first, last = query.offset + 1, query.offset + len(rows)
    return TraceList(
        query=query,
        lines=[trace_line(row, now, (outcomes or {}).get(row.pk, {})) for row in rows],
        verdicts=[
            Facet("", "All", known, query.href(verdict=""), not query.verdict),
            *(
                Facet(v, VERDICT_WORD[v], by_verdict.get(v, 0), query.href(verdict=v), query.verdict == v)
                for v in VERDICTS
            ),
        ],
        protocols=_protocols(query, facets.get("protocol", {})),
        known=known,
        found=found,
        shown=f"{first:,}–{last:,} of {found:,} shown" if rows else f"0 of {found:,} shown",
        newer=query.href(page=query.page - 1) if query.page > 1 else "",
        older=query.href(page=query.page + 1) if last < found and rows else "",
        notice=_NOTICES.get(notice, ""),
        max_upload=size_limit(max_upload_bytes),
    )


def _protocols(query: ListQuery, known: Mapping[str, int]) -> list[Facet]:
    """The protocols to choose from; none while every trace speaks the same, since there is nothing to choose."""
    if not query.protocol and sum(1 for protocol in PROTOCOLS if known.get(protocol)) < 2:
        return []
    return [
        Facet("", "Both", None, query.href(protocol=""), not query.protocol),
        *(Facet(p, word, None, query.href(protocol=p), query.protocol == p) for p, word in PROTOCOLS.items()),
    ]


def trace_line(row: Trace, now: float, outcomes: Mapping[str, int] | None = None) -> TraceLine:
    href = f"/traces/{row.id}"
    protocol = protocol_label(row)
    side = _side(row)
    teams = row.protocol == "teams"
    words = vocabulary.of(row.protocol)
    lanes = (row.run_count or 0) if teams else row.lane_count
    ended = run_list.summed(outcomes, row.protocol) if teams and outcomes else ""
    summary = [protocol, plural(row.events, words.event)]
    if lanes > 1 or (teams and lanes):
        summary.append(plural(lanes, words.lane))
    if ended:
        summary.append(ended.removeprefix("1 ") if lanes == 1 else ended)
    if side:
        summary.append(f"{side}’s side")
    return TraceLine(
        id=row.id,
        href=href,
        edit_href=f"{href}/edit",
        name=row.name,
        ticket=row.ticket,
        verdict=row.verdict,
        status=row.status,
        event=row.headline_event if row.headline and row.events else None,
        event_href=f"{href}?event={row.headline_event}",
        headline=marks(_headline(row), Selection(base=href)),
        protocol=protocol,
        events=row.events,
        lanes=lanes,
        ended=ended.removeprefix("1 ") if lanes == 1 else ended,
        side=side,
        summary=" · ".join(summary),
        when=dates.ago(row.created, now),
        when_full=dates.exact(row.created),
    )


def trace_form(row: Trace, back: str) -> TraceForm:
    """back: `trace` returns to the trace, anything else to the list."""
    to_trace = back == "trace"
    return TraceForm(
        id=row.id,
        name=row.name,
        ticket=row.ticket,
        note=row.note,
        source=row.source,
        verdict=row.verdict,
        summary=f"{protocol_label(row)} · {plural(row.events, vocabulary.of(row.protocol).event)}",
        back="trace" if to_trace else "list",
        back_href=f"/traces/{row.id}" if to_trace else "/",
    )


def protocol_label(row: Trace) -> str:
    """`AG-UI 1.0`, `AG-UI` when no version was said, `unknown` when nothing was read."""
    word = PROTOCOLS.get(row.protocol)
    if word is None or row.events == 0:
        return "unknown"
    return f"{word} {row.protocol_version}" if row.protocol_version else word


def size_limit(size: int) -> str:
    """A limit as a setting gives it, in binary units: `256 MB`."""
    for unit, scale in (("GB", 1024**3), ("MB", 1024**2), ("kB", 1024)):
        if size >= scale:
            return f"{size / scale:.4g} {unit}"
    return plural(size, "byte")


def _side(row: Trace) -> str:
    if not row.headline_party:
        return ""
    return _SIDES.get(row.headline_party) or ("Teams" if row.protocol == "teams" else "Transport")


def _headline(row: Trace) -> str:
    """The first cause as a sentence; what to say when there is none."""
    if row.status == "analysing":
        return "Still being read."
    if row.status == "failed":
        return row.error or "It could not be analysed."
    if row.headline:
        text = _LONG_ID.sub(lambda found: f"`{short_id(found[1])}`", row.headline)
        text = text[:1].upper() + text[1:]
        return text if text.endswith((".", "!", "?")) else f"{text}."
    if row.verdict == "unchecked":
        return f"No {vocabulary.of(row.protocol).event} could be read, so nothing was checked."
    return "Nothing wrong."
