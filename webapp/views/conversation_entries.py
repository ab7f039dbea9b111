"""Entries of the conversation: what each message, call and reasoning was at one moment.

Rules of this file: from stored rows to words. Nothing is judged again: what reached the user is what the engine
says was delivered. Queries are made for a whole window at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sqlalchemy.orm import Session

from webapp.storage import items, texts
from webapp.storage.models import ItemRow, Trace
from webapp.storage.storable import storable
from webapp.views import bodies, names, returned, sealed
from webapp.views.content import showable
from webapp.views.conversation_calls import Calls, tool_calls
from webapp.views.conversation_items import contents, life
from webapp.views.conversation_model import Entry
from webapp.views.conversation_texts import Texts
from webapp.views.conversation_whole import Seed, Slot
from webapp.views.page import PageContext
from webapp.views.returned import Back

KINDS = {"reasoning": "reasoning", "activity": "activity"}
MAX_CALLS = 60  # of one whole message; more are counted


class Teller:
    """Entries of one window as of record `upto`. base: where whole texts can be had, "" = nowhere."""

    def __init__(
        self, session: Session, trace: Trace, page: PageContext, upto: int, base: str, anchor: Slot | None
    ) -> None:
        self.session, self.trace, self.page, self.upto, self.anchor = session, trace, page, upto, anchor
        stop = trace.rejected_at
        self.stop = stop if stop is not None and stop <= upto else None
        self.texts = Texts(session, trace.pk, upto, base, sealed.without_texts(trace))
        self._out: list[Entry] = []
        self._homes: dict[str, Entry] = {}  # messages by id, for their calls
        self._streamed: dict[tuple[str, str], ItemRow] = {}
        self.made = Calls(self.texts, page, upto, self.stop, anchor)

    def entries(self, slots: Sequence[Slot]) -> list[Entry]:
        """slots: seeds already filled, and items, in order."""
        self._load(slots)
        for place, slot in enumerate(slots):
            if isinstance(slot, Seed):
                self._seed(slot, place)
            elif slot.kind == "tool":
                self._called(slot)
            else:
                self._told(slot)
        return self._answered(slots)

    def _load(self, slots: Sequence[Slot]) -> None:
        seeds = [slot for slot in slots if isinstance(slot, Seed)]
        rows = [slot for slot in slots if isinstance(slot, ItemRow)]
        ids = [seed.id for seed in seeds] + [c["id"] for seed in seeds for c in tool_calls(seed.message)]
        kinds = ("text", "reasoning", "activity", "tool")
        found = items.by_ids(self.session, self.trace.pk, ids, kinds, self.upto)
        self._streamed = {(item.kind, item.id): item for item in found}
        self.made.streamed = {item.id: item for item in found if item.kind == "tool"}
        after: dict[int, int] = {}
        for seed in seeds:
            wanted = [(KINDS.get(seed.role, "text"), seed.id)]
            wanted += [("tool", call["id"]) for call in tool_calls(seed.message)]
            for key in wanted:
                if key in self._streamed and seed.message is not None and seed.source is not None:
                    after[self._streamed[key].ord] = seed.source
        self.texts.load([*rows, *(item for item in found if item not in rows)], after)

    @cached_property
    def _backs(self) -> dict[int, Back]:
        return returned.find(self.session, self.trace, self.page)

    # ── what was streamed ────────────────────────────────────

    def _lane(self, ord_: int) -> tuple[str, str]:
        if self.trace.lane_count <= 1:
            return "", ""
        return self.page.lane_name(ord_), names.lane_class(ord_)

    def _told(self, item: ItemRow) -> None:
        """A message; one whose calls came before it takes the place they had made for it."""
        entry = self._item(item)
        home = self._homes.get(item.id)
        if home is not None and home.cls == "calls" and item.kind == "text":
            entry.calls, entry.quiet = home.calls, ""
            self._out[self._out.index(home)] = entry
        elif entry.body is not None or entry.unseen or item.kind != "activity":
            self._out.append(entry)
        if entry.cls != "gone" and (home is None or home.cls == "calls"):
            self._homes[item.id] = entry

    def _item(self, item: ItemRow) -> Entry:
        lane, lane_cls = self._lane(item.lane)
        told = life(item, self.upto, self.stop, self.page)
        gone = item.gone is not None and item.gone <= self.upto
        entry = Entry(
            dom=f"say-{item.ord}",
            cls="never" if told.unseen else "gone" if gone else item.kind,
            who=_who(item.name if item.kind == "text" else item.kind),
            name=names.item_name(item) if item.kind == "activity" else "",
            id=showable(names.short_id(item.id, 24)),
            lane=lane,
            lane_cls=lane_cls,
            state="" if gone else told.words,
            state_cls="never" if told.unseen else told.cls,
            growing=told.growing and not gone,
            first=item.first,
            last=self.texts.last(item),
            folded=item.kind == "reasoning",
            unseen=told.unseen,
            current=item is self.anchor,
        )
        if item.kind == "activity":
            entry.body = contents(self.session, self.trace, item, self.upto, self.stop)
        elif item.kind == "result":
            entry.who = "tool"
            entry.body = self.texts.result(item.first)
            entry.notes.append(f"A result for the call `{_quoted(item.parent)}`, which nobody has made.")
        else:
            entry.body = None if told.unseen else self.texts.text(item, True)
            entry.lost = self.made.lost(item, gone)
            if entry.body is None and not told.unseen:
                entry.quiet = "no text yet" if told.growing else "no text"
        if gone:
            entry.notes.insert(0, self._removed(item))
        return entry

    def _removed(self, item: ItemRow) -> str:
        """That it was removed; and when it will be back, so that nobody takes it for lost."""
        told = f"Removed by the snapshot at #{item.gone}: from then on the user did not see it"
        back = self._backs.get(item.ord)
        return f"{told}, until the snapshot at #{back.at} brought it back." if back else f"{told}."

    def _called(self, item: ItemRow) -> None:
        """A call: inside its message when the window holds that, else in a message of its own."""
        call = self.made.call(item)
        home = self._homes.get(item.parent or item.id)
        if home is None:
            lane, lane_cls = self._lane(item.lane)
            unseen = call.state_cls == "never"
            home = Entry(
                dom=f"say-{item.ord}",
                cls="never" if unseen else "calls",
                who="assistant",
                lane=lane,
                lane_cls=lane_cls,
                first=item.first,
                unseen=unseen,
            )
            self._homes[item.parent or item.id] = home
            self._out.append(home)
        elif home.quiet:
            home.quiet = ""
        home.calls.append(call)

    # ── what came whole ──────────────────────────────────────

    def _seed(self, seed: Seed, place: int) -> None:
        message = seed.message or {}
        item = self._streamed.get((KINDS.get(seed.role, "text"), seed.id))
        if seed.message is None and item is not None:  # the client kept what was streamed
            self._out.append(self._item(item))
            return
        text, chips = bodies.parts(message.get("content"))
        lane = self.page.lane_of(message.get("subagentRunId"))
        lane_name, lane_cls = self._lane(lane.ord if lane is not None else 0)
        entry = Entry(
            dom=f"whole-{place}",
            cls=seed.role if seed.role in ("user", "system", "reasoning", "activity") else "text",
            who=_who(seed.role),
            id=showable(names.short_id(seed.id, 24)),
            lane=lane_name if seed.role not in ("user", "system", "developer") else "",
            lane_cls=lane_cls,
            chips=[showable(chip) for chip in chips],
            first=item.first if item is not None else None,
            last=self.texts.last(item) if item is not None else None,
            folded=seed.role == "reasoning",
            current=seed is self.anchor,
        )
        href = self.texts.link(f"record/{seed.source}") if seed.source is not None else ""
        if seed.role == "activity":
            entry.body = bodies.value(message.get("content"), href)
        elif item is not None and seed.message is not None and (item.ord, True) in self.texts.totals:
            entry.body = self.texts.text(item, True, before=text)
        elif text:
            entry.body = bodies.body(text, href)
        self._story(entry, seed, item)
        entry.calls = [self.made.whole(call, seed.source) for call in tool_calls(message)[:MAX_CALLS]]
        if entry.body is None and not entry.calls and not chips:
            entry.quiet = "no text" if seed.message is not None else "its text is not in the recording"
        self._homes[seed.id] = entry
        self._out.append(entry)

    def _story(self, entry: Entry, seed: Seed, item: ItemRow | None) -> None:
        """Where a whole message came from, and what it had been before."""
        if seed.source is None:
            entry.name = "from the request"
        elif item is None:
            entry.name = f"brought by #{seed.source}"
        else:
            entry.name = f"as #{seed.source} has it"
            told = life(item, self.upto, self.stop, self.page)
            if told.cls in ("growing", "cut") and item.last > seed.source:
                entry.state, entry.state_cls, entry.growing = told.words, told.cls, told.growing
            entry.lost = self.made.lost(item, False)
            if item.gone is not None and item.gone < seed.source:
                entry.notes.append(self._returned(item, item.gone, seed.source))

    def _returned(self, item: ItemRow, gone: int, source: int) -> str:
        """The story of a message that one snapshot removed and a later one brought back."""
        between = texts.totals(self.session, self.trace.pk, [item.ord], gone, source - 1)
        pieces = sum(total.count for total in between)
        ended = item.closed is not None and gone < item.closed < source
        told = f"The snapshot at #{gone} removed it"
        if pieces or ended:
            size = names.plural(sum(total.chars for total in between), "character")
            events = names.plural(pieces + ended, "event")
            told += f" while it was growing; {events} after that had no target, {size}"
        return f"{told}; the snapshot at #{source} brought it back."

    def _answered(self, slots: Sequence[Slot]) -> list[Entry]:
        """Whole results told inside the calls they answer."""
        for slot in slots:
            if not isinstance(slot, Seed) or slot.role != "tool" or slot.message is None:
                continue
            call = self.made.calls.get(storable(str(slot.message.get("toolCallId"))))
            mine = self._homes.get(slot.id)
            if call is None or mine is None:
                continue
            if call.result is None:
                call.result, call.at, call.result_words = mine.body, slot.source, ""
            if mine in self._out:
                self._out.remove(mine)
        return self._out


def _who(role: str | None) -> str:
    return showable(names.clip(role or "assistant", 40))


def _quoted(id_: str | None) -> str:
    return showable(names.clip(id_ or "", 60)).replace("`", "'")
