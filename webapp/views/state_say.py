"""What is said about the shared state: where it starts, where the client stopped, what each state record did.

Rules of this file: sentences and lines from what `views/state_load.py` has rebuilt; no query, no HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.agui import changes
from webapp.core.agui.changes import Marks
from webapp.storage.models import Trace
from webapp.storage.states import Place
from webapp.views import names
from webapp.views import state_words as words
from webapp.views.page import PageContext
from webapp.views.state_load import Moment, Rebuilt
from webapp.views.state_tree import Link
from webapp.views.state_words import Told

TOLD = 8  # changes of the last state record that are listed


@dataclass(frozen=True, slots=True)
class Line:
    """One state record. changed: what it did, in order, `more` more; said: about a snapshot; failed: why not."""

    seq: int
    kind: str
    lane: str
    lane_cls: str
    changed: Sequence[Told]
    more: str
    said: str
    failed: str
    unseen: bool
    stop: bool
    current: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class Last:
    """The last state record up to the moment: `what` with marks, and its changes."""

    seq: int
    what: str
    changed: Sequence[Told]
    more: str
    failed: str


def starts(found: Rebuilt) -> str:
    if found.source == "uploaded":
        return "The state starts from the request’s state, as given with the recording."
    if found.source == "echoed":
        return f"The state starts from the request’s state, as the run echoes it at #{found.source_at}."
    if found.last is not None and any(
        moment.change is not None and moment.change.kind == "snapshot"
        for seq, moment in found.moments.items()
        if seq <= found.last.seq
    ):
        return ""  # it came whole: where it started is of no matter any more
    return "The request’s state is not recorded, so the state is taken to start empty."


def stop(trace: Trace, found: Rebuilt, upto: int) -> tuple[str, bool]:
    """What to say when the client had stopped, and whether the state shown has changed since."""
    at = trace.rejected_at
    if at is None or at > upto or (not found.places and not found.source):
        return "", False
    if found.last is None or found.last.reached < 2:
        return f"A client stopped at #{at}. The application holds this state.", False
    before = f" It still holds the state as of #{at - 1}." if at > 0 else ""
    return f"A client stopped at #{at}, so what is shown here never reached the application.{before}", True


def marks(found: Rebuilt) -> Marks:
    """What the last state record changed."""
    moment = found.moments.get(found.last.seq) if found.last is not None else None
    return changes.NONE if moment is None else _changed(moment, _first(found, moment))


def _first(found: Rebuilt, moment: Moment) -> bool:
    """Whether nothing had been there before this moment: then all of it is new, and no mark would tell anything."""
    return moment.before == {} and moment.change is not None and moment.change.kind == "snapshot"


def _changed(moment: Moment, first: bool) -> Marks:
    if moment.change is None or moment.failure is not None or first:
        return changes.NONE
    if moment.change.kind == "patch":
        return changes.by_patch(moment.before, moment.change.operations)
    return changes.by_snapshot(moment.before, moment.after)


def _failed(moment: Moment | None) -> str:
    if moment is None:
        return ""
    if moment.failure is not None:
        return f"Not applied, the state stays as it was. {moment.failure.sentence}"
    return "Not applied: a client can make nothing of this event." if moment.change is None else ""


def _kind(place: Place) -> str:
    return "snapshot" if place.type == "STATE_SNAPSHOT" else "patch"


def _said(found: Rebuilt, moment: Moment | None, marks: Marks) -> str:
    """A snapshot, or a patch without effect, in words."""
    if moment is None or moment.change is None or moment.failure is not None:
        return ""
    if moment.change.kind == "patch":
        return "" if marks.all else "changes nothing"
    whole = moment.after
    told = words.counted(whole) if isinstance(whole, dict | list) and whole else words.brief(whole)
    if _first(found, moment):
        return f"the whole state: {told}"
    if not marks.all:
        return f"the whole state: {told}, as it was"
    return f"the whole state: {told}, {_number(marks)}"


def _number(marks: Marks) -> str:
    return f"{'over ' if marks.cut else ''}{names.plural(len(marks.all), 'change')}"


def _more(marks: Marks, shown: int) -> str:
    left = len(marks.all) - shown
    return f"and {names.count(left)}{' or more' if marks.cut else ''} more" if left > 0 else ""


def last(found: Rebuilt, marks: Marks, link: Link) -> Last | None:
    """link: opens a value of the tree."""
    place = found.last
    if place is None:
        return None
    moment = found.moments.get(place.seq)
    what = f"Last changed by the {_kind(place)} at #{place.seq}"
    failed = _failed(moment)
    if failed:
        what = f"The last {_kind(place)}, at #{place.seq}, changed nothing"
    elif said := _said(found, moment, marks):
        what += f": {said}"
    elif marks.all:
        what += f": {_number(marks)}"
    return Last(
        place.seq,
        what,
        [words.told(m, link(m.path[:-1], None) if len(m.path) > 1 else "") for m in marks.all[:TOLD]],
        _more(marks, TOLD),
        failed,
    )


def line(trace: Trace, page: PageContext, found: Rebuilt, place: Place) -> Line:
    moment = found.moments.get(place.seq)
    marks = changes.NONE if moment is None else _changed(moment, _first(found, moment))
    patch = place.type == "STATE_DELTA"
    shown = marks.all[:2] if patch else ()
    unseen = place.reached >= 2
    before = max((p.seq for p in found.places if p.seq < place.seq), default=-1)
    at = trace.rejected_at
    return Line(
        seq=place.seq,
        kind=_kind(place),
        lane=page.lane_name(place.lane) if trace.lane_count > 1 and place.lane else "",
        lane_cls=names.lane_class(place.lane),
        changed=[words.told(mark) for mark in shown],
        more=_more(marks, len(shown)) if patch else "",
        said=_said(found, moment, marks),
        failed=_failed(moment),
        unseen=unseen,
        stop=unseen and at is not None and before < at,
        current=found.last is not None and place.seq == found.last.seq,
        chosen=place.seq == page.event,
    )
