"""The pace of Teams streams: stored exchanges to the ruler's and the clock's facts.

Rules of this file: no query and no place; words, links and axis values. The contract's numbers are those of
`core.teams.limits`, what a call and an end are called is `words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from webapp.core.records import DELIVERED, DROPPED, LOST, REFUSED, SENT
from webapp.core.teams.limits import LIMIT, PACE, SILENCE, STREAMED, too_soon
from webapp.draw import layout
from webapp.draw.timeline_model import Call, Limit, Pace, Stretch
from webapp.storage.pace import Told
from webapp.views import names
from webapp.views.teams.words import ANSWERED, SPELT, ended
from webapp.views.timeline_lanes import Scene

QUIET = 10.0  # seconds without a call that are told
LOOKS = {DELIVERED: "fine", DROPPED: "dropped", REFUSED: "refused", LOST: "lost", SENT: "sent"}


def pace(calls: Sequence[Told], scene: Scene, calm: frozenset[int] = frozenset()) -> Pace:
    """The ruler of one lane. Without a clock it only shows the calls. calm: records whose refusal is nobody's fault."""
    times = scene.window.times
    timed = scene.window.scale.time
    drawn = tuple(call(one, scene, calm=one.seq in calm) for one in calls)
    if not timed:
        return Pace(drawn)
    at = [times.of(one.seq) for one in calls if one.type in STREAMED]
    return Pace(
        drawn, tuple(_soon(at)), tuple(_bursts(at)), tuple(_silences([times.of(one.seq) for one in calls]))
    )


def call(one: Told, scene: Scene, *, calm: bool = False) -> Call:
    look = "stopped" if calm else LOOKS[one.reached]
    answered = "stopped by the user" if calm else ANSWERED[one.reached]
    words = f"{SPELT.get(one.type or 'other', 'call')} #{one.seq}, {answered}"
    return Call(scene.window.times.of(one.seq), look, words, scene.href(one.seq))


def _soon(at: Sequence[float]) -> list[tuple[float, float]]:
    """The second after each streaming request, those that overlap as one."""
    out: list[tuple[float, float]] = []
    for moment in at:
        if out and moment <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], moment + PACE))
        else:
            out.append((moment, moment + PACE))
    return out


def _bursts(at: Sequence[float]) -> list[Stretch]:
    """Requests that follow each other within less than a second."""
    groups: list[list[float]] = []
    for before, moment in pairwise(at):
        if too_soon(moment - before):
            if groups and groups[-1][-1] == before:
                groups[-1].append(moment)
            else:
                groups.append([before, moment])
    return [
        Stretch(
            group[0],
            group[-1],
            "",
            f"{len(group)} requests in {layout.duration(group[-1] - group[0])}: more than one a second",
        )
        for group in groups
    ]


def _silences(at: Sequence[float]) -> list[Stretch]:
    out = []
    for before, moment in pairwise(at):
        quiet = moment - before
        if quiet >= QUIET:
            words = f"{layout.duration(quiet)} without a call"
            told = f"{words}; some clients give up after about 45 s" if quiet > SILENCE else words
            out.append(Stretch(before, moment, words, told))
    return out


def limit(since: float, used: float, *, running: bool, expired: bool = False) -> Limit:
    """The clock of one stream.

    since: the start's answer; used: when it ended, or the recording's last word on it; running: it is still open;
    expired: the service said that the time was up
    """
    end = since + LIMIT
    left = end - used
    if left < 0:
        words = f"{layout.duration(-left)} past the two minutes"
    elif expired:
        words = f"Teams ended it after {layout.duration(used - since)}"
    elif running:
        words = f"{layout.duration(left)} of two minutes left"
    else:
        words = f"{layout.duration(left)} of two minutes not used"
    return Limit(since, max(used, since), end, words, f"Two-minute clock: {words}", left < 0)


def lane_sub(outcome: str | None, calls: int) -> str:
    """The line under a stream's name."""
    told = names.plural(calls, "call")
    return told if outcome is None else f"{ended(outcome)} · {told}"
