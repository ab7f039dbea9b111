"""What the user saw, in two sentences: how much reached the screen and where it broke, and what never came.

Rules of this file: a few bounded lookups; sentences with the engine's marks. Nothing is judged here.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.storage import delivered, items, texts
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import names, sealed
from webapp.views.content import showable
from webapp.views.page import PageContext

QUOTE = 64  # characters of what the user saw
READ = 8 * QUOTE  # characters looked at for them: white space counts once


def told(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> tuple[str, str]:
    """`1 of 2 messages, “Checking three cities.”, then an error.` and `3 results never appeared.`"""
    stopped = trace.rejected_at is not None
    if not trace.messages_seen:
        head = "Nothing, then an error" if stopped else "Nothing"
        return f"{head}: none of {names.plural(trace.messages, 'message')} reached the screen.", ""
    said = names.plural(trace.messages_seen, "message")
    if trace.messages_seen < trace.messages:
        said = f"{names.count(trace.messages_seen)} of {names.plural(trace.messages, 'message')}"
    cut = _cut_message(session, trace, first)
    last = cut or delivered.last_seen(session, trace.pk)
    if last is not None:
        among = (
            f"; {names.item_name(last)} stops at" if cut else ", the last" if trace.messages_seen > 1 else ","
        )
        said += f"{among} {_quote(session, trace, page, last)}"
    end = "then an error" if stopped else _ending(page)
    never = _never(session, trace, page) if stopped or trace.errors or trace.warnings else ""
    return f"{said}, {end}." if end else names.sentence(said), never


def _cut_message(session: Session, trace: Trace, first: FindingRow | None) -> ItemRow | None:
    """The message the first cause is about, when the user saw it break off."""
    if first is None or first.item_kind != "text" or first.item_id is None:
        return None
    same = items.by_id(session, trace.pk, first.item_id, "text")
    item = next((i for i in reversed(same) if i.first <= first.event), None)
    return item if item is not None and 0 < item.chars_seen < item.chars else None


def _ending(page: PageContext) -> str:
    outcome = page.runs[-1].outcome if page.runs else ""
    return {"failed": "then an error", "truncated": "then nothing more"}.get(outcome, "")


def _quote(session: Session, trace: Trace, page: PageContext, item: ItemRow) -> str:
    """The end of what was on screen, since the end is where it broke."""
    if out := sealed.text(trace, item.chars_seen):
        return out
    seen = texts.end_of(session, trace.pk, item.ord, -1, page.stop - 1, True, READ, head=False)
    text = showable(" ".join(seen.split())).replace("`", "'")
    if len(text) > QUOTE:
        tail = text[-QUOTE:]
        word, space, rest = tail.partition(" ")
        text = f"…{(rest if space and len(word) < QUOTE // 4 else tail).lstrip(' .,;:')}"
    return f"“{text}”"


def _never(session: Session, trace: Trace, page: PageContext) -> str:
    lost = delivered.lost(session, trace.pk, page.stop)
    parts = [names.plural(lost.results, "result")] if lost.results else []
    if lost.chars:
        parts.append(f"{names.plural(lost.chars, 'character')} of text")
    least = "At least " if lost.more else ""
    return f"{least}{' and '.join(parts)} never appeared." if parts else ""
