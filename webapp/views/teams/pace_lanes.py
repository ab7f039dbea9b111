"""What stands in the lanes of a Teams Timeline: streams, their calls, their clocks.

Rules of this file: the queries of a window, each bounded, and the lanes made of them; how pace reads is in `pace`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from webapp.core.records import REFUSED
from webapp.draw import layout
from webapp.draw.timeline_model import Bar, Bracket, Column, Lane, Limit
from webapp.storage import findings, timeline
from webapp.storage import pace as stored
from webapp.storage.items import StoredLane
from webapp.storage.models import Trace
from webapp.storage.pace import Reply, Told
from webapp.storage.timeline import Hits
from webapp.views import names, timeline_lanes
from webapp.views.teams import calls as decoded
from webapp.views.teams import pace
from webapp.views.teams.words import ended
from webapp.views.timeline_lanes import Scene
from webapp.views.timeline_load import SLOTS
from webapp.views.timeline_mini import SEEN
from webapp.views.timeline_pins import PINS, SHARED, Findings, pins
from webapp.views.timeline_tree import Shown


@dataclass(frozen=True, slots=True)
class Loaded:
    """lanes; hidden: findings on lanes not drawn; whole: findings of the whole recording, for the minimap."""

    lanes: Sequence[Lane]
    hidden: int
    whole: Sequence[Hits]


def load(
    session: Session, trace: Trace, scene: Scene, shown: Shown, told: Sequence[Told], far: bool
) -> Loaded:
    """The swimlanes. told: the exchanges in the window; far: too many to be drawn one by one."""
    window, page, pk = scene.window, scene.page, trace.pk
    ords = [lane.ord for lane in shown.lanes if _speaks(lane, told, far, trace)]
    replies = {reply.lane: reply for reply in stored.replies(session, pk, ords)}
    hits = timeline.hits(session, pk, window.lo, window.hi, PINS, SHARED)
    whole = timeline.hits(session, pk, 0, page.last, SEEN, SEEN)
    seqs = [seq for hit in (*hits, *whole) for seq in (hit.first, hit.last)] + [one.seq for one in told]
    _learn_times(session, scene, shown, replies, seqs)
    single = [hit.first for hit in hits if hit.records == 1]
    stamps = timeline.stamps(session, pk, [hit.first for hit in hits])
    found = Findings(hits, stamps, findings.worst_at(session, pk, single), {})
    hung, hidden = pins(found, scene, ords) if ords else ({}, 0)
    columns = _columns(session, trace, scene, ords) if far else {}
    since = _since(session, trace, scene, replies)
    calm = frozenset[int]() if far else _calm(session, trace, scene, told)
    by_lane: dict[int, list[Told]] = {}
    for one in () if far else told:
        by_lane.setdefault(one.lane, []).append(one)
    lanes = []
    for row in shown.lanes:
        if row.ord not in ords:
            continue
        calls, reply = by_lane.get(row.ord, []), replies.get(row.ord)
        lane = Lane(
            ord=row.ord,
            name=layout.plain("the chat" if row.ord == 0 else page.lane_name(row.ord)),
            sub=_sub(row, reply, scene),
            tint=names.lane_class(row.ord),
            bad=_outcome(reply, scene) in ("refused", "unclosed", "expired"),
            bars=_bars(reply, scene),
            brackets=_brackets(session, trace, reply, scene),
            pins=tuple(hung.get(row.ord, ())),
            columns=tuple(columns.get(row.ord, ())),
            pace=pace.pace(calls, scene, calm) if calls else None,
            limit=_limit(reply, since.get(row.ord), scene),
        )
        x0, x1 = timeline_lanes.life(row, scene)
        lanes.append(replace(lane, x0=x0, x1=x1))
    return Loaded(lanes, hidden, whole)


def _speaks(lane: StoredLane, told: Sequence[Told], far: bool, trace: Trace) -> bool:
    """The chat itself is a lane only where something happens outside of the streams."""
    return lane.ord != 0 or trace.lane_count == 1 or (not far and any(one.lane == 0 for one in told))


def _learn_times(
    session: Session, scene: Scene, shown: Shown, replies: dict[int, Reply], seqs: Sequence[int]
) -> None:
    """The times of every record that is drawn, in one query."""
    window, page = scene.window, scene.page
    wanted: set[int | None] = {page.event, page.last, window.lo, window.hi, *seqs}
    for lane in shown.lanes:
        wanted.update((lane.first, lane.last))
    for reply in replies.values():
        wanted.update((reply.first, reply.last, reply.opened, reply.closed))
    window.times.add(timeline.stamps(session, page.trace.pk, wanted))


def _since(session: Session, trace: Trace, scene: Scene, replies: dict[int, Reply]) -> dict[int, float]:
    """When the start of each stream was answered, on the axis."""
    if not scene.window.scale.time:
        return {}
    opened = {reply.opened: lane for lane, reply in replies.items() if reply.opened is not None}
    starts = decoded.load(session, trace.pk, opened, scene.page.event)
    out = {}
    for seq, lane in opened.items():
        start = starts.get(seq)
        took = 0.0 if start is None or start.took is None else start.took
        out[lane] = scene.window.times.of(seq) + took
    return out


def _calm(session: Session, trace: Trace, scene: Scene, told: Sequence[Told]) -> frozenset[int]:
    """The calls that were refused because the user had pressed Stop, where no finding says more."""
    refused = [one.seq for one in told if one.reached == REFUSED]
    known = decoded.load(session, trace.pk, refused, scene.page.event) if refused else {}
    stops = [seq for seq, ex in known.items() if decoded.is_stop(ex)]
    found = findings.at_events(session, trace.pk, stops) if stops else []
    faults = {seq for row in found if decoded.blames(row) for seq in (row.event, *findings.repeats(row))}
    return frozenset(stops) - faults


def _outcome(reply: Reply | None, scene: Scene) -> str | None:
    run = None if reply is None or reply.run is None else scene.runs.get(reply.run)
    return None if run is None else run.outcome


def _sub(lane: StoredLane, reply: Reply | None, scene: Scene) -> str:
    if reply is None:
        return "outside the streams"
    return pace.lane_sub(_outcome(reply, scene), reply.calls)


def _bars(reply: Reply | None, scene: Scene) -> tuple[Bar, ...]:
    if reply is None:
        return ()
    times, outcome = scene.window.times, _outcome(reply, scene) or ""
    x0 = times.of(reply.first if reply.opened is None else reply.opened)
    x1 = max(times.of(reply.last if reply.closed is None else reply.closed), x0)
    until = None
    if outcome in ("unclosed", "open"):
        until = max(times.of(scene.page.last), x1)
    words = ended(outcome)
    size = names.plural(reply.chars, "character")
    told = f"{names.plural(reply.calls, 'call')}, {layout.numbers(reply.first, reply.last)}, {size}, {words}"
    made = Bar(
        key=reply.ord,
        kind="text",
        x0=x0,
        x1=x1,
        label=words if until is None else "reply",
        title=layout.plain(told),
        href=scene.href(reply.first),
        until=until,
        open_words=words,
        fault=outcome == "unclosed",
        ghost=reply.opened is None and outcome == "refused",
        chosen=reply.ord == scene.chosen,
    )
    return (made,) if scene.window.scale.sees(made.x0, made.end) else ()


def _brackets(session: Session, trace: Trace, reply: Reply | None, scene: Scene) -> tuple[Bracket, ...]:
    """The part of a stream in which only status lines were shown."""
    if reply is None or reply.opened is None:
        return ()
    first = stored.first_of(session, trace.pk, reply, "informative")
    if first is None:
        return ()
    text = stored.first_of(session, trace.pk, reply, "streaming")
    end = text if text is not None else reply.last if reply.closed is None else reply.closed
    stamps = timeline.stamps(session, trace.pk, (first, end))
    scene.window.times.add(stamps)
    x0, x1 = sorted((scene.window.times.of(first), scene.window.times.of(end)))
    if not scene.window.scale.sees(x0, x1):
        return ()
    words = f"status lines only, {layout.numbers(first, end)}"
    return (Bracket("step", x0, x1, "status lines", words, scene.href(first)),)


def _limit(reply: Reply | None, since: float | None, scene: Scene) -> Limit | None:
    if reply is None or since is None:
        return None
    times = scene.window.times
    used = times.of(scene.page.last if reply.closed is None else reply.closed)
    open_ = reply.closed is None
    expired = not open_ and _outcome(reply, scene) in ("expired", "edited")  # an edit is the way out of that
    return pace.limit(since, used, running=open_, expired=expired)


def _columns(session: Session, trace: Trace, scene: Scene, ords: Sequence[int]) -> dict[int, list[Column]]:
    window = scene.window
    wide, times = window.hi - window.lo + 1, window.times
    bounds = [times.of(min(window.hi, window.lo + n * wide // SLOTS)) for n in range(SLOTS + 1)]
    counts = [c for c in stored.counted(session, trace.pk, window.lo, window.hi, SLOTS) if c.lane in ords]
    highest = max((c.number for c in counts), default=1)
    out: dict[int, list[Column]] = {}
    for c in counts:
        if 0 <= c.slot < SLOTS:
            x1 = max(bounds[c.slot + 1], bounds[c.slot] + window.scale.span / 300)
            out.setdefault(c.lane, []).append(Column("text", bounds[c.slot], x1, c.number / highest))
    return out
