"""The report: one trace's verdict and causes as a document that needs nothing else.

Rules of this file: which facts, bounded so that the file stays under two megabytes whatever the trace's size; what is
left out is counted and said. Links lead inside the document only. The note, the ticket number, the file's name and who
made the report are not in it. The conversation is `views/report_chat.py`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from webapp import __version__
from webapp.draw.sequence_file import standalone
from webapp.storage import events
from webapp.storage.models import FindingRow, Trace
from webapp.views import banner, causes, content, dates, how_read, marks, names, raw, report_chat, sealed
from webapp.views.causes import Matter
from webapp.views.page import PageContext, load, opens_at
from webapp.views.panels.sequence import sentence, window
from webapp.views.selection import Selection
from webapp.views.teams import report
from webapp.views.trace import first_cause
from webapp.views.unsettled import Ended
from webapp.views.vocabulary import Words

CAUSES = 10
MATTERS = 30
ROWS, MARKS = 36, 1_600  # of the diagram
PICTURE = 900_000  # characters of the picture's address
RAW = 30_000  # characters of the first cause's record
SENTENCE = 2_000  # characters of one sentence
LISTED = 20  # notes on the recording, and rules that could not be judged

_LINE = re.compile(r"[^\t\r\n]+")


@dataclass(frozen=True, slots=True)
class ReportCause:
    """A cause ready to be written. steps: (severity, number, words); again: numbers; follows: sentences."""

    severity: str
    word: str
    title: Markup
    rule: str
    why: Markup
    fix: Markup
    party: str
    basis: str
    steps: Sequence[tuple[str, Markup, str]]
    again: Markup
    follows: Sequence[tuple[str, Markup]]
    follows_more: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything `pages/report.html` writes. facts: (label, text) of the banner and of how it was read."""

    title: str
    name: str
    verdict: str
    look: str
    ended: Ended | None
    made: str
    meta: str
    headline: Markup
    why: Markup
    facts: Sequence[tuple[str, Markup]]
    causes: Sequence[ReportCause]
    causes_more: int
    chat: report_chat.Chat
    picture: str
    picture_alt: str
    picture_said: str
    matters: Sequence[Matter]
    matters_more: int
    first: int | None
    payload: Markup
    payload_cut: bool
    read: Sequence[tuple[str, Markup]]
    artefacts: Sequence[str]
    artefacts_more: int
    skipped: Sequence[tuple[str, str]]
    skipped_more: int
    engine: str
    words: Words


def build(session: Session, trace: Trace, *, now: float) -> Report:
    """now: unix seconds, the date on the report."""
    page = load(session, trace, opens_at(session, trace), shared=True)
    first = first_cause(session, trace)
    told = banner.build(session, trace, page, first)
    rows, more = causes.first_causes(session, trace, first, CAUSES)
    matters, left_out = causes.matters(session, trace, page, rows, MATTERS)
    listed = {matter.event for matter in matters}
    picture, alt = _picture(session, trace, page, first)
    payload, cut = _payload(session, trace, first)
    facts = (
        ("Whose side", f"{told.whose} {told.whose_more}".strip()),
        ("The user saw", told.saw),
        ("What to change", told.change),
        ("Findings", f"{told.found}. {told.places}" if told.found else ""),
        ("Redacted", sealed.line(trace)),
    )
    ended = "" if told.ended is None else told.ended.words
    return Report(
        title=f"{names.verdict_words(trace, ended)} · {content.showable(marks.plain(trace.name))}",
        name=content.showable(trace.name),
        verdict=trace.verdict,
        look=told.look,
        ended=told.ended,
        made=dates.moment(now),
        meta=told.meta,
        headline=_text(told.headline, listed),
        why=_text(told.why, listed),
        facts=[(label, _text(words, listed)) for label, words in facts if words],
        causes=[_cause(causes.tell(session, trace, row), listed) for row in rows],
        causes_more=more,
        chat=(report if trace.protocol == "teams" else report_chat).build(session, trace, page),
        picture=picture if len(picture) <= PICTURE else "",
        picture_alt=alt,
        picture_said=_picture_said(trace, picture),
        matters=matters,
        matters_more=left_out,
        first=first.event if first is not None and payload else None,
        payload=payload,
        payload_cut=cut,
        read=[(label, _text(words, listed)) for label, words in _read(trace, page) if words],
        artefacts=[f"{names.artefact_words(artefact)}." for artefact in trace.artefacts[:LISTED]],
        artefacts_more=max(0, len(trace.artefacts) - LISTED),
        skipped=[
            (str(row.get("rule", "")), names.clip(str(row.get("reason", "")), SENTENCE))
            for row in trace.skipped_rules[:LISTED]
        ],
        skipped_more=max(0, len(trace.skipped_rules) - LISTED),
        words=page.words,
        engine=f"{__version__}{f' (engine {trace.engine})' if trace.engine else ''}",
    )


