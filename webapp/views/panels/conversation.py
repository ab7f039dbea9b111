"""The Conversation panel: what the user saw as of the chosen event.

Rules of this file: which moment, which window, and the sentence above it. Where an entry stands is
`views/conversation_list.py`, what it says `views/conversation_entries.py`. Bounded: WINDOW entries, whatever the
trace's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.storage import conversation, events
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.content import members, showable
from webapp.views.conversation_entries import Teller
from webapp.views.conversation_list import Talk, Window
from webapp.views.conversation_model import Entry
from webapp.views.page import PageContext
from webapp.views.selection import Selection


@dataclass(frozen=True, slots=True)
class Step:
    """A neighbouring window."""

    href: str
    words: str


@dataclass(frozen=True, slots=True)
class ConversationPanel:
    """entries in the application's order. as_of, at_end: URLs of the two moments; ended: which is shown.

    stop: words of the stop line, "" = the client had not stopped; stop_at: dom id of the entry it stands before,
    "" = after all of them; failed: the run's own error, with marks; first_said: URL of the first message
    """

    entries: Sequence[Entry]
    as_of: str
    at_end: str
    ended: bool
    moment: int
    last: int
    shown: str
    earlier: Step | None
    later: Step | None
    stop: str
    stop_at: str
    failed: str
    empty: str
    first_said: str
    snapshot: int | None


def build(session: Session, trace: Trace, sel: Selection, page: PageContext) -> ConversationPanel:
    ended = sel.asof == "end"
    upto = page.last if ended else page.event
    talk = Talk(session, trace, page, upto)
    window = talk.window(sel.start)
    base = "" if page.shared else sel.base
    entries = Teller(session, trace, page, upto, base, window.anchor).entries(window.slots)
    stopped = trace.rejected_at is not None and trace.rejected_at <= upto
    after = next((entry.dom for entry in entries if entry.unseen), "")
    more = window.later > 0
    return ConversationPanel(
        entries=entries,
        as_of=sel.href(event=page.event, asof="", start=None),
        at_end=sel.href(event=page.event, asof="end", start=None),
        ended=ended,
        moment=upto,
        last=page.last,
        shown=_shown(window, entries),
        earlier=_step(sel, page, window.earlier_at, window.earlier, "earlier"),
        later=_step(sel, page, window.later_at, window.later, "later"),
        stop=_stop(trace) if stopped and (after or not more) else "",
        stop_at=after,
        failed=_failed(session, trace, page, upto) if not more else "",
        empty="" if entries else _nothing(trace, upto),
        first_said=_first(session, trace, sel, upto) if not entries else "",
        snapshot=talk.snapshot,
    )


def _step(sel: Selection, page: PageContext, at: int | None, number: int, word: str) -> Step | None:
    if at is None:
        return None
    told = "over 1,000" if number > conversation.COUNTED else names.count(number)
    return Step(sel.href(event=page.event, start=at), f"{told} {word}")


def _shown(window: Window, entries: Sequence[Entry]) -> str:
    hidden = window.earlier + window.later
    if not entries:
        return ""
    if not hidden:
        return f"all {names.count(len(entries))} shown" if len(entries) > 1 else "1 shown"
    told = "over 1,000" if hidden > conversation.COUNTED else names.count(hidden)
    return f"{names.count(len(entries))} shown, {told} not shown"


def _stop(trace: Trace) -> str:
    after = trace.records - 1 - (trace.rejected_at or 0)
    if not after:
        return f"at #{trace.rejected_at}; nothing came after it"
    return f"at #{trace.rejected_at}; {names.plural(after, 'event')} after it never reached the user"


def _failed(session: Session, trace: Trace, page: PageContext, upto: int) -> str:
    """The error the newest run ended with, if it had by then and a client got to see it."""
    ended = [run for run in page.runs if run.last <= upto]
    run = ended[-1] if ended else None
    if run is None or run.outcome != "failed":
        return ""
    raw = events.payloads(session, trace.pk, [run.last], 20_000).get(run.last, "")
    message = members(raw).get("message")
    said = f": {showable(names.clip(message, 400))}" if isinstance(message, str) else "."
    return f"The run ended in an error at #{run.last}{said}"


def _nothing(trace: Trace, upto: int) -> str:
    if trace.records == 0:
        return "This recording holds no event, so nobody saw anything."
    return f"As of #{upto} the user had seen no message."


def _first(session: Session, trace: Trace, sel: Selection, upto: int) -> str:
    """Where the first message begins, when that is later."""
    found = conversation.onwards(session, trace.pk, 0, trace.records, 1)
    return sel.href(event=found[0].first, start=None) if found and found[0].first > upto else ""
