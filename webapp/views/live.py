"""A trace that is being recorded: what its page follows, and what is new behind what it shows.

Rules of this file: from a trace's row and the choice in the URL to links and words. A page without a chosen
event follows the newest; one that is chosen, or a window that begins somewhere, stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import captures
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.selection import Selection

LIVE = "live"  # `Trace.status`, and a look of `macros/verdict.html`
WINDOWED = ("events", "sequence")  # panels whose `start` is a record number
_SETTLED = ("rejected", "nonconformant", "warnings")  # verdicts that a trace can have before its end


@dataclass(frozen=True, slots=True)
class Live:
    """signals: address of the positions; seq: records this page was made of; following: the newest is shown.

    follow: URL that shows the newest; new: `12 new`, "" when none is behind what is shown; calls: Lanescope itself
    called the agent, so that it can stop it
    """

    signals: str
    seq: int
    following: bool
    follow: str
    new: str
    calls: bool


def unpinned(trace: Trace, sel: Selection) -> bool:
    """Whether no event was chosen on the page of a live trace: then its newest is what the page is about."""
    return trace.status == LIVE and sel.event is None


def build(session: Session, trace: Trace, sel: Selection, shown: int, *, shared: bool) -> Live | None:
    """None for a trace that is recorded no more. shown: the last record on the page."""
    if trace.status != LIVE:
        return None
    capture = captures.get(session, trace.pk)
    following = sel.event is None and (sel.start is None or sel.panel not in WINDOWED)
    behind = 0 if following else max(0, trace.records - 1 - shown)
    return Live(
        signals="" if shared else f"{sel.base}/live",
        seq=trace.records,
        following=following,
        follow=sel.href(event=None, start=None),
        new=f"{names.count(behind)} new" if behind else "",
        calls=not shared and capture is not None and capture.kind == "call",
    )


def look(trace: Trace, otherwise: str) -> str:
    """How the verdict is drawn: while nothing was found there is none, since more may come."""
    return LIVE if trace.status == LIVE and trace.verdict not in _SETTLED else otherwise