def _cause(told: causes.Cause, listed: set[int]) -> ReportCause:
    again = ", ".join(f"#{event}" for event in told.again)
    if told.again_more:
        again += f" and {names.count(told.again_more)} more"
    return ReportCause(
        severity=told.severity,
        word=told.word,
        title=_text(f"{told.title} at #{told.event}", listed),
        rule=told.rule,
        why=_text(told.why, listed),
        fix=_text(told.fix, listed),
        party=told.party,
        basis="" if told.basis == "confirmed" else told.basis,
        steps=[(step.severity, _text(f"#{step.event}", listed), step.words) for step in told.steps],
        again=_text(again, listed),
        follows=[(f.severity, _text(f"#{f.event} {f.words}", listed)) for f in told.follows],
        follows_more=told.follows_more,
    )


def _text(text: str, listed: set[int]) -> Markup:
    """A sentence with its marks: code, and numbers that lead to the row below when there is one."""
    out: list[Markup] = []
    for kind, word in marks.parts(names.clip(text, SENTENCE)):
        if kind == "code":
            out.append(Markup("<code>{}</code>").format(word))
        elif kind == "record" and word.isdigit() and int(word) in listed:
            out.append(Markup('<a class="n" href="#e{}">#{}</a>').format(int(word), word))
        elif kind == "record":
            out.append(Markup('<b class="n">#{}</b>').format(word))
        else:
            out.append(escape(word))
    return Markup("").join(out)


def _picture(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> tuple[str, str]:
    """The diagram around the first cause as an address of its own, and the sentence for who does not see it."""
    if not trace.records:
        return "", ""
    sel = Selection("", "sequence", event=page.event if first is not None else 0)
    if trace.protocol == "teams":
        drawn, label = report.picture(session, trace, page, sel)
        return _address(drawn), label
    diagram, _ = window(session, trace, sel, page, ROWS, ROWS * 2, marks=MARKS)
    if not diagram.rows:
        return "", ""
    label = sentence(diagram, trace)
    return _address(standalone(diagram, label)), label


def _address(picture: str) -> str:
    data = base64.b64encode(picture.encode("utf-8", "replace")).decode()
    return f"data:image/svg+xml;base64,{data}"


def _picture_said(trace: Trace, picture: str) -> str:
    """Why there is no diagram; empty when there is one."""
    if not picture:
        return "The recording holds no record, so there is nothing to draw."
    return "" if len(picture) <= PICTURE else "The diagram would be too large for this file."


def _payload(session: Session, trace: Trace, first: FindingRow | None) -> tuple[Markup, bool]:
    """The first cause's record as received, and whether something of it is left out."""
    if first is None:
        return Markup(""), False
    line = events.some(session, trace.pk, [first.event]).get(first.event)
    if line is None:
        return Markup(""), False
    row = events.one(session, trace.pk, first.event) if line.size <= RAW else None
    received = row.raw if row is not None else line.raw
    shown = raw.pretty(_LINE.sub(lambda found: content.showable(found[0]), received))
    return shown.html, shown.cut or row is None


def _read(trace: Trace, page: PageContext) -> list[tuple[str, str]]:
    """How the recording was read, as (label, sentence)."""
    size = f"{names.size_words(trace.size)}, {names.plural(trace.lines, 'line')}"
    inside = f"{names.plural(trace.records, 'record')}, {names.plural(trace.events, page.words.event)}"
    unread = f", {names.plural(trace.not_understood, 'line')} not understood" if trace.not_understood else ""
    because = [str(reason) for reason in trace.read_because or []]
    clock = f"Times are {page.clock.words}" if page.clock.known else "No clock in this recording"
    return [
        ("Received", size),
        (
            "Form",
            f"{trace.read_as or trace.format or 'not known'}{': ' + ', '.join(because) if because else ''}",
        ),
        ("Held", inside + unread),
        ("Protocol", names.protocol_words(trace)),
        ("Taken out" if trace.redaction else "Credentials", how_read.masked(trace)),
        ("Clock", f"{clock}."),
        ("SHA-256", f"`{trace.sha256}`"),
    ]
