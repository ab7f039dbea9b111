"""The trace page: one context for the page, its fragments and the shared link.

Rules of this file: what is chosen, what stands around the panel (tabs, scrubber), and the order in which the
parts are built. The number of queries does not depend on the trace's size; the panel decides on its own window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.draw import scrub
from webapp.storage import events, findings, states
from webapp.storage.models import FindingRow, Trace
from webapp.views import (
    banner,
    filters,
    inspector,
    live,
    marks,
    names,
    reading,
    run_list,
    sealed,
    unsettled,
    vocabulary,
)
from webapp.views.page import PageContext, load, opens_at
from webapp.views.panels import Panel, panels_of
from webapp.views.selection import Selection

ALREADY = "This recording is already here, so nothing was stored; this is its page."


@dataclass(frozen=True, slots=True)
class Tab:
    """severity: of the worst finding, "" for none; hits: how many have it; small: count after the name."""

    name: str
    label: str
    href: str
    small: str
    severity: str
    hits: str
    current: bool


@dataclass(frozen=True, slots=True)
class Scrubber:
    """prev, next: URLs, None at the ends; track: SVG; href: URL of an event, `{}` where its number goes."""

    prev: str | None
    next: str | None
    nth: str
    total: str
    track: Markup
    last: int
    href: str


@dataclass(frozen=True, slots=True)
class Note:
    """One line above the panel. back: URL that puts a filter back, when a link had to clear it."""

    text: str
    severity: str = ""
    back: str = ""


@dataclass(frozen=True, slots=True)
class TraceView:
    """Everything `fragments/_trace.html` writes."""

    title: str
    trace: Trace
    sel: Selection
    page: PageContext
    banner: banner.Banner
    reading: reading.Reading
    runs: Sequence[run_list.RunEntry]
    runs_more: int
    folded: bool
    tabs: Sequence[Tab]
    notes: Sequence[Note]
    panel_name: str
    panel_template: str
    panel: Any
    inspector: inspector.Inspector | None
    scrubber: Scrubber
    shared: bool
    live: live.Live | None = None
    taken_out: str = ""  # what was taken out and whose the verdict is, "" where the page's head says it
    redacted: Sequence[sealed.File] = ()


def build(
    session: Session,
    trace: Trace,
    asked: Selection,
    *,
    shared: bool = False,
    already: bool = False,
    anew: bool = False,
    rows: int = 0,
) -> TraceView:
    """The view `asked` for; a choice that is not possible gives the nearest one, and a note that says so.

    already: the reader comes from sending a recording that was stored before; anew: from having it read anew.
    rows: most rows a list has while it follows the newest record, 0 = as many as otherwise.
    """
    sel = filters.split(asked, vocabulary.of(trace.protocol))
    known = panels_of(trace.protocol)
    panel = known.get(sel.panel) or known["events"]
    sel = replace(sel, panel=panel.name)
    newest = live.unpinned(trace, sel)
    asked_for = trace.records - 1 if newest else sel.event
    asked_for = opens_at(session, trace) if asked_for is None else asked_for
    page = replace(load(session, trace, asked_for, shared=shared), rows=rows if newest else 0)
    notes = [Note(ALREADY, "info")] if already else []
    if anew:
        notes.append(Note(reading.anew(trace), "info"))
    if asked.panel not in known:
        notes.append(
            Note(f"A Teams recording has no {asked.panel} panel: an agent shares no state there.", "info")
        )
    sel, event = _chosen(session, trace, sel, page, notes)
    first = first_cause(session, trace)
    at_event = findings.at_event(session, trace.pk, event) if trace.finding_count else []
    page = replace(page, event=event, findings=at_event)
    told = banner.build(session, trace, page, first)
    # links inside the page keep what the reader sees now, so they carry the event that was chosen for him
    here = sel if trace.records == 0 or newest else replace(sel, event=event)
    read = reading.build(trace, here, shared=shared)
    if panel.name == "events":  # the others stand behind a link, when there are many
        notes += [Note(text, "info") for text in (read.notes if read.loud else told.notes)]
    shown = panel.build(session, trace, here, page)
    return TraceView(
        title=_title(trace, told.ended),
        trace=trace,
        sel=here,
        page=page,
        banner=told,
        reading=read,
        runs=run_list.entries(page, here),
        runs_more=max(0, trace.run_count - run_list.MAX_RUNS),
        folded=panel.name != "events",
        tabs=_tabs(trace, here, panel),
        notes=notes,
        panel_name=panel.name,
        panel_template=panel.template,
        panel=shown,
        inspector=None if newest else inspector.build(session, trace, here, page),
        scrubber=_scrubber(session, trace, here, page),
        shared=shared,
        live=live.build(session, trace, here, getattr(shown, "end", event), shared=shared),
        taken_out="" if shared else sealed.line(trace),
        redacted=() if shared else sealed.files(trace),
    )


def _chosen(
    session: Session, trace: Trace, sel: Selection, page: PageContext, notes: list[Note]
) -> tuple[Selection, int]:
    """The record shown: the asked one, the nearest to it, or the first cause."""
    if live.unpinned(trace, sel):
        return sel, page.last
    if sel.event is None:
        return sel, _default(session, trace, sel, page)
    event = min(max(sel.event, 0), page.last)
    if event != sel.event and trace.records:
        notes.append(
            Note(f"There is no {page.words.event} #{sel.event}; this is the nearest, #{event}.", "warning")
        )
        sel = replace(sel, event=event, start=None)
    if sel.filtered and sel.panel == "events" and trace.records:
        wanted = filters.wanted(sel, page)
        hit = events.window(session, trace.pk, start=event, limit=1, filters=wanted)
        if not hit or hit[0].seq != event:
            shown = filters.compose(sel, page.words) or "Findings only"
            back = sel.href(event=None)
            told = shown.replace("`", "")
            text = f"The filter `{told}` hid #{event}. It was cleared, because a link led there."
            notes.append(Note(text, "info", back))
            sel = replace(sel, q="", type="", lane="", item="", hits=False, start=None)
    return sel, event


def _default(session: Session, trace: Trace, sel: Selection, page: PageContext) -> int:
    """The first cause; under a filter the first record that passes it, from the window on."""
    if sel.filtered and sel.panel == "events":
        wanted = filters.wanted(sel, page)
        hit = events.window(session, trace.pk, start=sel.start or 0, limit=1, filters=wanted)
        if hit:
            return hit[0].seq
    return page.event


def first_cause(session: Session, trace: Trace) -> FindingRow | None:
    """The finding the headline is about."""
    if trace.headline_event is None:
        return None
    there = findings.at_event(session, trace.pk, trace.headline_event)
    own = [row for row in there if row.event == trace.headline_event]
    same = [row for row in own if row.title == trace.headline]
    causes = [row for row in own if row.cause is None]
    return next(iter(same or causes or own), None)


def _title(trace: Trace, ended: unsettled.Ended | None) -> str:
    """`✖ Rejected at #12 · name`: the tab of the browser carries the verdict."""
    words = names.verdict_words(trace, "" if ended is None else ended.words)
    return f"{words} · {marks.plain(trace.name)}"


def _tabs(trace: Trace, sel: Selection, panel: Panel) -> list[Tab]:
    worst = next(((s, n) for s, n in _counts(trace) if n), None)
    small = {
        "events": names.count(
            trace.records
        ),  # of the rows in the panel, which shows what is no event as well
        "conversation": _seen(trace),
        "sequence": "ladder" if trace.protocol == "teams" else "",
        "state": _states(trace),
        "findings": names.count(sum(n for _, n in _counts(trace))),
        "source": names.plural(trace.lines, "line"),
    }
    marked = ("events", "sequence", "timeline", "conversation")
    return [
        Tab(
            name=each.name,
            label=each.label,
            href=sel.href(panel=each.name),
            small=small.get(each.name, ""),
            severity=worst[0] if worst and each.name in marked else "",
            hits=names.count(worst[1]) if worst else "",
            current=each.name == panel.name,
        )
        for each in panels_of(trace.protocol).values()
    ]


def _seen(trace: Trace) -> str:
    if not trace.messages:
        return "none"
    if trace.protocol == "teams":
        return names.plural(trace.messages_seen, "bubble")
    if trace.messages_seen >= trace.messages:
        return names.count(trace.messages)
    return f"{names.count(trace.messages_seen)} of {names.count(trace.messages)}"


def _states(trace: Trace) -> str:
    number = sum(trace.types.get(name, 0) for name in states.TYPES)
    return names.count(number) if number else "none"


def _counts(trace: Trace) -> list[tuple[str, int]]:
    numbers = (trace.fatals, trace.errors, trace.warnings, trace.infos)
    return list(zip(names.SEVERITY, numbers, strict=True))


def _scrubber(session: Session, trace: Trace, sel: Selection, page: PageContext) -> Scrubber:
    hits = events.hits(session, trace.pk) if trace.finding_count else []
    event = page.event
    return Scrubber(
        prev=sel.href(event=event - 1, start=None) if event > 0 else None,
        next=sel.href(event=event + 1, start=None) if event < page.last else None,
        nth=names.ordinal(min(event + 1, trace.records)),
        total=names.count(trace.records),
        track=scrub.draw(trace.records, event, trace.rejected_at if page.stops else None, hits),
        last=page.last,
        href=sel.href(event=None, start=None),
    )
