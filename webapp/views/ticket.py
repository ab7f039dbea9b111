"""*Copy for the ticket*: verdict, cause, why, fix and the few records that matter, as Markdown.

Rules of this file: which facts, in which order, within which bounds. Every recorded character goes through
`views/markdown.py`. Readable unrendered too: not every tracker knows Markdown.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp import __version__
from webapp.core.rules.model import catalogue
from webapp.storage.models import Trace
from webapp.views import banner, causes, names, reading, sealed
from webapp.views.markdown import code, plain, prose
from webapp.views.page import load, opens_at
from webapp.views.trace import first_cause

NOTE = names.SEVERITY_WORD["info"]  # of a trace in which nothing is wrong it is no cause
CAUSES = 3
EVENTS = 12
RAW = 200  # characters of a record
SENTENCE = 1_200  # characters of one sentence


def build(session: Session, trace: Trace, link: str) -> str:
    """The text. link: URL of the trace's page, ours and not of the recording."""
    page = load(session, trace, opens_at(session, trace), shared=True)
    first = first_cause(session, trace)
    told = banner.build(session, trace, page, first)
    rows, more = causes.first_causes(session, trace, first, CAUSES)
    verdict = f"{names.VERDICT_SIGN[trace.verdict]} {names.VERDICT_WORD[trace.verdict]}"
    if told.ended is not None:
        verdict = f"{verdict.replace('✓', '○')}, {told.ended.words[:1].lower()}{told.ended.words[1:]}"
    lines = [
        f"**{verdict}.** {_prose(told.headline)}",
        "",
        f"- **Trace:** {plain(trace.name)} ({plain(told.meta)})",
    ]
    if trace.redaction:
        lines.append(f"- **Redacted:** {plain(sealed.line(trace))}")
    for row in rows[:1]:
        cause = causes.tell(session, trace, row)
        what = "**Note:**" if cause.word == NOTE else f"**Cause:** {cause.word.lower()}"
        lines.append(f"- {what} at `#{cause.event}`, by the rule {_rule(cause.rule)}")
    for label, text in (
        ("Why", told.why),
        ("What to change", told.change),
        ("Whose side", f"{told.whose} {told.whose_more}".strip()),
        ("The user saw", told.saw),
    ):
        if text:
            lines.append(f"- **{label}:** {_prose(text)}")
    if trace.verdict != "unchecked":
        lines += [f"- **The recording:** {_prose(sentence)}" for sentence in reading.lacks(trace)]
    if told.found:
        lines.append(f"- **Findings:** {told.found}")
    for row in rows[1:]:
        cause = causes.tell(session, trace, row)
        lines.append(
            f"- **Also:** {cause.word.lower()} at `#{cause.event}`, {_prose(cause.title)} ({code(cause.rule)})"
        )
    if more:
        lines.append(f"- {names.plural(more, 'more cause')} not listed here")
    matters, left_out = causes.matters(session, trace, page, rows, EVENTS)
    if matters:
        head = (
            "| exchange | kind | answer | what | text as sent |"
            if trace.protocol == "teams"
            else "| event | type | item | what | as received |"
        )
        lines += ["", head, "|---|---|---|---|---|"]
        lines += [_row(matter) for matter in matters]
    if left_out:
        lines += ["", f"{names.plural(left_out, f'more {page.words.event}')} that matter not listed here."]
    at = f"?event={page.event}" if trace.records and rows else ""
    engine = f" (engine {plain(trace.engine)})" if trace.engine and not trace.redaction else ""
    done = "Read" if trace.redaction else "Judged"
    versions = f"{done} by Lanescope {__version__}{engine} as {plain(names.protocol_words(trace))}."
    lines += ["", f"{versions} Trace: <{link}{at}>"]
    return "\n".join(lines) + "\n"


def _rule(rule_id: str) -> str:
    """The rule in general words: the headline above has said what happened here."""
    rule = catalogue().get(rule_id)
    return code(rule_id) if rule is None else f"{code(rule_id)}: {_prose(rule.title)}"


def _prose(text: str) -> str:
    return prose(names.clip(text, SENTENCE))


def _row(matter: causes.Matter) -> str:
    raw = code(names.clip(matter.raw, RAW))
    what = "refused here" if matter.refused else "the cause" if matter.role == "here" else matter.role
    if matter.gone:
        what += ", never delivered"
    return f"| `#{matter.event}` | {code(matter.type)} | {plain(matter.item) or '–'} | {what} | {raw} |"
