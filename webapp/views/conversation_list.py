"""The message list of a trace as of one record, without loading it: where each entry stands, and a window of it.

Rules of this file: order only. The list is what a client holds: the request's messages, or those of the newest
MESSAGES_SNAPSHOT, then what was streamed since. In between stand the messages that snapshots took away.
Addresses count through all three: base, removed, then the running number of an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import conversation, events, items
from webapp.storage.models import ItemRow, Trace
from webapp.views.conversation_whole import Seed, Slot, Whole
from webapp.views.page import PageContext

WINDOW = 40
SPOKEN = ("text", "tool", "reasoning", "activity", "result")  # kinds of items a conversation shows
AHEAD = 28  # entries before the one that the chosen event touches
MAX_RUNS = 40  # runs whose echoed messages are looked at for one window


@dataclass(frozen=True, slots=True)
class Window:
    """slots in order; anchor: the entry the chosen event touches, if it is in sight.

    earlier, later: how many are not in the window; earlier_at, later_at: where the neighbouring windows begin
    """

    slots: Sequence[Slot]
    anchor: Slot | None
    earlier: int
    later: int
    earlier_at: int | None
    later_at: int | None


class Talk:
    """The list as of record `upto`."""

    def __init__(self, session: Session, trace: Trace, page: PageContext, upto: int) -> None:
        self.session, self.trace, self.page, self.upto = session, trace, page, upto
        self.whole = Whole(session, trace, page, upto)
        self.snapshot, base = self.whole.base()
        self.ids = {seed.id: place for place, seed in reversed(list(enumerate(base)))}
        gone = conversation.removed(session, trace.pk, upto) if "MESSAGES_SNAPSHOT" in trace.types else []
        self.base: list[Slot] = [*base, *(item for item in gone if item.id not in self.ids)]
        self.floor = 0
        if self.snapshot is not None:
            first = conversation.first_ord_after(session, trace.pk, self.snapshot)
            self.floor = trace.item_count if first is None else first

    # ── a window ─────────────────────────────────────────────

    def onwards(self, address: int, limit: int) -> list[tuple[int, Slot]]:
        size = len(self.base)
        out: list[tuple[int, Slot]] = list(enumerate(self.base[address : address + limit], address))
        if len(out) < limit:
            low = max(address - size, self.floor)
            more = conversation.onwards(self.session, self.trace.pk, low, self.upto, limit - len(out))
            out += [(size + item.ord, item) for item in more if not self._again(item)]
        return out

    def backwards(self, address: int, limit: int) -> list[tuple[int, Slot]]:
        size = len(self.base)
        out: list[tuple[int, Slot]] = []
        if address > size:
            near = conversation.backwards(self.session, self.trace.pk, address - size, self.floor, limit)
            out = [(size + item.ord, item) for item in near if not self._again(item)]
        room = limit - len(out)
        end = min(address, size)
        return [*enumerate(self.base[max(0, end - room) : end], max(0, end - room)), *out]

    def _again(self, item: ItemRow) -> bool:
        """Whether an item only goes on with a message that came whole: it stands there."""
        return item.kind != "tool" and item.id in self.ids

    def window(self, start: int | None) -> Window:
        anchor = self._anchor()
        if start is not None:
            slots = self.onwards(start, WINDOW)
        else:
            before = self.backwards(max(anchor, 0), AHEAD)
            slots = before + self.onwards(max(anchor, 0), WINDOW - len(before))
        if len(slots) < WINDOW and (not slots or slots[0][0] > 0):
            first = slots[0][0] if slots else self._end()
            slots = self.backwards(first, WINDOW - len(slots)) + slots
        slots = self._with_echoes(slots, anchor, start is not None)
        own = [address for address, _ in slots if address >= 0]
        earlier = self._count_before(own[0]) if own else 0
        later = self._count_after(own[-1]) if own else 0
        back = self.backwards(own[0], WINDOW) if earlier else []
        chosen = [
            slot for at, slot in slots if at == anchor or (at < 0 and _brought(slot) == self.page.event)
        ]
        return Window(
            slots=[self.whole.filled(slot) for _, slot in slots],
            anchor=self.whole.filled(chosen[-1]) if chosen else None,
            earlier=earlier,
            later=later,
            earlier_at=back[0][0] if back else None,
            later_at=own[-1] + 1 if later else None,
        )

    def _with_echoes(
        self, slots: list[tuple[int, Slot]], anchor: int, from_start: bool
    ) -> list[tuple[int, Slot]]:
        """The window with what later runs' requests brought, at address -1, where those runs begin."""
        if self.trace.run_count <= 1 or not slots:
            return slots
        more = self._count_after(slots[-1][0]) > 0
        for seed in self._echoed(slots, more):
            source = seed.source or 0
            place = next((n for n, (_, slot) in enumerate(slots) if _began(slot) > source), len(slots))
            slots.insert(place, (-1, seed))
        over = len(slots) - WINDOW
        if over <= 0 or from_start:
            return slots[:WINDOW]
        mine = next((n for n, (address, _) in enumerate(slots) if address == anchor), len(slots) - 1)
        ahead = min(over, max(0, mine - AHEAD // 2))
        return slots[ahead : ahead + WINDOW]

    def _end(self) -> int:
        """The address behind the last entry there was by `upto`."""
        last = conversation.last_ord_upto(self.session, self.trace.pk, self.upto)
        return len(self.base) + (0 if last is None or last < self.floor else last + 1)

    def _count_before(self, address: int) -> int:
        size = len(self.base)
        if address <= size:
            return address
        pk = self.trace.pk
        return size + conversation.count(self.session, pk, self.floor, address - size, self.upto)

    def _count_after(self, address: int) -> int:
        size = len(self.base)
        rest = max(0, size - address - 1)
        low = max(address + 1 - size, self.floor)
        return rest + conversation.count(self.session, self.trace.pk, low, None, self.upto)

    def _anchor(self) -> int:
        """Where the chosen record's item stands; else the last entry there was then."""
        size = len(self.base)
        line = events.some(self.session, self.trace.pk, [self.page.event]).get(self.page.event)
        item = (
            items.by_ord(self.session, self.trace.pk, line.item) if line and line.item is not None else None
        )
        if item is None or item.kind not in SPOKEN:  # a step, a state, a run: what was last said by then
            by = min(self.page.event, self.upto)
            last = conversation.last_ord_upto(self.session, self.trace.pk, by, SPOKEN)
            item = None if last is None else items.by_ord(self.session, self.trace.pk, last)
        if item is not None and item.kind == "result" and item.parent:
            called = items.by_ids(self.session, self.trace.pk, [item.parent], ("tool",), item.first)
            item = called[-1] if called else item
        if item is not None and item.kind in SPOKEN:
            if item.ord >= self.floor and not self._again(item):
                return size + item.ord
            place = self.ids.get(item.id, self.ids.get(item.parent or ""))
            if place is not None:
                return place
            same = (item.id, item.parent)
            return next((n for n, slot in enumerate(self.base) if slot.id in same), size - 1)
        return size - 1

    def _echoed(self, slots: Sequence[tuple[int, Slot]], more: bool) -> list[Seed]:
        """Messages that later runs in the window bring with their request and nobody had before."""
        ahead = [slot.first for _, slot in slots if isinstance(slot, ItemRow)]
        low = -1 if self.snapshot is None else self.snapshot
        if slots and isinstance(slots[0][1], ItemRow) and slots[0][0] > len(self.base):
            low = max(low, slots[0][1].first - 1)
        high = max(ahead, default=self.upto) if more else self.upto
        runs = list(self.page.runs)
        wanted = [n for n, run in enumerate(runs) if n and low < run.first <= high][:MAX_RUNS]
        out: list[Seed] = []
        known = set(self.ids)
        for number in wanted:
            seeds = self.whole.echo(runs[number].first)
            if seeds:
                known |= {seed.id for seed in self.whole.echo(runs[number - 1].first)}
                fresh = [seed for seed in seeds if seed.id not in known][-20:]
                kinds = ("text", "reasoning", "activity", "result")
                pk = self.trace.pk
                streamed = items.by_ids(self.session, pk, [s.id for s in fresh], kinds, self.upto)
                known |= {item.id for item in streamed}
                out += [seed for seed in fresh if seed.id not in known]
                known |= {seed.id for seed in fresh}
        return out


def _brought(slot: Slot) -> int | None:
    return slot.source if isinstance(slot, Seed) else None


def _began(slot: Slot) -> int:
    """When an entry came; those that came whole stand before all that was streamed."""
    return (-1 if slot.source is None else slot.source) if isinstance(slot, Seed) else slot.first
