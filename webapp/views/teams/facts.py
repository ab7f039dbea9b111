"""One exchange in the inspector: when it was sent, what was answered, and both as recorded.

Rules of this file: facts of one decoded exchange in plain words; what the findings say is `views/cards.py`. A bare
activity has no answer, and that is said instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.core.records import DROPPED, LOST, REACHED, SENT
from webapp.core.teams import answers
from webapp.core.teams.exchanges import Exchange
from webapp.storage import events
from webapp.storage.events import Line
from webapp.storage.models import Trace
from webapp.views import content, names, raw
from webapp.views.page import PageContext
from webapp.views.teams import calls, parts, words

COPIED = 20_000  # characters a Copy button carries in the page
LONGEST = 300  # characters of an id or a header that are written out


@dataclass(frozen=True, slots=True)
class Explained:
    """What an answer means. wire: code and message as on the wire; href: its row in the table of answers."""

    status: str
    title: str
    meaning: str
    wire: str
    href: str
    key: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A part as recorded. copy: the text, if short enough for the page."""

    title: str
    html: Markup
    cut: bool
    copy: str


@dataclass(frozen=True, slots=True)
class Facts:
    """sequence: as sent, "" = none; after: the record before it and how long ago; answered: with its colour's class.

    said: the service's own words, "" after a success; cv: the service's correlation id
    """

    activity: str
    sequence: str
    stream: str
    stream_id: str
    stream_cls: str
    sent: str
    after: int | None
    after_words: str
    answered: str
    answered_cls: str
    said: str
    cv: str
    chat: str
    explained: Explained | None
    recorded: tuple[Recorded, ...]


def build(
    session: Session, trace: Trace, page: PageContext, line: Line, text: str, whole: bool
) -> tuple[Exchange | None, Facts]:
    """The exchange, None when it cannot be decoded. text: the record's payload; whole: it was not cut."""
    ex = calls.one(session, trace.pk, line.seq) if whole else None
    before = events.some(session, trace.pk, [line.seq - 1]).get(line.seq - 1) if line.seq else None
    after_words = _after(page, before, line)
    stream = page.lanes.get(line.lane)
    return ex, Facts(
        activity=words.activity_of(ex) if ex is not None else "",
        sequence=_sequence(ex),
        stream=words.stream_name(line.lane),
        stream_id=names.clip(words.stream_id(stream), LONGEST),
        stream_cls=names.lane_class(line.lane),
        sent=_sent(page, line),
        after=before.seq if before is not None and after_words else None,
        after_words=after_words,
        answered=_answered(ex, line.reached),
        answered_cls=words.answer_cls(line.reached, calls.ends(ex)),
        said=content.showable(names.clip(calls.said(ex), 600)) if ex is not None else "",
        cv=content.showable(names.clip(ex.headers.get("ms-cv", ""), LONGEST)) if ex is not None else "",
        chat=content.showable(names.clip(ex.conversation, LONGEST)) if ex is not None else "",
        explained=_explained(ex),
        recorded=_recorded(ex, text, whole),
    )


def _sequence(ex: Exchange | None) -> str:
    if ex is None or ex.sequence is None:
        return ""
    value = str(ex.sequence)
    return content.showable(names.clip(value if ex.number is not None else f"{value!r}, not a number", 60))


def _sent(page: PageContext, line: Line) -> str:
    if not page.clock.known:
        return "no clock in this recording"
    seconds = page.clock.read(line)
    if seconds is None:
        return "this exchange bears no time"
    if seconds == page.clock.started:
        return "0 s, the first"
    return page.clock.since(seconds).removeprefix("+")


def _after(page: PageContext, before: Line | None, line: Line) -> str:
    if before is None:
        return ""
    begun, now = page.clock.read(before), page.clock.read(line)
    return "" if begun is None or now is None else names.duration(now - begun)


def _answered(ex: Exchange | None, reached: int) -> str:
    if reached == SENT:
        return "no answer recorded"
    took = words.took(ex.took) if ex is not None else ""
    if reached == LOST:
        return f"no answer came{f', given up{took}' if took else ''}"
    status = str(ex.status) if ex is not None and ex.status is not None else REACHED[reached]
    dropped = ", and was dropped" if reached == DROPPED else ""
    return f"{status}{took}{dropped}"


def _explained(ex: Exchange | None) -> Explained | None:
    row = calls.answer_row(ex)
    if ex is None or row is None:
        return None
    code, message = answers.error_of(ex.answer)
    wire = ": ".join(content.showable(names.clip(part, 300)) for part in (code, message) if part)
    return Explained(
        status=str(ex.status),
        title=row.title,
        meaning=row.meaning,
        wire=wire,
        href=f"/rules/answers#{row.key}",
        key=row.key,
    )


def _recorded(ex: Exchange | None, text: str, whole: bool) -> tuple[Recorded, ...]:
    if ex is None:
        return (_part("As recorded", text, whole),)
    if not ex.call:
        return (_part("Activity", text, whole),)
    request, answer = parts.request_and_answer(text)
    found = [_part("Request", request, whole)] if request else []
    if answer:
        found.append(_part("Answer", answer, whole))
    return tuple(found) or (_part("As recorded", text, whole),)


def _part(title: str, text: str, whole: bool) -> Recorded:
    shown = raw.pretty(text)
    return Recorded(title, shown.html, shown.cut or not whole, text if whole and len(text) <= COPIED else "")
