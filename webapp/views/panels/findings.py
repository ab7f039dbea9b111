"""The Findings panel: what is wrong, causes first, each with what follows from it folded under it.

Rules of this file: which causes are shown and how much of each. The words are the engine's and the catalogue's;
nothing is judged again. Bounded: CAUSES cards and PLACES places, so that the page stays under its limit of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.core.rules.model import catalogue, rules_of
from webapp.storage import causes, events, findings
from webapp.storage.models import FindingRow, Trace
from webapp.views import cards, life_strip, names, vocabulary
from webapp.views.cards import Card, Place
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams import calls

CAUSES = 50
LIVES = 6  # cards with the item's life drawn
LISTED = 5  # places of a merged finding, consequences of a cause
PLACES = 90  # of both in the whole page
READ = 400  # consequences looked at for a window


@dataclass(frozen=True, slots=True)
class Cause:
    """One card. places: where the same thing is wrong, in all; lane: "" for a trace of one lane.

    follows: what follows, the first few; more: how many are not listed; here, events: URLs of its event on this
    panel and on Events; heading: stands before the first of a group
    """

    card: Card
    event: int
    here: str
    events: str
    lane: str
    lane_cls: str
    places: int
    current: bool
    behind: int
    follows: Sequence[Place]
    more: int
    heading: str


@dataclass(frozen=True, slots=True)
class Filter:
    label: str
    severity: str
    count: int
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Rules that could not be judged for one reason."""

    reason: str
    rules: Sequence[str]

    def has_page(self, rule: str) -> bool:
        """Whether the catalogue tells of it; some rules are known by number only."""
        return rule in catalogue()


@dataclass(frozen=True, slots=True)
class FindingsPanel:
    """shown: what is and what is not; judged: sentence; empty: headline when there is no cause to show."""

    causes: Sequence[Cause]
    filters: Sequence[Filter]
    shown: str
    earlier: str | None
    later: str | None
    before: int
    after: int
    judged: str
    unjudged: Sequence[Unjudged]
    unjudged_count: int
    empty: str
    clear_href: str


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> FindingsPanel:
    level = names.SEVERITY.index(sel.level) if sel.level in names.SEVERITY else None
    counted = causes.counts(session, trace.pk)
    total = sum(counted.values()) if level is None else counted.get(level, 0)
    offset = _offset(session, trace, sel, page, level, total)
    rows = causes.window(session, trace.pk, level, offset, CAUSES) if total else []
    unjudged = _unjudged(trace)
    later = total - offset - len(rows)
    return FindingsPanel(
        causes=_cards(session, trace, sel, page, rows),
        filters=_filters(sel, page, counted),
        shown=_shown(trace, counted, len(rows)),
        earlier=sel.href(event=page.event, start=max(0, offset - CAUSES)) if offset else None,
        later=sel.href(event=page.event, start=offset + CAUSES) if later > 0 else None,
        before=offset,
        after=later,
        judged=_judged(trace, unjudged),
        unjudged=unjudged,
        unjudged_count=sum(len(each.rules) for each in unjudged),
        empty=_empty(trace, sel, level) if not rows else "",
        clear_href=sel.href(event=page.event, level="", start=None),
    )


def _offset(
    session: Session, trace: Trace, sel: Selection, page: PageContext, level: int | None, total: int
) -> int:
    """Where the window begins: as asked, else so that the chosen event's cause is in it."""
    if sel.start is not None:
        return min(sel.start, max(0, total - 1))
    if total <= CAUSES:
        return 0
    place = causes.place_of(session, trace.pk, level, page.event)
    return 0 if place is None else place // CAUSES * CAUSES


def _filters(sel: Selection, page: PageContext, counted: dict[int, int]) -> list[Filter]:
    out = [
        Filter(
            "All", "", sum(counted.values()), sel.href(event=page.event, level="", start=None), not sel.level
        )
    ]
    for number, severity in enumerate(names.SEVERITY):
        if counted.get(number) or sel.level == severity:
            href = sel.href(event=page.event, level=severity, start=None)
            word = names.SEVERITY_WORD[severity]
            out.append(Filter(word, severity, counted.get(number, 0), href, sel.level == severity))
    return out if len(out) > 2 else out[1:]


