"""The Sequence panel of a Teams recording: a window of it as a ladder, and the prefix diff under it.

Rules of this file: what is said of the rungs that are not shown. Which ones are is `views/teams/ladder_facts.py`'s
affair (and bounded there), the drawing `draw/ladder.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.core.records import LOST, REFUSED, SENT
from webapp.draw import layout
from webapp.draw.ladder import draw
from webapp.draw.ladder_model import Ladder, Rung
from webapp.storage import events
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.page import PageContext
from webapp.views.panels.sequence import Step
from webapp.views.selection import Selection
from webapp.views.teams import ladder_facts, ladder_rungs, ladder_words, prefix_diff
from webapp.views.teams.ladder_facts import READ, RUNGS
from webapp.views.teams.prefix_diff import PrefixDiff


@dataclass(frozen=True, slots=True)
class LadderPanel:
    """The ladder's four SVGs and what stands around them.

    focus_x, focus_y: where the chosen rung is, px from the track's corner
    away: link to the chosen exchange when the window does not hold it
    refused, stopped, dropped, lost, unanswered: whether the legend needs those signs
    untimed: a sentence in place of ruler and clock
    svg, text: download URLs
    """

    head_left: Markup
    head_right: Markup
    left: Markup
    right: Markup
    focus_x: int
    focus_y: int
    earlier: Step | None
    later: Step | None
    away: Step | None
    fold_href: str
    folded: bool
    refused: bool
    stopped: bool
    dropped: bool
    lost: bool
    unanswered: bool
    untimed: str
    diff: PrefixDiff | None
    svg: str
    text: str
    summary: str
    empty: str


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> LadderPanel:
    found = ladder_facts.load(session, trace, sel, page)
    ladder = ladder_rungs.compose(session, trace, page, found)
    rungs = ladder.rungs
    first = rungs[0].first if rungs else 0
    last = rungs[-1].last if rungs else page.last
    part = first > 0 or last < page.last
    summary = ladder_words.summary(ladder, trace)

    def href(rung: Rung) -> str:
        return sel.href(event=rung.first, start=first if part else None)

    def unfold(rung: Rung) -> str:
        return sel.href(event=rung.first, start=rung.first, fold=False)

    drawn = draw(ladder, href, unfold, summary)
    no = [rung for rung in rungs if rung.reached == REFUSED]
    query = sel.href(event=page.event).partition("?")[2]
    return LadderPanel(
        head_left=drawn.head_left,
        head_right=drawn.head_right,
        left=drawn.left,
        right=drawn.right,
        focus_x=drawn.focus_x,
        focus_y=drawn.focus_y,
        earlier=_earlier(session, trace, sel, page, first),
        later=_later(sel, page, last),
        away=_away(sel, page, ladder),
        fold_href=sel.href(event=page.event, fold=not sel.fold, start=None),
        folded=sel.fold,
        refused=any(not rung.calm for rung in no),
        stopped=any(rung.calm for rung in no),
        dropped=ladder_rungs.drops(found.groups),
        lost=any(rung.reached == LOST for rung in rungs),
        unanswered=any(rung.reached == SENT and not rung.inbound for rung in rungs),
        untimed=ladder.untimed if rungs else "",
        diff=prefix_diff.build(session, trace, sel, page, found),
        svg=f"{sel.base}/sequence.svg?{query}",
        text=f"{sel.base}/sequence.mmd?{query}",
        summary=summary,
        empty="" if rungs else "This recording holds no exchange, so there is nothing to draw.",
    )


# ── around the window ────────────────────────────────────────


def _earlier(session: Session, trace: Trace, sel: Selection, page: PageContext, first: int) -> Step | None:
    """Leads to the window that ends right before this one."""
    if first <= 0:
        return None
    start = first - (RUNGS - 4)
    if sel.fold:
        rows = events.backwards(session, trace.pk, before=first, limit=READ)
        start = ladder_facts.start_before(rows, page.event, RUNGS - 4)
    href = sel.href(event=page.event, start=max(0, start))
    return Step(href, f"{layout.numbers(0, first - 1)}, {names.plural(first, 'more exchange')}")


def _later(sel: Selection, page: PageContext, last: int) -> Step | None:
    if last >= page.last:
        return None
    words = f"{layout.numbers(last + 1, page.last)}, {names.plural(page.last - last, 'more exchange')}"
    return Step(sel.href(event=page.event, start=last + 1), words)


def _away(sel: Selection, page: PageContext, ladder: Ladder) -> Step | None:
    if not ladder.rungs or any(rung.holds(page.event) for rung in ladder.rungs):
        return None
    return Step(sel.href(event=page.event, start=None), f"#{page.event} is not in this window")
