"""The time axis of a ladder: stretches that are to scale, and the breaks between them.

Rules of this file: numbers only, from seconds to px down the page. Ruler and clock read heights here and nowhere
else, so that what they show is true.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch that is to scale: y runs from y0 to y1 as time runs from t0 to t1."""

    t0: float
    y0: float
    t1: float
    y1: float
    epoch: int

    def at(self, t: float) -> float:
        return self.y0 + (t - self.t0) / (self.t1 - self.t0) * (self.y1 - self.y0)


@dataclass(frozen=True, slots=True)
class Break:
    """A cut in time. y: its middle; words: what is left out; seconds: how long, None when the clock begins anew."""

    y: float
    words: str
    seconds: float | None


@dataclass(slots=True)
class Axis:
    """Stretches to scale and the breaks between them. epoch: which clock, where a recording has several."""

    segments: list[Segment] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)

    def y(self, t: float, epoch: int) -> float | None:
        """The height of a moment; None in a break and outside the window."""
        for segment in self.segments:
            if segment.epoch == epoch and segment.t0 <= t <= segment.t1:
                return segment.at(t)
        return None

    def spans(self, t0: float, t1: float, epoch: int) -> list[tuple[float, float]]:
        """(y0, y1) of the parts of a period that are drawn; parts that touch are one."""
        out: list[tuple[float, float]] = []
        for segment in self.segments:
            low, high = max(t0, segment.t0), min(t1, segment.t1)
            if segment.epoch != epoch or low >= high:
                continue
            y0, y1 = segment.at(low), segment.at(high)
            if out and y0 - out[-1][1] < 0.5:
                out[-1] = (out[-1][0], y1)
            else:
                out.append((y0, y1))
        return out
