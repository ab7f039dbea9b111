"""The sentences above the tabs of a Teams trace: what was recorded, what Teams refused, what the user saw.

Rules of this file: sentences from stored rows and a few decoded exchanges, with the engine's two marks and no HTML.
A user's Stop is told as neither success nor failure.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.core.records import LOST, SENT
from webapp.redact import marked
from webapp.storage import events, items, streams
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import names, run_list, unsettled
from webapp.views.content import showable
from webapp.views.page import PageContext
from webapp.views.teams import bubbles, calls, words
from webapp.views.teams.bubbles import Bubble

QUOTE = 64  # characters of what the user saw


def meta(session: Session, trace: Trace, page: PageContext) -> str:
    """`Microsoft Teams · 1 stream, refused · 2 exchanges · 1.8 s · confirmed by the recorded answers`."""
    parts = ["Microsoft Teams", _streams(trace, page), names.held(trace, "exchange")]
    if trace.started is not None and trace.ended is not None:
        parts.append(names.duration(_length(session, trace)))
    return " · ".join([*parts, _basis(session, trace)])


def _length(session: Session, trace: Trace) -> float:
    """Seconds from the first request to the last answer, or to the last request where that is not known."""
    started, ended = trace.started or 0.0, trace.ended or 0.0
    last = calls.one(session, trace.pk, trace.records - 1)
    if last is not None and last.ended is not None and last.call:
        ended = max(ended, last.ended)
    return ended - started


def _streams(trace: Trace, page: PageContext) -> str:
    if not trace.run_count:
        return "no stream"
    if not page.runs:
        return names.plural(trace.run_count, "stream")
    if trace.run_count > 1:
        whole = trace.run_count == len(page.runs)
        told = f": {run_list.counted(list(page.runs), trace.protocol)}" if whole else ""
        return f"{names.plural(trace.run_count, 'stream')}{told}"
    outcome = page.runs[0].outcome
    clause = words.CLAUSES.get(outcome, outcome)
    return f"1 stream {clause}" if clause.startswith("and ") else f"1 stream, {clause}"


def _basis(session: Session, trace: Trace) -> str:
    """Whether recorded answers stand behind what is said."""
    how = streams.reaches(session, trace.pk)
    if not how - {SENT, LOST}:
        return "no answers recorded: predicted" if trace.finding_count else "no answers recorded"
    if SENT in how:
        return "some answers are not recorded"
    if LOST in how:
        return "some calls got no answer"
    return "confirmed by the recorded answers" if trace.finding_count else "answers recorded"


def headline(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> str:
    """`Teams refused chunk 2 at #1: it does not begin with the text already on screen.`"""
    refused = _refused(trace, page)
    if first is None:
        alone = (
            ""
            if refused or streams.reaches(session, trace.pk) != {SENT}
            else ", as far as the calls alone show"
        )
        return f"{refused or _good(trace, page)}{_stopped(page)}{alone}."
    title = first.title.rstrip(".")
    if trace.rejected_at is not None:
        ex = calls.one(session, trace.pk, trace.rejected_at)
        what = words.the_kind(ex.kind, ex) if ex is not None else "a call"
        line = events.some(session, trace.pk, [trace.rejected_at]).get(trace.rejected_at)
        verb = "would refuse" if line is None or line.reached in (SENT, LOST) else "refused"
        if first.event == trace.rejected_at:
            return f"Teams {verb} {what} at #{trace.rejected_at}: {_short(title, what)}."
        return f"Teams {verb} {what} at #{trace.rejected_at}. It began at #{first.event}: {title}."
    if trace.verdict == "nonconformant":
        edited = any(run.outcome == "edited" for run in page.runs)
        taken = "Nothing was rejected" if first.basis == "confirmed" else "Teams may take it"
        head = "Recovered by a plain edit, but wrong" if edited else f"{taken}, but wrong"
        return f"{head} at #{first.event}: {title}."
    if trace.verdict == "warnings":
        failed = unsettled.ended(trace, unsettled.numbers(page.runs)) is not None
        head = "No fault of the agent ended the stream" if failed else "Nothing stops a stream"
        return f"{head}, but at #{first.event}: {title}."
    if refused:
        return f"{refused}{_stopped(page)}. One note, at #{first.event}: {title}."
    return f"{_good(trace, page)}{_stopped(page)}; one note, at #{first.event}: {title}."


def _refused(trace: Trace, page: PageContext) -> str:
    """A refusal by which no rule was broken: first that it was one, then that no fault is known."""
    bad = [run for run in page.runs if run.outcome == "refused"]
    if not bad or trace.verdict != "conformant":
        return ""
    many = f"{names.count(len(bad))} of {names.plural(trace.run_count, 'stream')}, first"
    what = "the stream" if trace.run_count == 1 else many
    known = (
        ", and no fault of the agent is known"
        if trace.finding_count
        else " without a reason that names a fault"
    )
    return f"Teams refused {what} at #{bad[0].last}{known}"


def _good(trace: Trace, page: PageContext) -> str:
    """What an end that is nobody's fault leaves to be said."""
    failed = any(run.outcome in ("refused", "expired") for run in page.runs)
    return f"{'No fault of the agent' if failed else 'Nothing wrong'} in {names.plural(trace.events, 'exchange')}"


def _short(title: str, what: str) -> str:
    """The title without saying again what was refused."""
    for verb in (" is refused: ", " is refused because "):
        if title.startswith(what + verb):
            return title[len(what + verb) :]
    if title.startswith(f"{what} "):
        return f"it {title[len(what) + 1 :]}"
    return title.replace(f" of {what}", "", 1)


