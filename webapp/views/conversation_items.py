"""The state of an item at one moment, and what an activity showed then.

Rules of this file: small decisions about one stored item; no order, no layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.core.agui.shared import Copies, applied, read
from webapp.storage import conversation
from webapp.storage.models import ItemRow, Trace
from webapp.views import bodies, names
from webapp.views.bodies import Body
from webapp.views.page import PageContext

MAX_CHANGES = 200  # patches of an activity that are applied for showing it


@dataclass(frozen=True, slots=True)
class Life:
    """words: `complete`, `still growing`, `cut: the client stopped at #12`; cls: done | growing | cut | never."""

    words: str
    cls: str

    @property
    def unseen(self) -> bool:
        return self.cls == "never"

    @property
    def growing(self) -> bool:
        return self.cls == "growing"


def life(item: ItemRow, upto: int, stop: int | None, page: PageContext) -> Life:
    """What had become of an item by record `upto`. stop: record at which the client stopped, if it had by then."""
    began = (
        item.opened if item.opened is not None or item.kind in ("text", "tool", "reasoning") else item.first
    )
    if began is None or began > upto or (stop is not None and began >= stop and not item.chars_seen):
        return Life("never reached the user", "never")
    if item.kind in ("activity", "result"):
        return Life("", "done")
    closed = item.closed
    if closed is not None and closed <= upto and (stop is None or closed < stop or item.closed_by == stop):
        return Life("complete", "done")
    if stop is not None:
        return Life(f"cut: the client stopped at #{stop}", "cut")
    run = page.runs[item.run] if item.run is not None and item.run < len(page.runs) else None
    if run is not None and run.outcome not in ("open", "truncated") and began < run.last <= upto:
        return Life(f"cut: the run ended at #{run.last} and left it open", "cut")
    if upto >= page.last:
        return Life("cut: the recording ends here", "cut")
    return Life("still growing", "growing")


def contents(session: Session, trace: Trace, item: ItemRow, upto: int, stop: int | None) -> Body | None:
    """What an activity showed: its newest snapshot, with the changes that came since."""
    reach = upto if stop is None else min(upto, stop - 1)
    records = conversation.activity(session, trace.pk, item, reach, MAX_CHANGES)
    shown: Any = None
    there = False
    copies = Copies()
    for _, raw in records:
        change = read(raw)
        if change is None:
            continue
        if change.kind == "snapshot":
            if not there or change.whole:
                shown = change.value
            there = True
        elif there and len(raw) < bodies.SHOWN * 10:
            shown, _ = applied(shown, change, copies)
    if not there:
        return None
    made = bodies.value(shown)
    if len(records) < MAX_CHANGES:
        return made
    return bodies.body(f"{names.plural(MAX_CHANGES, 'change')} and more; the Events panel has them all.")
