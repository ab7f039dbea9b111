"""Where everything in a swimlane stands: rows that do not overlap, and the labels that fit.

Rules of this file: pure geometry, no markup. Things keep the order of their records; a row is taken first-
fit, on the narrowest track, so that nothing overlaps on a wider one. Top to bottom: pins, marks and brackets
share rows, then bars, then density, then state ticks.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.draw import layout
from webapp.draw.axis import TRACK, Scale
from webapp.draw.timeline_model import KINDS, Bar, Lane, Pin, Placed

TOP, BOTTOM = 6, 8
NOTE_ROW = 22  # pins, marks and brackets
BAR, BAR_GAP = 24, 7
SLIM, SLIM_GAP = 13, 4  # bars of a crowded lane
STATE_ROW = 22
COLUMN_ROW = 20
PACE_ROW, LIMIT_ROW = 38, 32  # the ruler of a Teams stream, its two-minute clock
LOWEST = 52  # name and the line under it
ROOMY_ROWS, MOST_ROWS, MOST_NOTE_ROWS = 5, 16, 4
FONT = 11.5
PIN = 8.5  # radius of a fatal pin

Span = tuple[float, float]


class Rows:
    """First-fit rows of spans in px."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken: list[list[Span]] = []

    def place(self, span: Span) -> int | None:
        """The first row where the span is free, or None when all `most` rows are taken there."""
        for at, row in enumerate(self.taken):
            if all(span[1] <= other[0] or span[0] >= other[1] for other in row):
                row.append(span)
                return at
        if len(self.taken) >= self.most:
            return None
        self.taken.append([span])
        return len(self.taken) - 1


def place(lanes: tuple[Lane, ...], scale: Scale) -> tuple[list[Placed], float]:
    """Every lane with its places, and the height of them all in px."""
    out: list[Placed] = []
    y = 4.0
    for lane in lanes:
        placed = _lane(lane, scale, y)
        out.append(placed)
        y += placed.height + 6
    return out, y


def _lane(lane: Lane, scale: Scale, y: float) -> Placed:
    placed = Placed(lane, y, LOWEST)
    below = y + TOP + _notes(placed, scale, y + TOP)
    below = _bars(placed, scale, below)
    below = _columns(placed, below)
    if lane.states:
        placed.states = below + 4
        below += STATE_ROW
    if lane.pace is not None:
        placed.pace = below + PACE_ROW - 6
        below += PACE_ROW
    if lane.limit is not None:
        placed.limit = below + 3
        below += LIMIT_ROW
    placed.height = max(LOWEST, below - y + BOTTOM)
    return placed


def _notes(placed: Placed, scale: Scale, y: float) -> float:
    """Pins first, since they must show; then marks, then brackets. Returns the height they take."""
    lane = placed.lane
    rows = Rows(MOST_NOTE_ROWS)
    for pin in lane.pins:
        row = rows.place(pin_span(pin, scale)) if pin.number or pin.label else None
        written = row is not None
        if row is None:
            px = scale.px(pin.x)
            row = rows.place((px - PIN, px + PIN))
        if row is None:  # no room at all: on the last row, since the first one has the words that matter most
            row = len(rows.taken) - 1
        placed.pins.append((y + 12 + NOTE_ROW * row, written))
    for mark in lane.marks:
        wide = layout.width(f"{mark.number} {mark.words}", FONT) + 10
        row = rows.place(_beside(scale.px(mark.x), min(wide, TRACK / 2)))
        placed.marks.append(None if row is None else y + NOTE_ROW * row)
    for bracket in lane.brackets:
        left = max(scale.px(bracket.x0), 0)
        right = max(scale.px(bracket.x1), left + min(layout.width(bracket.label, 11) + 8, 90))
        row = rows.place((left - 1, right + 4))
        placed.brackets.append(None if row is None else y + NOTE_ROW * row)
    return NOTE_ROW * len(rows.taken)


