"""The conversation as it stood on the user's screen when the client stopped, for the report.

Rules of this file: the newest messages, each cut to what a page can hold; what is not shown is counted. Nothing that
never arrived is shown as text, only told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import delivered, texts
from webapp.storage.models import ItemRow, Trace
from webapp.views import content, names, returned, sealed
from webapp.views.page import PageContext
from webapp.views.returned import Back

MESSAGES = 10
SHOWN = 3_000  # characters of one message; of a longer one its two ends


@dataclass(frozen=True, slots=True)
class Message:
    """who: `message 2, order-lookup`; text, rest: its beginning and its end; hidden: characters between them.

    cut: what the user was left with, "" for a whole message.
    """

    who: str
    text: str
    hidden: int
    rest: str
    cut: str


@dataclass(frozen=True, slots=True)
class Chat:
    """earlier: messages before these; never: what never arrived, one sentence; error: the user saw an error."""

    messages: Sequence[Message]
    earlier: int
    never: str
    error: bool
    empty: str


def build(session: Session, trace: Trace, page: PageContext) -> Chat:
    stopped = trace.rejected_at is not None
    upto = page.stop - 1
    backs = returned.find(session, trace, page)
    rows = [*delivered.shown_texts(session, trace.pk, upto, MESSAGES), *(b.item for b in backs.values())]
    rows = sorted(rows, key=lambda row: row.ord)[-MESSAGES:]
    lost = delivered.lost(session, trace.pk, page.stop)
    chars = lost.chars - sum(back.recovered for back in backs.values())
    told = [names.plural(lost.results, "result")] if lost.results else []
    if chars > 0:
        told.append(f"{names.plural(chars, 'character')} of text")
    seen = trace.messages_seen + sum(1 for b in backs.values() if b.text and not b.item.chars_seen)
    unseen = trace.messages - seen
    if unseen > 0:
        told.insert(0, names.plural(unseen, "whole message"))
    failed = bool(page.runs) and page.runs[-1].outcome == "failed"
    return Chat(
        messages=[_message(session, trace, page, row, upto, backs.get(row.ord)) for row in rows],
        earlier=max(0, seen - len(rows)),
        never=", ".join(told),
        error=stopped or failed,
        empty="" if rows else "No message reached the screen.",
    )


def _message(
    session: Session, trace: Trace, page: PageContext, row: ItemRow, upto: int, back: Back | None
) -> Message:
    who = names.item_name(row)
    if row.name and row.name != "assistant":
        who += f", {content.showable(names.clip(row.name, 40))}"
    if row.lane:
        who += f", {content.showable(names.clip(page.lane_name(row.lane), 60))}"
    if back is not None:
        told = f"off the screen {back.away}"
        if out := sealed.text(trace, row.chars):
            return Message(who, out, 0, "", told)
        head, tail = back.text[:SHOWN], back.text[SHOWN:][-SHOWN:]
        return Message(who, _shown(head), max(0, len(back.text) - 2 * SHOWN), _shown(tail), told)
    if out := sealed.text(trace, row.chars_seen):
        return Message(who, out, 0, "", _cut(row, upto))
    if row.chars_seen <= SHOWN:
        text = "".join(texts.stream(session, trace.pk, row.ord, upto))[: row.chars_seen]
        return Message(who, _shown(text), 0, "", _cut(row, upto))
    half = SHOWN // 2
    head = texts.end_of(session, trace.pk, row.ord, -1, upto, True, half, True)
    tail = texts.end_of(session, trace.pk, row.ord, -1, upto, True, half, False)
    hidden = max(0, row.chars_seen - len(head) - len(tail))
    return Message(who, _shown(head), hidden, _shown(tail), _cut(row, upto))


def _shown(text: str) -> str:
    """Line ends stay line ends; what a page would obey becomes a visible code."""
    return "\n".join(content.showable(line) for line in text.splitlines())


def _cut(row: ItemRow, upto: int) -> str:
    if row.chars_seen < row.chars:
        return f"cut here, {names.plural(row.chars - row.chars_seen, 'character')} missing"
    return "" if row.closed is not None and row.closed <= upto else "never finished"
