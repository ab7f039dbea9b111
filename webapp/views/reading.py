"""How the recording was read, on the page's banner: quiet for a plain stream, plain to see when something is amiss.

Rules of this file: words and links from what is stored with a trace; no query. The whole account is Source's.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.replay import ENGINE_VERSION
from webapp.storage.models import Trace
from webapp.views import how_read, names, vocabulary
from webapp.views.content import showable
from webapp.views.selection import Selection

REPAIRED = 3  # artefacts that are much: fewer stand above the events anyway
HEAD_MISSING = "head-missing"
NO_HEAD = "its beginning is missing"
PROTOCOLS = {"ag-ui": "AG-UI", "teams": "Microsoft Teams"}


@dataclass(frozen=True, slots=True)
class Link:
    href: str
    words: str


@dataclass(frozen=True, slots=True)
class Reading:
    """form: follows "Read as ", "" when nothing fitted; held: `412 events`; told: what is amiss, with links.

    loud: it has a line of its own, else `brief` stands with the name, "" where that says it already
    again: URL of the choice of forms; judge: URL that judges anew; both "" where the reader may not
    engine: the older one that judged, "" = today's; notes: what is said above the events all the same
    """

    form: str
    held: str
    told: tuple[Link, ...]
    loud: bool
    brief: str
    again: str
    judge: str
    engine: str
    notes: tuple[str, ...]


def build(trace: Trace, sel: Selection, *, shared: bool) -> Reading:
    """sel: the view its links start from."""
    form = showable(trace.read_as or trace.format)
    told = _told(trace, sel)
    loud = bool(trace.not_understood or _cut(trace) or len(how_read.told(trace)) >= REPAIRED)
    # what was sealed before texts were taken out is read in one way and judged no more
    old = bool(trace.engine) and trace.engine != ENGINE_VERSION and not trace.redaction
    return Reading(
        form=form,
        held=names.held(trace, _event(trace)),
        told=told,
        loud=loud and bool(form),
        brief=f"read as {form}" if trace.events else "",
        again="" if shared or trace.redaction else f"{sel.base}/reread",
        judge="" if shared or not old else f"{sel.base}/rejudge",
        engine=showable(trace.engine) if old else "",
        notes=tuple(f"The recording, not the agent: {sentence}" for sentence in lacks(trace)),
    )


def lacks(trace: Trace) -> list[str]:
    """What is missing of the stream because of the recording, in sentences."""
    return [f"{names.artefact_words(each)}." for each in [*_cut(trace)[:1], *how_read.cut_lines(trace)]]


def strays_href(sel: Selection) -> str:
    """The list of the lines that were not understood."""
    return sel.href(panel="source", only="strays", start=None, line=None)


def now(trace: Trace) -> str:
    """The present reading, a sentence."""
    form = showable(trace.read_as or trace.format)
    if not form:
        return "Its form was not recognised."
    unread = f", {names.plural(trace.not_understood, 'line')} not understood" if trace.not_understood else ""
    return f"It is read as {form}: {names.plural(trace.events, _event(trace))}{unread}."


def anew(trace: Trace) -> str:
    """The sentence after a new reading."""
    form = showable(trace.read_as or trace.format)
    return f"Read anew{f' as {form}' if form else ''}: {names.plural(trace.events, _event(trace))}."


def _event(trace: Trace) -> str:
    return vocabulary.of(trace.protocol).event


def _told(trace: Trace, sel: Selection) -> tuple[Link, ...]:
    source = sel.href(panel="source", only="", start=None, line=None)
    told = []
    if trace.not_understood:
        told.append(Link(strays_href(sel), f"{names.plural(trace.not_understood, 'line')} not understood"))
    if _cut(trace):
        told.append(Link(source, NO_HEAD))
    others = len(how_read.told(trace)) - len(_cut(trace))
    if others:
        told.append(Link(source, f"{names.plural(others, 'note')} on the recording"))
    if trace.masked:
        told.append(Link(source, f"{names.plural(trace.masked, 'credential')} masked"))
    return tuple(told)


def _cut(trace: Trace) -> list[dict[str, object]]:
    """The artefact that says so, when the beginning is missing."""
    return [each for each in trace.artefacts if each.get("kind") == HEAD_MISSING]
