"""Where everything of a ladder stands: columns, and for each arrow its height.

Rules of this file: numbers only, in px; no markup. Down the page runs time, to scale where it fits: arrows never
overlap, so a stretch between two of them may be longer than its time, and a long silence is cut by a break. `Axis`
knows both; ruler and clock read it, so that what they show is true.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webapp.draw import layout
from webapp.draw.ladder_axis import Axis, Break, Segment
from webapp.draw.ladder_model import End, Entry, Head, Ladder, Rung
from webapp.draw.ladder_text import head, tail

LEFT = 54  # the part that stays while the track scrolls: numbers
HEAD = 46
BUBBLE = 172  # width of what the chat shows
PAD = 10  # inside it
TEXT_LINE = 15
FONT = 12
WORDS = 270  # room for the reason beside a call that was not taken
TRACK = 864  # width right of LEFT
_XS = (46, 178, 418, 636, 802)  # ruler, agent, service, chat, clock; from LEFT
_SCALES = (158, 120, 90, 72, 60, 48, 36)  # px a second
_MOST = 300  # px that a gap may take before it is cut
_BREAK = 52  # px of a break, its words included
_FOLD = 46
_BACK = 5.0  # seconds that a clock must go back before it counts as another clock
_TAIL = 46  # px of ruler after the last arrow
_LIMIT = 84  # px after it for a clock that still runs: its break and its limit


@dataclass(slots=True)
class Spot:
    """Where one entry stands. y: of its request (or its words); answer: of its answer; epoch: on which clock.

    late: another call stands between its request and its answer
    """

    y: float = 0
    answer: float = 0
    top: float = 0
    bottom: float = 0
    epoch: int = 0
    late: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """xs: ruler, agent, service, chat, clock; spots: by entry; stop: y of the last arrow's end."""

    left: int
    width: int
    height: int
    xs: tuple[float, ...]
    spots: tuple[Spot, ...]
    axis: Axis
    stop: float

    @property
    def edges(self) -> tuple[float, float]:
        """Left and right end of what is shaded when a rung is chosen."""
        return self.xs[1] - 30, self.xs[3] + BUBBLE / 2 + 8


def places(ladder: Ladder) -> Places:
    left = LEFT + max(0, (len(str(max((r.last for r in ladder.rungs), default=0))) - 4) * 7)
    spread = _Spread(ladder)
    for kind, n, at in _order(ladder.entries, timed=not ladder.untimed):
        spread.add(kind, n, at)
    stop = spread.close()
    limit = _LIMIT if ladder.ends and any(clock.open for clock in ladder.clocks) else 0
    height = round(max(stop + limit, spread.chat) + 24)
    return Places(
        left, left + TRACK, height, tuple(left + x for x in _XS), tuple(spread.spots), spread.axis, stop
    )


def bubble_lines(rung: Rung) -> list[str]:
    """The lines a bubble shows: the beginning of a status or message, the end of a growing text."""
    shown = rung.shown
    if shown is None or not shown.text:
        return []
    cut = head if shown.style in ("status", "user", "message") else tail
    return cut(shown.text, BUBBLE - 2 * PAD, 2, FONT)


def bubble_height(lines: int, caption: bool) -> int:
    return 8 + TEXT_LINE * max(1, lines + caption)


# ── the order of arrows ──────────────────────────────────────


def _order(entries: Sequence[Entry], timed: bool) -> Iterator[tuple[str, int, float | None]]:
    """(ask | answer | words, entry, time) from top to bottom: an answer may come after the next request."""
    waiting: list[tuple[float, int]] = []
    asked: float | None = None
    for n, entry in enumerate(entries):
        at = entry.at if isinstance(entry, Rung) and timed else None
        anew = at is None or (asked is not None and at < asked - _BACK)
        asked = at if at is not None else asked
        while waiting and (anew or at is None or waiting[0][0] <= at):
            ended, which = waiting.pop(0)
            yield "answer", which, ended
        if not isinstance(entry, Rung):
            yield "words", n, None
            continue
        yield "ask", n, at
        if not entry.answers:
            continue
        if at is None or entry.ended is None or entry.folded:
            yield "answer", n, entry.ended if timed else None
        else:
            insort(waiting, (max(at, entry.ended), n))
    for ended, which in waiting:
        yield "answer", which, ended


