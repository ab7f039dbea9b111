"""The Conversation panel of a Teams recording: the chat as the user saw it, as of the chosen exchange.

Rules of this file: which bubbles are in the window, and what is said of each. What a bubble holds is
`views/teams/bubbles.py`. Bounded: BEFORE + AFTER bubbles, whatever the recording's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import conversation, events, items
from webapp.storage.models import ItemRow, Trace
from webapp.views import bodies, names
from webapp.views.bodies import Body
from webapp.views.page import PageContext
from webapp.views.selection import Selection
from webapp.views.teams import bubbles, words
from webapp.views.teams.bubbles import Bubble

BEFORE, AFTER = 9, 3  # bubbles up to the chosen exchange's own, and behind it

# state of a bubble -> its class; the words are `words.BUBBLES`
LOOKS = {
    "progress": "growing",
    "complete": "done",
    "edited": "done",
    "stopped": "stopped",
    "expired": "cut",
    "deleted": "gone",
    "never": "never",
    "said": "done",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """Text sent and not on screen. words: `#5, chunk 2, refused: …` with marks."""

    words: str
    body: Body | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One bubble. state: with marks; put: which exchange put the text there, with marks; quiet: where there is none.

    status: the status line in place of a text; attempts: what was sent besides; notes: sentences with marks
    """

    dom: str
    cls: str
    who: str
    name: str
    id: str
    state: str
    state_cls: str
    growing: bool
    body: Body | None
    status: Body | None
    quiet: str
    put: str
    notes: Sequence[str]
    attempts: Sequence[Attempt]
    attempts_more: int
    first: int
    last: int
    current: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A neighbouring window."""

    href: str
    words: str


@dataclass(frozen=True, slots=True)
class ChatPanel:
    """entries in the order of the chat. as_of, at_end: URLs of the two moments; ended: which is shown."""

    entries: Sequence[Entry]
    as_of: str
    at_end: str
    ended: bool
    moment: int
    shown: str
    unanswered: bool
    earlier: Step | None
    later: Step | None
    empty: str
    first_said: str


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> ChatPanel:
    ended = sel.asof == "end"
    upto = page.last if ended else page.event
    rows, earlier, later = _window(session, trace, sel, page, upto)
    told = bubbles.build(session, trace, page, rows, upto)
    here = events.some(session, trace.pk, [page.event]).get(page.event)
    entries = [_entry(bubble, sel, page, upto, None if here is None else here.item) for bubble in told]
    return ChatPanel(
        entries=entries,
        as_of=sel.href(event=page.event, asof="", start=None),
        at_end=sel.href(event=page.event, asof="end", start=None),
        ended=ended,
        moment=upto,
        shown=_shown(len(entries), earlier + later),
        unanswered=any(bubble.sent for bubble in told),
        earlier=_step(sel, page, max(0, rows[0].ord - BEFORE), earlier, "earlier") if rows else None,
        later=_step(sel, page, rows[-1].ord + 1, later, "later") if rows else None,
        empty="" if entries else _nothing(trace, upto),
        first_said=_first(session, trace, sel, upto) if not entries else "",
    )


def _window(
    session: Session, trace: Trace, sel: Selection, page: PageContext, upto: int
) -> tuple[Sequence[ItemRow], int, int]:
    """The bubbles shown, and how many stand before and behind them."""
    pk = trace.pk
    if sel.start is not None:
        rows = conversation.onwards(session, pk, sel.start, upto, BEFORE + AFTER)
    else:
        here = events.some(session, pk, [page.event]).get(page.event)
        own = here.item if here is not None and here.item is not None else None
        if own is None or sel.asof == "end":
            newest = conversation.last_ord_upto(session, pk, upto)
            own = newest if newest is not None else -1
        before = conversation.backwards(session, pk, own + 1, 0, BEFORE)
        rows = [*before, *conversation.onwards(session, pk, own + 1, upto, AFTER)]
    if not rows:
        return [], 0, 0
    first, last = rows[0].ord, rows[-1].ord
    earlier = conversation.count(session, pk, 0, first, upto)
    return rows, earlier, conversation.count(session, pk, last + 1, None, upto)


def _entry(bubble: Bubble, sel: Selection, page: PageContext, upto: int, here: int | None) -> Entry:
    item = bubble.item
    said, cls = words.BUBBLES[bubble.state], LOOKS[bubble.state]
    if bubble.sent and bubble.state in ("said", "complete", "progress"):
        said, cls = f"{said}, sent" if bubble.state == "complete" else "sent", "sent"
    if bubble.unknown:
        said = "not known"
    elif bubble.state == "never" and bubble.kind == "message":
        said = "never shown"
    if bubble.at is not None:
        said = f"{said}, #{bubble.at}"
    lane = page.lanes.get(item.lane)
    base = "" if page.shared else sel.base
    body = None
    if bubble.text:
        body = bodies.body(bubble.text, f"{base}/record/{bubble.text_at}" if base else "")
    return Entry(
        dom=f"b{item.ord}",
        cls="user" if bubble.kind == "user" else "agent",
        who="user" if bubble.kind == "user" else "agent",
        name=bubble.who,
        id=f"{words.stream_name(item.lane)} · {words.short_stream_id(lane)}"
        if bubble.kind == "stream"
        else "",
        state=said,
        state_cls=cls,
        growing=bubble.state == "progress" and not bubble.sent,
        body=body,
        status=bodies.body(bubble.status) if not bubble.text and bubble.status else None,
        quiet=_quiet(bubble),
        put=_put(bubble),
        notes=_notes(bubble, page, upto),
        attempts=[
            Attempt(
                f"sent in #{each.seq}, {each.kind}, {each.how}", bodies.body(each.text) if each.text else None
            )
            for each in bubble.attempts
        ],
        attempts_more=bubble.attempts_more,
        first=item.first,
        last=min(item.last, upto),
        current=here is not None and item.ord == here,
    )


def _quiet(bubble: Bubble) -> str:
    """What is said where there is neither text nor status."""
    if bubble.text or bubble.status:
        return ""
    if bubble.long:
        return "the text is too long to be shown here"
    if bubble.unknown:
        why = "no answer was recorded" if bubble.sent else "no answer came"
        return f"{why}: nobody knows whether it was shown"
    if bubble.state == "never":
        return "nothing of it reached the chat"
    return "an empty bubble" if bubble.kind == "stream" else "no text"


def _put(bubble: Bubble) -> str:
    """Which exchange put there what is shown."""
    if bubble.kind != "stream":
        return ""
    verb = "sent in" if bubble.sent else "put there by"
    if bubble.text and bubble.text_at is not None:
        return f"{verb} #{bubble.text_at}"
    return (
        f"status line, {verb} #{bubble.status_at}" if bubble.status and bubble.status_at is not None else ""
    )


def _notes(bubble: Bubble, page: PageContext, upto: int) -> list[str]:
    if bubble.kind != "stream" or (upto < page.last and upto < bubble.item.last):
        return []
    if bubble.state == "stopped":
        return ["The user pressed Stop: what stands here stays, and nothing more is shown."]
    if bubble.state == "expired":
        return [
            "Two minutes after its start the stream could no longer be continued; the text stays as it was."
        ]
    if bubble.state != "progress":
        return []
    if bubble.outcome == "unclosed":
        return ["It was never closed: the bubble stays in progress, then the chat marks it stopped."]
    if upto < page.last:
        return []
    if bubble.outcome == "refused":
        return ["Nothing more was accepted: the bubble stays in progress, then the chat marks it stopped."]
    return ["The recording ends here, with the bubble still in progress."]


def _step(sel: Selection, page: PageContext, at: int, number: int, word: str) -> Step | None:
    if not number:
        return None
    told = "over 1,000" if number > conversation.COUNTED else names.count(number)
    return Step(sel.href(event=page.event, start=at), f"{told} {word} not shown")


def _shown(shown: int, hidden: int) -> str:
    if not shown:
        return ""
    if not hidden:
        return f"all {names.count(shown)} shown" if shown > 1 else "1 shown"
    told = "over 1,000" if hidden > conversation.COUNTED else names.count(hidden)
    return f"{names.count(shown)} shown, {told} not shown"


def _nothing(trace: Trace, upto: int) -> str:
    if trace.records == 0:
        return "This recording holds no exchange, so nobody saw anything."
    return f"As of #{upto} nothing stood in the chat."


def _first(session: Session, trace: Trace, sel: Selection, upto: int) -> str:
    """Where the first bubble begins, when that is later."""
    found = items.by_ord(session, trace.pk, 0)
    return sel.href(event=found.first, start=None) if found is not None and found.first > upto else ""