def _shown(trace: Trace, roots: dict[int, int], listed: int) -> str:
    if not roots:
        return ""
    told = names.found(roots, trace.finding_count)
    hidden = sum(roots.values()) - listed
    return f"{told}; {names.count(hidden)} not shown" if hidden else told


def _cards(
    session: Session, trace: Trace, sel: Selection, page: PageContext, rows: Sequence[FindingRow]
) -> list[Cause]:
    keys = {row.key for row in rows}
    numbers = causes.follower_counts(session, trace.pk, keys)
    behind = causes.followers(session, trace.pk, set(numbers), READ)
    lines = events.some(session, trace.pk, [row.event for row in rows[:LIVES]])
    answered = _answered(session, trace, page, rows)
    out: list[Cause] = []
    room = PLACES
    for index, row in enumerate(rows):
        type_ = lines[row.event].type if row.event in lines else None
        life = life_strip.strip(session, trace, sel, page, row, None, type_) if index < LIVES else Markup("")
        again = findings.repeats(row)[: min(LISTED, max(0, room))]
        room -= len(again)
        listed = behind.get(row.key, [])[: min(LISTED, max(0, room))]
        room -= len(listed)
        card = replace(
            cards.card(row, page, again), life=life, said=answered.get(row.event, "")
        )  # the number of places stands beside the links
        first = row.after_rejection and (not index or not rows[index - 1].after_rejection)
        lane = page.lane_of(row.lane)
        ord_ = lane.ord if lane is not None else 0
        out.append(
            Cause(
                card=card,
                event=row.event,
                here=sel.href(event=row.event, start=sel.start),
                events=sel.href(panel="events", event=row.event),
                lane=page.lane_name(ord_) if trace.lane_count > 1 else "",
                lane_cls=names.lane_class(ord_),
                places=row.count,
                current=row in page.findings,
                behind=numbers.get(row.key, 0),
                follows=[cards.place(each) for each in listed],
                more=numbers.get(row.key, 0) - len(listed),
                heading="After the client had stopped" if first else "",
            )
        )
    return out


def _answered(
    session: Session, trace: Trace, page: PageContext, rows: Sequence[FindingRow]
) -> dict[int, str]:
    """What Teams said to the exchanges the findings stand at, each told once, by record number."""
    if trace.protocol != "teams":
        return {}
    known = calls.load(session, trace.pk, {row.event for row in rows}, page.event)
    return {seq: showable(names.clip(said, 600)) for seq, ex in known.items() if (said := calls.said(ex))}


def _unjudged(trace: Trace) -> list[Unjudged]:
    by: dict[str, list[str]] = {}
    for skipped in trace.skipped_rules:
        by.setdefault(str(skipped.get("reason", "")), []).append(str(skipped.get("rule", "")))
    return [Unjudged(reason, rules[:80]) for reason, rules in by.items()]


def _judged(trace: Trace, unjudged: Sequence[Unjudged]) -> str:
    if not trace.events:
        return "No event could be read, so no rule was judged."
    words = vocabulary.of(trace.protocol)
    skipped = sum(len(each.rules) for each in unjudged)
    judged = sum(rule.shown == "finding" for rule in rules_of(trace.protocol)) - skipped
    return (
        f"{names.plural(max(0, judged), 'rule')} judged on {names.plural(trace.events, words.event)} "
        f"by engine {trace.engine}"
    )


def _empty(trace: Trace, sel: Selection, level: int | None) -> str:
    if level is not None and trace.finding_count:
        return f"No cause is of the severity “{names.SEVERITY_WORD[sel.level]}”."
    if trace.verdict == "unchecked":
        return "Nothing was checked."
    return "Nothing wrong."