class _Spread:
    """Goes down the page. arrows, chat: y down to which the arrows' columns and the chat's are taken."""

    def __init__(self, ladder: Ladder) -> None:
        self.entries = ladder.entries
        self.spots = [Spot() for _ in ladder.entries]
        self.axis = Axis()
        self.arrows = self.chat = 4.0
        self.last = 0.0  # y of the last arrow
        self.epoch = 0
        self.scale = _scale(ladder)
        self.anchor: tuple[float, float] | None = None  # time and y of the last arrow that has a time
        self.base: tuple[float, float] | None = (
            None  # the same of the last request, unless a break came after it
        )
        self.asked = False  # whether the last arrow was a request that has an answer
        self.newest = -1  # the entry of the last arrow

    def add(self, kind: str, n: int, at: float | None) -> None:
        entry, spot = self.entries[n], self.spots[n]
        if not isinstance(entry, Rung):
            self._words(entry, spot)
            return
        above, below = _arrow_room(entry, kind)
        chat_above, chat_below = _chat_room(entry, kind)
        low = max(self.arrows + above, self.chat + chat_above if chat_below else 0.0, self.last + 10)
        y = self._place(at, low, above, folded=entry.folded and kind == "answer")
        if kind == "ask" and at is not None and self.anchor == (at, y):
            self.base = at, y
        if kind == "ask":
            spot.y, spot.top, spot.epoch = y, y - above, self.epoch
        spot.late = kind == "answer" and self.newest != n
        spot.answer = y
        self.last, self.newest = y, n
        self.arrows = y + below
        if chat_below:
            self.chat = y + chat_below
        spot.bottom = max(spot.bottom, self.arrows, self.chat if chat_below else 0.0)
        self.asked = kind == "ask" and bool(entry.answers)

    def close(self) -> float:
        """The ruler runs on a little after the last arrow."""
        stop = max(self.last, 40.0)
        if self.anchor is not None:
            t, y = self.anchor
            self.axis.segments.append(Segment(t, y, t + _TAIL / self.scale, y + _TAIL, self.epoch))
            stop = max(stop, y + _TAIL)
        return stop

    def _words(self, entry: Head | End, spot: Spot) -> None:
        low = max(self.arrows, self.chat) + (10 if self.last else 6)
        spot.top = spot.y = low
        if isinstance(entry, Head):
            spot.bottom = low + 24
        else:
            lines = 0 if entry.bubble is None else 2 + bool(entry.bubble.caption) + bool(entry.then)
            spot.y = low + (18 if entry.last else 2)
            spot.bottom = spot.y + max(26, 12 + TEXT_LINE * lines) + 6
        self.arrows = self.chat = spot.bottom
        self.last = max(self.last, spot.top)

    def _place(self, at: float | None, low: float, above: float, folded: bool) -> float:
        """y of an arrow that may not stand above `low`; its stretch of the axis is noted."""
        if at is None:
            return low
        if self.anchor is None:
            self.anchor = at, low
            return low
        before, y0 = self.anchor
        gap = at - before
        if gap < -_BACK:
            y = low + _BREAK
            self.axis.breaks.append(Break(low - above + _BREAK / 2, "the clock starts again", None))
            self.epoch += 1
            self.base = None
        elif gap < 0:
            return low  # recorded a little out of order: it stands below, and is no mark on the axis
        elif gap * self.scale > (_FOLD if folded else _MOST):
            y = self._cut(before, y0, at, low, above, folded)
        else:
            t, base = (
                self.base or self.anchor
            )  # requests are to scale with each other; answers fit in between
            y = max(low, base + (at - t) * self.scale)
            if gap > 0:
                self.axis.segments.append(Segment(before, y0, at, y, self.epoch))
        self.anchor = at, y
        return y

    def _cut(self, before: float, y0: float, at: float, low: float, above: float, folded: bool) -> float:
        """A break; on both sides of it the axis goes on to scale as far as there is room."""
        gap = at - before
        self.base = None
        if folded:
            y = max(low, y0 + _FOLD)
            self.axis.breaks.append(Break((y0 + y) / 2, "", gap))
            return y
        lead = max(
            min(1.1 * self.scale, 100.0), low - above - y0
        )  # so that the second in which to wait is seen
        y = max(low + _BREAK, y0 + lead + _BREAK + above)
        middle = y - above - _BREAK / 2
        what = "an answer" if self.asked else "a call"
        self.axis.breaks.append(Break(middle, f"{layout.duration(gap)} without {what}", gap))
        for t, base, edge in ((before, y0, middle - 12), (at, y, middle + 12)):
            if edge != base:
                t2 = t + (edge - base) / self.scale
                first, second = sorted(((t, base), (t2, edge)))
                self.axis.segments.append(Segment(*first, *second, self.epoch))
        return y


def _arrow_room(rung: Rung, kind: str) -> tuple[float, float]:
    """px above and below an arrow that it needs for its words."""
    note = 14 if rung.note and not rung.reason else 0
    if kind == "ask":
        missing = 18 if rung.missing else 0
        return (30 if rung.folded else 22), 6 + missing + (note if not rung.answers else 0)
    return 8, (26 if rung.folded else 20) + note


def _chat_room(rung: Rung, kind: str) -> tuple[float, float]:
    """px above and below an arrow that the chat's side needs; (0, 0) when nothing stands there."""
    if rung.reason and kind == "ask":
        return 14, 28
    shows = rung.shown is not None and (kind == "answer" or not rung.answers)
    if not shows or rung.shown is None:
        return 0, 0
    height = bubble_height(len(bubble_lines(rung)), bool(rung.shown.caption))
    return 24, height - 14


def _scale(ladder: Ladder) -> int:
    """px a second: the largest with which the window stays readable."""
    times = sorted(rung.at for rung in ladder.rungs if rung.at is not None and not rung.folded)
    gaps = [later - one for one, later in pairwise(times)]
    room = max(520, 112 * len(times))
    for scale in _SCALES:
        if sum(min(gap * scale, _MOST) for gap in gaps) <= room:
            return scale
    return _SCALES[-1]