def _stopped(page: PageContext) -> str:
    stopped = [run for run in page.runs if run.outcome == "stopped"]
    if not stopped:
        return ""
    if len(stopped) == 1:
        return f"; the user pressed Stop, #{stopped[0].last}, and the agent kept to it"
    return f"; the user pressed Stop in {names.count(len(stopped))} streams, and the agent kept to it"


def fine(trace: Trace, page: PageContext) -> str:
    """Why a trace without any finding is in order."""
    if not trace.run_count:
        return "The recording holds no stream: nothing but plain messages and typing signs."
    ended = {run.outcome for run in page.runs}
    if ended == {"finished"}:
        return "Each stream began, grew and ended as it should." if trace.run_count > 1 else (
            "The stream began, grew and ended as it should."
        )  # fmt: skip
    told = run_list.counted(list(page.runs), trace.protocol)
    said = f"How the streams ended: {told}." if trace.run_count > 1 else ""
    if "stopped" in ended:
        said += " A Stop by the user is neither success nor failure."
    if "refused" in ended:
        said += " Teams refused a call and gave no reason that a rule explains: see its answer."
    if "open" in ended:
        said += " What comes after the recording’s end is not known."
    return said.strip() or "All calls are as they should be."


def saw(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> tuple[str, str]:
    """What stood in the user's chat at the end, and what never did: `“…items [doc1”, still in progress.`"""
    item = _item(session, trace, first)
    if item is None:
        return "", ""
    bubble = bubbles.build(session, trace, page, [item], page.last)[0]
    among = names.plural(trace.run_count, "stream") if trace.run_count > 1 else ""
    head = f"Of {among}, in {words.stream_name(item.lane)}: " if among and item.lane else ""
    return f"{head}{in_words(bubble)}{_instead(session, trace, page, item, bubble)}", missing(bubble)


def _instead(session: Session, trace: Trace, page: PageContext, item: ItemRow, bubble: Bubble) -> str:
    """What came to the chat in the place of a reply that never appeared: often the agent's own error message."""
    other = streams.message_after(session, trace.pk, item.ord) if bubble.state == "never" else None
    if other is None:
        return ""
    text = bubbles.build(session, trace, page, [other], page.last)[0].text
    return f" In its place a plain message, #{other.first}: {names.sentence(opening(text))}" if text else ""


def _item(session: Session, trace: Trace, first: FindingRow | None) -> ItemRow | None:
    """The stream the first cause is about; else the newest one."""
    if first is not None and first.item_id is not None:
        same = items.by_id(session, trace.pk, first.item_id, "text")
        there = [item for item in same if item.first <= first.event]
        if there:
            return there[-1]
    return streams.newest_reply(session, trace)


def in_words(bubble: Bubble) -> str:
    """A bubble in a sentence: `“The quarterly numbers”, then nothing more: the user had pressed Stop.`"""
    if bubble.unknown:
        return f"Nothing that an answer shows: none {'was recorded' if bubble.sent else 'came'}."
    if bubble.state == "never":
        return "Nothing of the reply: no bubble ever appeared."
    if bubble.state == "deleted":
        return f"Nothing any more: the message was deleted at #{bubble.at}."
    if bubble.long:
        shown = "a long text"
    elif bubble.text:
        shown = quote(bubble.text)
    elif bubble.status:
        shown = f"only the status line {quote(bubble.status)}"
    else:
        shown = "an empty bubble"
    if bubble.sent:
        shown += ", if Teams took it"
    return names.sentence(f"{shown}{_ending(bubble)}")


def _ending(bubble: Bubble) -> str:
    if bubble.state == "progress":
        if bubble.outcome in ("unclosed", "refused"):
            return ", still in progress, then marked stopped"
        return ", still in progress when the recording ends"
    return {
        "stopped": ", then nothing more: the user had pressed Stop",
        "expired": ", then nothing more: the stream had run out of time",
        "edited": ", complete by a plain edit",
        "complete": ", complete",
    }.get(bubble.state, "")


def missing(bubble: Bubble) -> str:
    """What was sent and not shown, for the newest attempt."""
    if not bubble.attempts:
        return ""
    attempt = bubble.attempts[0]
    more = bubble.attempts_more + len(bubble.attempts) - 1
    told = f"#{attempt.seq} and {names.plural(more, 'earlier exchange')}" if more else f"#{attempt.seq}"
    if attempt.reached in (SENT, LOST):
        why = "no answer came" if attempt.reached == LOST else "no answer was recorded"
        return f"Whether what was sent in {told} appeared, nobody knows: {why}."
    return f"What was sent in {told} never appeared."


def opening(text: str) -> str:
    """The beginning of a whole text, which nothing broke: there an error message says what it is about."""
    return text if marked(text) is not None else f"“{names.clip(_plain(text), QUOTE)}”"


def _plain(text: str) -> str:
    return showable(" ".join(text.split())).replace("`", "'")


def quote(text: str) -> str:
    """The end of a text, since the end is where it broke; one that was taken out has its own marks."""
    if marked(text) is not None:
        return text
    shown = _plain(text)
    if len(shown) > QUOTE:
        tail = shown[-QUOTE:]
        word, space, rest = tail.partition(" ")
        shown = f"…{(rest if space and len(word) < QUOTE // 4 else tail).lstrip(' .,;:')}"
    return f"“{shown}”"