def pin_span(pin: Pin, scale: Scale) -> Span:
    """What a pin and its label take."""
    px = scale.px(pin.x)
    wide = pin_label_width(pin)
    return (px - PIN - wide, px + PIN + 3) if leftward(px, wide) else (px - PIN - 3, px + PIN + wide)


def pin_label_width(pin: Pin) -> float:
    return layout.width(pin.number, FONT, mono=True) + layout.width(pin.label, FONT) + 16


def leftward(px: float, wide: float) -> bool:
    """Whether a label stands to the left of its mark: there is more room, or none at the right."""
    return px + wide + PIN > TRACK and px - wide - PIN > 0


def _beside(px: float, wide: float) -> Span:
    return (px - wide, px + 3) if leftward(px, wide) else (px - 3, px + wide)


def _bars(placed: Placed, scale: Scale, y: float) -> float:
    lane = placed.lane
    if not lane.bars:
        return y
    rows = Rows(MOST_ROWS)
    at = [rows.place(bar_span(bar, scale)) for bar in lane.bars]
    if len(rows.taken) <= ROOMY_ROWS:
        height, step = BAR, BAR + BAR_GAP
    else:
        height, step = SLIM, SLIM + SLIM_GAP
    placed.bar = height
    placed.bars = [None if row is None else y + row * step for row in at]
    return y + len(rows.taken) * step


def bar_span(bar: Bar, scale: Scale) -> Span:
    """What a bar takes: itself, its wait and result, its hatched part, and a label that stands outside."""
    left, right = scale.px(bar.x0), max(scale.px(bar.end), scale.px(bar.x0) + LEAST)
    if bar.result is not None:
        right += 6
    found = label(bar, scale)
    if found is not None:
        left, right = min(left, found.left), max(right, found.left + found.wide)
    return (left - 0.5, right + 0.5)


LEAST = 5.0  # px: a bar of one record is still a bar


def bar_width(bar: Bar, scale: Scale) -> float:
    """Width of the solid part, on the narrowest track."""
    return max(scale.px(bar.x1) - scale.px(bar.x0), LEAST)


@dataclass(frozen=True, slots=True)
class Label:
    """A bar's words. left, wide: px they take; where: inside | wait | plate | outside."""

    text: str
    left: float
    wide: float
    where: str


def label(bar: Bar, scale: Scale) -> Label | None:
    """The words and where they fit; None when they only fit into the hover text."""
    visible = max(scale.px(bar.x0), 0)
    solid = scale.px(bar.x0) + bar_width(bar, scale)
    if bar.until is not None:
        return _open_label(bar, scale, solid)
    wide = layout.width(bar.label, FONT)
    inside = visible + 7
    if wide <= solid - inside - 4:
        return Label(bar.label, inside, wide, "inside")
    if bar.result is not None:
        start, room = solid + 6, scale.px(bar.result) - solid - 18
        if room > 34:
            text = layout.clip(bar.label, room, FONT)
            return Label(text, start, layout.width(text, FONT), "wait")
    if solid - inside - 4 > max(44, min(wide * 0.6, 110)):
        text = layout.clip(bar.label, solid - inside - 4, FONT)
        return Label(text, inside, layout.width(text, FONT), "inside")
    return None


def _open_label(bar: Bar, scale: Scale, solid: float) -> Label:
    text = f"{layout.clip(bar.label, 160, FONT)}, {bar.open_words}"
    wide = layout.width(text, FONT) + 10
    end = scale.px(bar.until if bar.until is not None else bar.x1)
    start = max(solid, 0) + 6
    if end - start >= wide:
        return Label(text, start, wide, "plate")
    left = scale.px(bar.x0) - 6 - wide
    if left >= 0:
        return Label(text, left, wide, "outside")
    return Label(text, max(min(end + 6, TRACK - wide), 0), wide, "outside")


def _columns(placed: Placed, y: float) -> float:
    present = {column.kind for column in placed.lane.columns}
    for kind in KINDS:
        if kind in present:
            placed.columns[kind] = y + COLUMN_ROW - 2
            y += COLUMN_ROW
    return y
