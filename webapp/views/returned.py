"""Streamed messages that one snapshot took off the screen and a later one brought back: when, and with which text.

Rules of this file: a few bounded lookups, and none where no snapshot removed anything. What is said of them is said by
whoever asks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import conversation, events, items
from webapp.storage.events import Filters
from webapp.storage.models import ItemRow, Trace
from webapp.views import bodies, names, sealed
from webapp.views.conversation_whole import Seed, Whole
from webapp.views.page import PageContext

SNAPSHOT = "MESSAGES_SNAPSHOT"
MAX_SNAPSHOTS = 12  # that are looked through after the first one that removed a message


@dataclass(frozen=True, slots=True)
class Back:
    """gone, at: the snapshots that removed it and brought it back; text: what it said then; known: its text can be
    read, which is not so in a recording without texts."""

    item: ItemRow
    gone: int
    at: int
    text: str
    known: bool

    @property
    def away(self) -> str:
        """`from #10 until #22 brought it back`."""
        return f"from #{self.gone} until #{self.at} brought it back"

    @property
    def recovered(self) -> int:
        """Characters that the user missed until then."""
        lost = self.item.chars - self.item.chars_seen
        return max(0, min(lost, len(self.text) - self.item.chars_seen)) if self.known else max(0, lost)


def find(
    session: Session, trace: Trace, page: PageContext, kinds: Collection[str] = ("text",)
) -> dict[int, Back]:
    """By running number of the item: what was back before the client stopped."""
    if SNAPSHOT not in trace.types:
        return {}
    upto = page.stop - 1
    removed = conversation.removed(session, trace.pk, upto)
    away = {item.id: item for item in removed if item.kind in kinds}
    if not away:
        return {}
    begun = min(item.gone or 0 for item in away.values()) + 1
    wanted = Filters(type=SNAPSHOT)
    later = events.window(session, trace.pk, start=begun, limit=MAX_SNAPSHOTS, filters=wanted)
    found: dict[int, Back] = {}
    for seq in (line.seq for line in later if line.seq <= upto):
        held = items.snapshot(session, trace.pk, seq)
        if held is None or held.messages is None or held.seq != seq:
            continue
        whole = Whole(session, trace, page, seq)
        for id_, role, *_ in held.messages:
            item = away.get(id_)
            if item is not None and item.gone is not None and item.gone < seq:
                found[item.ord] = _back(trace, whole, item, role, seq)
                del away[id_]
        if not away:
            break
    return found


def _back(trace: Trace, whole: Whole, item: ItemRow, role: str, seq: int) -> Back:
    seed = whole.filled(Seed(item.id, role, seq, None))
    message = seed.message if isinstance(seed, Seed) else None
    text, _ = bodies.parts((message or {}).get("content"))
    return Back(item, item.gone or 0, seq, text, known=not sealed.without_texts(trace))


def told(found: Mapping[int, Back]) -> str:
    """`Message 1 was off the screen from #10 until #22 brought it back.`; "" where nothing was."""
    if not found:
        return ""
    first = min(found.values(), key=lambda back: back.gone)
    name = names.item_name(first.item)
    if len(found) == 1:
        return f"{name[:1].upper()}{name[1:]} was off the screen {first.away}."
    return f"{names.plural(len(found), 'message')} were off the screen for a while, {name} {first.away}."
