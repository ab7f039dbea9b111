"""What the user saw, in two sentences: how much reached the screen and where it broke, and what never came.

Rules of this file: a few bounded lookups; sentences with the engine's marks. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from webapp.storage import delivered, items, texts
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import names, returned, sealed
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.returned import Back

QUOTE = 64  # characters of what the user saw
READ = 8 * QUOTE  # characters looked at for them: white space counts once


def told(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> tuple[str, str]:
    """`1 of 2 messages, “Checking three cities.”, then an error.` and `3 results never appeared.`

    What a snapshot took away and a later one brought back was seen in the end: then it is said when it was gone.
    """
    stopped = trace.rejected_at is not None
    backs = returned.find(session, trace, page)
    number = trace.messages_seen + sum(1 for b in backs.values() if b.text and not b.item.chars_seen)
    if not number:
        head = "Nothing, then an error" if stopped else "Nothing"
        none = (
            f"none of {names.count(trace.messages)} messages"
            if trace.messages > 1
            else "the only message never"
        )
        return f"{head}: {none} reached the screen.", ""
    said = names.plural(number, "message")
    if number < trace.messages:
        said = f"{names.count(number)} of {names.plural(trace.messages, 'message')}"
    cut = _cut_message(session, trace, first, backs)
    seen = [delivered.last_seen(session, trace.pk), *(back.item for back in backs.values())]
    last = cut or max(filter(None, seen), key=lambda item: item.ord, default=None)
    if last is not None:
        among = f"; {names.item_name(last)} stops at" if cut else ", the last" if number > 1 else ","
        said += f"{among} {_quote(session, trace, page, last, backs.get(last.ord))}"
    end = "then an error" if stopped else _ending(page)
    never = _never(session, trace, page, backs) if stopped or trace.errors or trace.warnings else ""
    never = " ".join(part for part in (returned.told(backs), never) if part)
    return f"{said}, {end}." if end else names.sentence(said), never


def _cut_message(
    session: Session, trace: Trace, first: FindingRow | None, backs: Mapping[int, Back]
) -> ItemRow | None:
    """The message the first cause is about, when the user saw it break off and it did not come back."""
    if first is None or first.item_kind != "text" or first.item_id is None:
        return None
    same = items.by_id(session, trace.pk, first.item_id, "text")
    item = next((i for i in reversed(same) if i.first <= first.event), None)
    broke = item is not None and 0 < item.chars_seen < item.chars and item.ord not in backs
    return item if broke else None


def _ending(page: PageContext) -> str:
    outcome = page.runs[-1].outcome if page.runs else ""
    return {"failed": "then an error", "truncated": "then nothing more"}.get(outcome, "")


def _quote(session: Session, trace: Trace, page: PageContext, item: ItemRow, back: Back | None) -> str:
    """The end of what was on screen, since the end is where it broke."""
    if out := sealed.text(trace, item.chars_seen if back is None else item.chars):
        return out
    if back is not None and back.text:
        seen = back.text[-READ:]
    else:
        seen = texts.end_of(session, trace.pk, item.ord, -1, page.stop - 1, True, READ, head=False)
    text = showable(" ".join(seen.split())).replace("`", "'")
    if len(text) > QUOTE:
        tail = text[-QUOTE:]
        word, space, rest = tail.partition(" ")
        text = f"…{(rest if space and len(word) < QUOTE // 4 else tail).lstrip(' .,;:')}"
    return f"“{text}”"


def _never(session: Session, trace: Trace, page: PageContext, backs: Mapping[int, Back]) -> str:
    lost = delivered.lost(session, trace.pk, page.stop)
    chars = lost.chars - sum(back.recovered for back in backs.values())
    parts = [names.plural(lost.results, "result")] if lost.results else []
    if chars > 0:
        parts.append(f"{names.plural(chars, 'character')} of text")
    least = "At least " if lost.more else ""
    return f"{least}{' and '.join(parts)} never appeared." if parts else ""
