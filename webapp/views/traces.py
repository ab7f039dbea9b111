"""The front page: the list of traces with its facets, and the form of one trace's name, ticket and note.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as
`now`; nothing here reads the database. Every link of the list is made by `ListQuery`, so that the URL is
the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from webapp.core.findings import VERDICTS
from webapp.storage.models import Trace
from webapp.views import names, vocabulary
from webapp.views.names import VERDICT_WORD, plural
from webapp.views.sent import Sent
from webapp.views.trace_line import PROTOCOLS, TraceLine, protocol_label, trace_line

PAGE_SIZE = 25
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
        page=names.page_number(page),
    )


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
    """The list under its facets. known: all traces, found: those that match, shown: `1–25 of 38 shown`; sent: what
    came of an upload of several, None otherwise."""

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
    sent: Sent | None = None


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
    pinned: bool
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
    sent: Sent | None = None,
) -> TraceList:
    """The list's context. facets: counts over all traces; now: unix seconds; notice: a key of _NOTICES; outcomes: how
    many streams of a trace (by its `pk`) ended in which way; sent: what came of an upload.
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
        sent=sent,
    )


def _protocols(query: ListQuery, known: Mapping[str, int]) -> list[Facet]:
    """The protocols to choose from; none while every trace speaks the same, since there is nothing to choose."""
    if not query.protocol and sum(1 for protocol in PROTOCOLS if known.get(protocol)) < 2:
        return []
    return [
        Facet("", "Both", None, query.href(protocol=""), not query.protocol),
        *(Facet(p, word, None, query.href(protocol=p), query.protocol == p) for p, word in PROTOCOLS.items()),
    ]


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
        pinned=row.pinned,
        back="trace" if to_trace else "list",
        back_href=f"/traces/{row.id}" if to_trace else "/",
    )


def size_limit(size: int) -> str:
    """A limit as a setting gives it, in binary units: `256 MB`."""
    for unit, scale in (("GB", 1024**3), ("MB", 1024**2), ("kB", 1024)):
        if size >= scale:
            return f"{size / scale:.4g} {unit}"
    return plural(size, "byte")
