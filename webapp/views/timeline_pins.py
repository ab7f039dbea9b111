"""The findings of a Timeline's window as pins on lanes, and as marks of the minimap.

Rules of this file: few findings get a pin each, many share pins that say how many they are; the chosen
event's and the headline's always have their own. No query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.draw import layout
from webapp.draw.timeline_model import Pin
from webapp.storage.models import FindingRow
from webapp.storage.timeline import Hits, Stamp
from webapp.views import marks, names
from webapp.views.timeline_lanes import Scene

PINS = 60  # drawn one by one; of more, SHARED pins say how many they are
SHARED = 24
WORDED = 12  # with words beside them
WORDS_PX = 190


@dataclass(frozen=True, slots=True)
class Findings:
    """hits: in the window, in order; stamps, rows: the record and the worst finding of single ones.

    tied: a finding's record -> the item it is about
    """

    hits: Sequence[Hits]
    stamps: Mapping[int, Stamp]
    rows: Mapping[int, FindingRow]
    tied: Mapping[int, int]


def pins(found: Findings, scene: Scene, drawn: Sequence[int]) -> tuple[dict[int, list[Pin]], int]:
    """Pins by lane, and how many records with a finding lie on lanes that are not drawn."""
    out: dict[int, list[Pin]] = {}
    hidden = 0
    special = {scene.page.event, scene.page.trace.headline_event}
    alone = sum(hit.records == 1 for hit in found.hits)
    for hit in found.hits:
        stamp = found.stamps.get(hit.first)
        if hit.records > 1 or stamp is None:
            out.setdefault(drawn[0], []).append(_several(hit, scene))
        elif stamp.lane not in drawn:
            hidden += 1
        else:
            told = hit.first in found.rows and alone <= WORDED  # a repeat has nothing new to say
            worded = told or hit.first in special
            pin = _single(hit, stamp, found, scene, worded)
            if scene.window.scale.sees(pin.x, pin.x):
                out.setdefault(stamp.lane, []).append(pin)
    for several in out.values():  # the chosen one first, so that its words find room
        several.sort(key=lambda pin: (pin.item is None, pin.label == ""))
    return out, hidden


def _single(hit: Hits, stamp: Stamp, found: Findings, scene: Scene, worded: bool) -> Pin:
    row = found.rows.get(hit.first)
    severity = names.SEVERITY[hit.severity]
    title = marks.plain(row.title) if row is not None else "found again here"
    words = (stamp.type or "not an event") if severity == "fatal" or row is None else title
    return Pin(
        x=scene.window.times.of(hit.first),
        severity=severity,
        label=layout.clip(layout.plain(words), WORDS_PX, 11.5) if worded else "",
        title=layout.plain(
            f"{names.SEVERITY_WORD[severity]} at #{hit.first}, {stamp.type or 'no event'}: {title}"
        ),
        href=scene.href(hit.first),
        number=f"#{hit.first}" if worded else "",
        item=found.tied.get(hit.first),
    )


def _several(hit: Hits, scene: Scene) -> Pin:
    severity = names.SEVERITY[hit.severity]
    times = scene.window.times
    places = layout.numbers(hit.first, hit.last)
    return Pin(
        x=(times.of(hit.first) + times.of(hit.last)) / 2,
        severity=severity,
        label=f"×{names.count(hit.records)}" if hit.records > 1 else "",
        title=f"{names.plural(hit.records, 'event')} with findings, {places}, the worst: {severity}",
        href=scene.href(hit.first),
        count=hit.records,
    )
