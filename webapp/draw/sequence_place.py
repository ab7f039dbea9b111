"""Where everything of a sequence diagram stands: columns, row heights, baselines.

Rules of this file: numbers only, in px; no markup. The label part is `left` wide and stays while the track
scrolls, so the track's own coordinates begin at `left`.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.draw import layout
from webapp.draw.sequence_model import Diagram, Row

PITCH = 130  # between lifelines
BOX = 118  # heads on the right
PILL = 126
HEAD = 46  # height of the heads
TOTAL = 918  # least width of labels and track: what a 1280 px page leaves
TIGHT = 97  # between lanes, when that makes everything fit
FIRST = 70  # from the label part to the first lifeline
LAST = 68  # from the screen's lifeline to the edge
NUMBER_X = 16
NUMBER = 56  # room for a number on one line
LINE = 24  # between arrows of one row

_PLAIN, _NOTE, _STOP, _LOOP_TOP, _LOOP_LINE, _LOOP_BOTTOM = 31, 13, 32, 34, 26, 13


@dataclass(frozen=True, slots=True)
class Places:
    """Places in px. left: width of the label part; box: of a lane's head and tint; xs: of the lifelines."""

    left: int
    width: int
    height: int
    box: int
    xs: tuple[float, ...]
    tops: tuple[int, ...]
    heights: tuple[int, ...]

    def baseline(self, at: int, row: Row, line: int = 0) -> int:
        """y of an arrow."""
        if row.shape == "loop":
            return self.tops[at] + _LOOP_TOP + line * _LOOP_LINE
        return self.tops[at] + 21 + line * LINE

    def middle(self, at: int, row: Row) -> int:
        """y of the row's number and time."""
        if row.shape == "loop":
            return self.tops[at] + self.heights[at] // 2
        return self.baseline(at, row)


def places(diagram: Diagram) -> Places:
    roles = [lifeline.role for lifeline in diagram.lifelines]
    ends = 3 if "expansion" in roles else 2
    lanes = len(roles) - ends
    left = _left(diagram)
    fixed = FIRST + PITCH * (ends - 1) + LAST
    fitting = (TOTAL - left - fixed) / lanes
    pitch = int(fitting) if TIGHT <= fitting < PITCH else PITCH
    track = max(TOTAL - left, fixed + pitch * lanes)
    xs = [float(left + FIRST + pitch * at) for at in range(lanes)]
    xs += [float(left + track - LAST - PITCH * (ends - 1 - at)) for at in range(ends)]
    tops, heights, y = [], [], 4
    for row in diagram.rows:
        tall = height(row)
        tops.append(y)
        heights.append(tall)
        y += tall
    return Places(left, left + track, y + 16, pitch - 12, tuple(xs), tuple(tops), tuple(heights))


def height(row: Row) -> int:
    if row.shape == "stop":
        return _STOP
    lines = max(1, len(row.lines))
    if row.shape == "loop":
        return _LOOP_TOP + _LOOP_LINE * (lines - 1) + _LOOP_BOTTOM
    noted = bool(row.fault) or (lines == 1 and any(a.note for line in row.lines for a in line.arrows))
    return _PLAIN + LINE * (lines - 1) + (_NOTE if noted else 0)


def _left(diagram: Diagram) -> int:
    """Room for number and time side by side; the number's own part is the same in every window."""
    times = [words for words in diagram.times if words]
    widest = max((layout.width(t, 11, mono=True) for t in times), default=0.0)
    return NUMBER_X + NUMBER + (round(8 + max(widest, 40)) if times else 0) + 10
