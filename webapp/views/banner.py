"""The verdict, told: who and how much, what stops, why, and four facts.

Rules of this file: sentences from stored rows, with the engine's two marks (`#12`, backticks) and no HTML. The
same finding speaks here, on its row, on the tab and in the inspector; nothing is judged again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from webapp.core.advice import Advice, advise
from webapp.core.foreign import Foreign, by_phrase
from webapp.storage import causes, findings
from webapp.storage.models import FindingRow, RunRow, Trace
from webapp.views import answered, cards, how_read, live, names, run_list, unsettled, user_saw
from webapp.views.page import PageContext
from webapp.views.recipes import BY_ANCHOR
from webapp.views.recipes import HREF as RECIPES_HREF
from webapp.views.teams import told
from webapp.views.unsettled import Ended

CAPTURE = (
    "Capture the response body of the agent’s own endpoint, for instance with "
    "`curl -N -H 'Content-Type: application/json' -d @run.input.json URL > run.sse`, and upload `run.sse` together "
    "with `run.input.json`, the body of the request."
)
FAILED = "AGUI-RUN-06"  # the agent itself says that its run failed
_PLACES = 4  # findings linked in the banner


@dataclass(frozen=True, slots=True)
class Banner:
    """meta: after the name; headline, why, whose, saw, change, found: sentences with marks; empty: left out.

    folded_why: the one line that stands under the headline on the diagrams; unchecked: show how to capture.
    """

    meta: str
    headline: str
    why: str
    whose: str
    whose_more: str
    saw: str
    change: str
    rule: str
    found: str
    places: str
    folded_why: str
    notes: tuple[str, ...]
    look: str = ""  # the verdict, or `unsettled`: conformant, and yet Teams refused it
    ended: Ended | None = None  # what then stands beside the verdict
    recipe: tuple[str, str] = ("", "")  # address and words, of an unchecked trace
    answered: bool = False  # no stream came, but an answer of another kind, which this is about


def build(session: Session, trace: Trace, page: PageContext, first: FindingRow | None) -> Banner:
    """first: the finding the headline is about, None when there is none."""
    advice = Advice("", "") if first is None else advise(first.rule, first.reason, first.item_kind)
    outcomes = unsettled.numbers(page.runs)
    look = unsettled.look(trace, outcomes)
    end = unsettled.ended(trace, outcomes)
    whose = f"{names.whose_side(first.party, trace)}." if first is not None else ""
    if first is not None and first.party == "producer" and look == unsettled.LOOK:
        whose = "Not known."  # a note blames nobody, and the answer does not say
    teams = trace.protocol == "teams" and trace.events > 0
    saw = told.saw if teams else user_saw.told
    any_said = trace.item_count if teams else trace.messages
    seen, never = saw(session, trace, page, first) if trace.events and any_said else ("", "")
    stopped = end is unsettled.STOPPED
    why = _why(trace, page, first, stopped)
    user = f"The user saw {seen[:1].lower()}{seen[1:]}" if seen else ""
    banner = Banner(
        look=live.look(trace, look),
        ended=end,
        meta=told.meta(session, trace, page) if teams else _meta(trace, page),
        headline=_head(session, trace, page, first, stopped),
        why=why,
        whose=whose,
        whose_more=advice.cause,
        saw=" ".join(part for part in (seen, never, _lost(trace) if seen else "") if part),
        change=advice.fix,
        rule=first.rule if first is not None and advice.fix else "",
        found=_found(session, trace),
        places=_places(first),
        folded_why=" ".join(part for part in (_first_sentence(why), whose, user) if part),
        notes=tuple(_notes(trace)),
        recipe=_recipe(trace) if trace.verdict == "unchecked" else ("", ""),
    )
    return _answered(banner, answered.build(session, trace))


def _answered(banner: Banner, told: answered.Answered | None) -> Banner:
    """The banner of an answer that was no stream: how to record one would be no help."""
    if told is None:
        return banner
    return replace(
        banner,
        headline=told.headline,
        why=told.why,
        whose=f"{told.side}.",
        whose_more=told.because,
        change=told.change,
        rule="",
        found="",
        folded_why=f"{told.why} {told.side}.",
        recipe=(told.again, "Call the agent again") if told.again else ("", ""),
        answered=True,
    )


def _meta(trace: Trace, page: PageContext) -> str:
    """`AG-UI 1.0 · 1 run, which claims success · 40 events · 1 lane · 77 ms`."""
    if trace.events == 0:
        return f"{trace.read_as or 'form not known'} · {names.plural(trace.lines, 'line')}"
    parts = [names.protocol_words(trace), _runs(trace, page), names.held(trace, "event")]
    parts.append(names.plural(trace.lane_count, "lane"))
    if trace.started is not None and trace.ended is not None:
        parts.append(names.duration(trace.ended - trace.started))
    return " · ".join(part for part in parts if part)


def _runs(trace: Trace, page: PageContext) -> str:
    if not trace.run_count:
        return "no run"
    if not page.runs:
        return names.plural(trace.run_count, "run")
    if trace.run_count > 1:
        told = f": {run_list.counted(list(page.runs))}" if trace.run_count == len(page.runs) else ""
        return f"{names.plural(trace.run_count, 'run')}{told}"
    run: RunRow = page.runs[0]
    if run.claimed and run.claimed != run.outcome:
        return f"1 run, which claims {run.claimed}"
    return f"1 run, {run_list.CLAUSES.get(run.outcome, run.outcome)}"


def _head(session: Session, trace: Trace, page: PageContext, first: FindingRow | None, stopped: bool) -> str:
    if trace.status == "failed":
        return "This recording could not be analysed."
    if trace.status == live.LIVE and not trace.events:
        return f"Recording. The first {page.words.event} has not come yet."
    if trace.status == live.LIVE and first is None:
        return f"Recording. Nothing wrong so far, in {names.plural(trace.events, page.words.event)}."
    if trace.verdict == "unchecked":
        return f"No {page.words.event} could be read, so nothing was checked."
    return (
        told.headline(session, trace, page, first)
        if trace.protocol == "teams"
        else _headline(trace, first, stopped)
    )


def _headline(trace: Trace, first: FindingRow | None, stopped: bool) -> str:
    nothing = f"Nothing wrong in {names.plural(trace.events, 'event')}"
    if how_read.events_lost(trace):
        nothing = nothing.replace(" in ", " in the ", 1) + " that could be read, while other lines were cut"
    if stopped:
        nothing += ", up to where the recording was stopped"
    if first is None:
        return f"{nothing}."
    title = first.title.rstrip(".")
    if trace.rejected_at is not None:
        if first.event == trace.rejected_at:
            return f"A client stops at #{trace.rejected_at}: {title}."
        return f"A client stops at #{trace.rejected_at}. It began at #{first.event}: {title}."
    if trace.verdict == "nonconformant":
        return f"Accepted by clients, but wrong at #{first.event}: {title}."
    if trace.verdict == "warnings":
        return f"Nothing stops a client, but at #{first.event}: {title}."
    if first.rule == FAILED:
        return f"The stream is in order, but at #{first.event} {title}."
    return f"{nothing}; one note, at #{first.event}: {title}."


def _why(trace: Trace, page: PageContext, first: FindingRow | None, stopped: bool) -> str:
    if trace.status == "failed":
        return trace.error or "The server’s log says where it stopped; the original is kept."
    if trace.status == live.LIVE and first is None:
        if page.shared:
            return "Load this page again to see what has come since."
        return "This page follows by itself: it says so the moment a client would stop."
    if trace.verdict == "unchecked":
        known = foreign_of(trace)
        return f"{_unread(trace) if known is None else f'This is {known.what}. {known.explains}'} {CAPTURE}"
    if first is not None:
        return cards.why(first)
    if stopped:
        return (
            f"The run had not ended at #{page.last}. What came later is not in the recording, and not judged."
        )
    if trace.protocol == "teams":
        return told.fine(trace, page)
    parts = [names.plural(trace.messages, "message")] if trace.messages else []
    others = trace.item_count - trace.messages
    if others > 0:
        parts.append(names.plural(others, "other item"))
    said = f"{' and '.join(parts)} opened and closed as they should." if parts else "No message was sent."
    ended = [lane for lane in page.lanes.values() if lane.state == "error"]
    if ended:
        said += f" {names.lane_name(ended[0])} ended in error, and said so."
    return said + (_ended(page.runs[0]) if trace.run_count == 1 and page.runs else "")


def _ended(run: RunRow) -> str:
    """How a single run ended, when that is not simply success."""
    return {
        "failed": f" The run ended in an error at #{run.last}, and said so.",
        "cancelled": f" The run was cancelled at #{run.last}: it neither finished nor failed.",
        "interrupted": f" The run paused at #{run.last} and waits for an answer.",
    }.get(run.outcome, "")


def foreign_of(trace: Trace) -> Foreign | None:
    """What an unreadable recording is, where it is something known."""
    phrases = trace.read_because or []
    return by_phrase(str(phrases[0])) if not trace.format and phrases else None


def _recipe(trace: Trace) -> tuple[str, str]:
    """Address and words of the way to a better recording."""
    known = foreign_of(trace)
    recipe = None if known is None else BY_ANCHOR.get(known.recipe)
    if recipe is not None:
        return recipe.href, f"How to capture: {recipe.title.replace('`', '')}"
    return RECIPES_HREF, "How to capture a recording"


def _unread(trace: Trace) -> str:
    if trace.artefacts:
        return f"{names.artefact_words({**trace.artefacts[0], 'line': None})}."
    if trace.size == 0:
        return "The file is empty."
    if not trace.format and trace.read_because:
        return f"It looks like {' and '.join(str(phrase) for phrase in trace.read_because[:2])}."
    if trace.lines == 1:
        return "Its only line is not an event."
    if trace.records:
        return (
            f"{names.plural(trace.records, 'record')} of {names.plural(trace.lines, 'line')}, none an event."
        )
    return f"None of the {names.plural(trace.lines, 'line')} is an event."


def _first_sentence(text: str) -> str:
    head, dot, _ = text.partition(". ")
    return f"{head}." if dot else text


def _lost(trace: Trace) -> str:
    return "The lines that were cut may have held more." if how_read.events_lost(trace) else ""


def _found(session: Session, trace: Trace) -> str:
    if not trace.finding_count:
        return ""
    return names.found(causes.counts(session, trace.pk), trace.finding_count)


def _places(first: FindingRow | None) -> str:
    """`#12, again at #13; explains #6 and #9` for the first cause."""
    if first is None:
        return ""
    again = findings.repeats(first)
    told = f"#{first.event}"
    if again:
        shown = ", ".join(f"#{event}" for event in again[:_PLACES])
        more = first.count - 1 - min(len(again), _PLACES)
        told += f", again at {shown}" + (f" and {names.count(more)} more" if more > 0 else "")
    return told


def _notes(trace: Trace) -> list[str]:
    """What is to be known about the recording itself, apart from any verdict."""
    out: list[str] = []
    if trace.verdict == "unchecked":
        return out
    out += [f"The recording, not the agent: {names.artefact_words(each)}." for each in trace.artefacts[:3]]
    if len(trace.artefacts) > 3:
        out.append(f"{names.count(len(trace.artefacts) - 3)} more such notes stand in Source.")
    if trace.masked:
        out.append(how_read.masked(trace))
    return out
