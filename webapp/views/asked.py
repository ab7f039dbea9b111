"""What a run was asked, for reading: the run input uploaded with the trace, and the one a run echoes.

Rules of this file: a few facts and short lists out of an input that may hold anything; no database query but the one
for the echo, no HTML. Bounded: MAX_LISTED entries of a list, CLIP characters of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.core.agui.shared import echoed
from webapp.storage import events
from webapp.storage.models import RunRow, Trace
from webapp.views import bodies, names
from webapp.views import state_words as words
from webapp.views.content import showable
from webapp.views.names import clip, plural
from webapp.views.page import PageContext

MAX_LISTED = 24
CLIP = 240
MAX_ECHO = 2_000_000  # characters of a RUN_STARTED that are read


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool, a context entry or a resume entry: its name, a word beside it, what it says."""

    name: str
    word: str
    text: str


@dataclass(frozen=True, slots=True)
class List:
    """label: `Tools offered, 3`; more: how many are not listed (may be negative)."""

    label: str
    entries: Sequence[Entry]
    more: int


@dataclass(frozen=True, slots=True)
class Asked:
    """One run input. title: with marks; brief: what it holds; facts: label and value; lists: those with entries."""

    title: str
    brief: str
    facts: Sequence[tuple[str, str]]
    lists: Sequence[List]
    long: bool = False


def build(session: Session, trace: Trace, page: PageContext) -> list[Asked]:
    """The uploaded input and the echo of the run at the chosen event, as far as there are any."""
    out = []
    if trace.input is not None:
        out.append(_told("The run input given with the recording", trace.input))
    run = _run(page)
    if run is not None:
        payload = events.payloads(session, trace.pk, [run.first], MAX_ECHO + 1).get(run.first, "")
        title = f"The run input that the run echoes at #{run.first}"
        if len(payload) > MAX_ECHO:
            out.append(Asked(title, "", (), (), long=True))
        elif (echo := echoed(payload)) is not None:
            out.append(_told(title, echo))
    return out


def _run(page: PageContext) -> RunRow | None:
    """The run at the chosen event, else the first."""
    before = [run for run in page.runs if run.first <= page.event]
    return before[-1] if before else page.runs[0] if page.runs else None


def _told(title: str, given: dict[str, Any]) -> Asked:
    facts = [
        (label, _text(given[name], CLIP))
        for label, name in (
            ("thread", "threadId"),
            ("run", "runId"),
            ("parent run", "parentRunId"),
            ("protocol", "protocolVersion"),
        )
        if name in given
    ]
    facts += [("messages", _messages(given.get("messages")))]
    facts += [("state", words.brief(given["state"], CLIP) if "state" in given else "none")]
    if "forwardedProps" in given:
        facts.append(("forwarded", words.brief(given["forwardedProps"], CLIP)))
    lists = [
        _listed("Tools offered", given.get("tools"), _tool),
        _listed("Context", given.get("context"), _context),
        _listed("Resumes", given.get("resume"), _resume),
    ]
    for label, found in zip(("tools", "context", "resume"), lists, strict=True):
        if found is None:
            facts.append((label, "none"))
    return Asked(title, _brief(given), facts, [found for found in lists if found is not None])


def _brief(given: dict[str, Any]) -> str:
    """`3 messages, 2 tools, a state`."""
    parts = [
        plural(len(given[name]), word, many)
        for name, word, many in (
            ("messages", "message", None),
            ("tools", "tool", None),
            ("context", "context entry", "context entries"),
            ("resume", "answer to an interrupt", "answers to interrupts"),
        )
        if isinstance(given.get(name), list) and given[name]
    ]
    parts += ["a state"] if given.get("state") not in (None, {}) else []
    return ", ".join(parts)


def _listed(label: str, given: Any, tell: Any) -> List | None:
    if not isinstance(given, list) or not given:
        return None
    entries = [tell(each) for each in given[:MAX_LISTED] if isinstance(each, dict)]
    return List(f"{label}, {names.count(len(given))}", entries, len(given) - MAX_LISTED)


def _tool(tool: dict[str, Any]) -> Entry:
    shape = tool.get("parameters")
    properties = shape.get("properties") if isinstance(shape, dict) else None
    word = plural(len(properties), "parameter") if isinstance(properties, dict) and properties else ""
    return Entry(_text(tool.get("name"), 80), word, _text(tool.get("description"), CLIP))


def _context(entry: dict[str, Any]) -> Entry:
    return Entry(_text(entry.get("description"), 80), "", _text(entry.get("value"), CLIP))


def _resume(entry: dict[str, Any]) -> Entry:
    answer = f"with {words.brief(entry['payload'], CLIP)}" if "payload" in entry else "without an answer"
    return Entry(_text(entry.get("interruptId"), 80), _text(entry.get("status"), 20), answer)


def _messages(given: Any) -> str:
    """How many of each role, and what the user said last."""
    held = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    if not held:
        return "none"
    roles: dict[str, int] = {}
    for message in held:
        role = _text(message.get("role"), 20)
        if role in roles or len(roles) < 9:
            roles[role] = roles.get(role, 0) + 1
    told = ", ".join(f"{names.count(number)} {role}" for role, number in roles.items())
    said = next((m for m in reversed(held) if m.get("role") == "user"), None)
    text = clip(bodies.parts(said.get("content"))[0], CLIP) if said is not None else ""
    return f"{told}; the user said last: “{showable(text)}”" if text else told


def _text(value: Any, limit: int) -> str:
    if isinstance(value, str):
        return showable(clip(value, limit)) or '""'
    return "not given" if value is None else words.brief(value, limit)
