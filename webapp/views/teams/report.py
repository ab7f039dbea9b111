"""The chat as it stood on the user's screen at the end of a Teams recording, for the report.

Rules of this file: the newest bubbles, each cut to what a page can hold; what was sent and not shown is only told.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.draw.ladder_file import standalone
from webapp.storage import conversation
from webapp.storage.models import Trace
from webapp.views import content, names
from webapp.views.page import PageContext
from webapp.views.report_chat import MESSAGES, SHOWN, Chat, Message
from webapp.views.selection import Selection
from webapp.views.teams import bubbles, ladder_facts, ladder_words, words
from webapp.views.teams.bubbles import Bubble
from webapp.views.teams.ladder_rungs import compose

RUNGS, READ = 24, 200  # of the ladder
CUT = ("progress", "stopped", "expired", "edited", "deleted")  # states that are told beside a message


def build(session: Session, trace: Trace, page: PageContext) -> Chat:
    """As of the last exchange."""
    upto = page.last
    newest = conversation.last_ord_upto(session, trace.pk, upto)
    rows = conversation.backwards(session, trace.pk, -1 if newest is None else newest + 1, 0, MESSAGES)
    told = bubbles.build(session, trace, page, rows, upto)
    shown = [bubble for bubble in told if bubble.text or bubble.status]
    missed = sum(len(bubble.attempts) + bubble.attempts_more for bubble in told)
    return Chat(
        messages=[_message(bubble) for bubble in shown],
        earlier=conversation.count(session, trace.pk, 0, rows[0].ord, upto) if rows else 0,
        never=f"what {names.plural(missed, 'exchange')} sent" if missed else "",
        error=False,
        empty="" if shown else "No message reached the chat.",
    )


def picture(session: Session, trace: Trace, page: PageContext, sel: Selection) -> tuple[str, str]:
    """The ladder around the first cause as a picture, and the sentence for who does not see it."""
    drawn = compose(session, trace, page, ladder_facts.load(session, trace, sel, page, RUNGS, READ))
    label = ladder_words.summary(drawn, trace)
    return standalone(drawn, label), label


def _message(bubble: Bubble) -> Message:
    who = "user" if bubble.kind == "user" else "agent"
    if bubble.who:
        who += f", {bubble.who}"
    if bubble.item.lane:
        who += f", {words.stream_name(bubble.item.lane)}"
    text = bubble.text or bubble.status
    cut = words.BUBBLES[bubble.state] if bubble.state in CUT else ""
    if not bubble.text and bubble.status:
        cut = f"a status line, {cut}" if cut else "a status line"
    if bubble.sent:
        cut = f"{cut}; sent, no answer recorded" if cut else "sent, no answer recorded"
    if len(text) <= SHOWN:
        return Message(who, _shown(text), 0, "", cut)
    half = SHOWN // 2
    return Message(who, _shown(text[:half]), len(text) - 2 * half, _shown(text[-half:]), cut)


def _shown(text: str) -> str:
    """Line ends stay line ends; what a page would obey becomes a visible code."""
    return "\n".join(content.showable(line) for line in text.splitlines())
