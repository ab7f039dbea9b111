"""The page that calls an agent: the form, what it is filled from, and the calls that run.

Rules of this file: contexts and the run inputs a form begins with; nothing is sent or stored. New ids come in as
`fresh`, a random text. The credential of a call is in no context, so no page can show it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy.orm import Session

from webapp.core.agui.shared import echoed
from webapp.storage import events, items
from webapp.storage.models import Trace
from webapp.views.asked import MAX_ECHO
from webapp.views.dates import ago
from webapp.views.names import clip

MAX_SHOWN = 2_000_000  # characters of a run input that a text field is filled with
VERSION = "1.0"  # what the run inputs here say of themselves: they need nothing newer
MASKED = "[secret]"
STARTS = {
    "question": "a question",
    "tools": "tools",
    "state": "a state",
    "resume": "an interrupt",
}
_HINTS = {
    "resume": "Put in the thread of the interrupted run, its messages, and the id of each interrupt it ended with: "
    "every one needs its entry.",
}


@dataclass(frozen=True, slots=True)
class Start:
    """One thing the run input can begin as. href: the whole page, part: the field alone."""

    name: str
    words: str
    href: str
    part: str
    current: bool


@dataclass(frozen=True, slots=True)
class CallLine:
    """A call that runs. base: URL of its trace; since: `2 min`"""

    base: str
    shown: str
    since: str


@dataclass(frozen=True, slots=True)
class CallPage:
    """url, run_input, name: what the fields hold; hint: one sentence about the run input; hosts: that may be called.

    problem: why the last attempt came to nothing, a sentence; again: an Authorization value was given with it, and has
    to be given again; back: the trace the form was filled from, "" = none
    """

    url: str
    run_input: str
    name: str
    starts: Sequence[Start]
    hint: str
    hosts: str
    running: Sequence[CallLine]
    problem: str
    again: bool
    back: str
    back_name: str


@dataclass(frozen=True, slots=True)
class Filled:
    """What the fields begin with. hint: one sentence; back: URL of the trace it is from; back_name: its name."""

    url: str = ""
    run_input: str = ""
    name: str = ""
    hint: str = ""
    start: str = ""
    back: str = ""
    back_name: str = ""


def page(
    filled: Filled,
    *,
    hosts: str,
    running: Sequence[tuple[str, str, float]] = (),
    now: float = 0.0,
    problem: str = "",
    again: bool = False,
) -> CallPage:
    """running: (trace id, address, unix seconds it began at); now: unix seconds."""
    return CallPage(
        url=filled.url,
        run_input=filled.run_input,
        name=filled.name,
        starts=starts(filled.start, filled.url),
        hint=filled.hint,
        hosts=hosts,
        running=[CallLine(f"/traces/{id_}", shown, ago(since, now)) for id_, shown, since in running],
        problem=problem,
        again=again,
        back=filled.back,
        back_name=filled.back_name,
    )


def starts(current: str, url: str = "") -> list[Start]:
    """The links that fill the run input. They keep the address but not its query, which may hold a credential."""
    url = url.partition("?")[0]
    return [
        Start(
            name,
            words,
            f"/call?{urlencode({'as': name, **({'url': url} if url else {})})}",
            f"/call/input?as={name}",
            name == current,
        )
        for name, words in STARTS.items()
    ]


def begun(name: str, fresh: str, url: str = "") -> Filled:
    """The fields with one of the run inputs of `STARTS`, a question when there is none of that name."""
    start = name if name in STARTS else "question"
    return Filled(url=url, run_input=laid_out(example(start, fresh)), hint=_HINTS.get(start, ""), start=start)


def repeated(session: Session, trace: Trace, fresh: str, event: int | None = None) -> Filled:
    """The fields with what a trace’s run was asked: the same thread, a new run."""
    base = f"/traces/{trace.id}"
    given = run_input_of(session, trace, event)
    url = trace.source if trace.source.startswith(("http://", "https://")) else ""
    if given is None:
        filled = begun("question", fresh, url)
        hint = "That trace holds no run input that could be sent again, so this is a new question."
        return Filled(url, filled.run_input, "", hint, filled.start, base, trace.name)
    text = laid_out({**given, "runId": f"run-{fresh}"})
    if len(text) > MAX_SHOWN:
        hint = "The run input of that trace is too long to be edited here, so this is a new question."
        filled = begun("question", fresh, url)
        return Filled(url, filled.run_input, "", hint, filled.start, base, trace.name)
    hint = "The same thread under a new runId: an agent that keeps conversations goes on with that one."
    if MASKED in text or MASKED in url:
        hint += " Credentials in it were overwritten when it was stored; put them in again where the agent needs them."
    return Filled(url, text, clip(f"{trace.name}, again", 200), hint, "", base, trace.name)


def run_input_of(session: Session, trace: Trace, event: int | None = None) -> dict[str, Any] | None:
    """The run input stored with a trace, else the one its run echoes: the run at `event`, else the first."""
    if trace.protocol == "teams":
        return None
    if trace.input is not None:
        return trace.input
    runs = items.runs(session, trace.pk)
    before = [run for run in runs if event is not None and run.first <= event]
    run = before[-1] if before else runs[0] if runs else None
    if run is None:
        return None
    payload = events.payloads(session, trace.pk, [run.first], MAX_ECHO + 1).get(run.first, "")
    return echoed(payload) if payload and len(payload) <= MAX_ECHO else None


def laid_out(value: dict[str, Any]) -> str:
    """JSON for a text field; what no text can hold stays an escape."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=2)
    return text


def example(start: str, fresh: str) -> dict[str, Any]:
    """A run input to begin with. It names every member, since agents of older protocol versions insist on them."""
    ids = {"threadId": f"thread-{fresh}", "runId": f"run-{fresh}", "protocolVersion": VERSION}
    rest: dict[str, Any] = {"state": {}, "messages": [_user("Hello, what can you do?")]}
    last: dict[str, Any] = {"tools": [], "context": [], "forwardedProps": {}}
    if start == "tools":
        rest["messages"] = [_user("What is the weather in Lisbon?")]
        last["tools"] = [
            {
                "name": "get_weather",
                "description": "The weather at a place, as the application knows it",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
            }
        ]
    elif start == "state":
        rest["state"] = {"items": ["bread", "milk"], "done": False}
        rest["messages"] = [_user("Add eggs to the list.")]
        last["context"] = [{"description": "What the state is", "value": "a shopping list"}]
    elif start == "resume":
        ids["threadId"] = "the-interrupted-thread"
        rest["messages"] = [_user("Delete the old report.")]
        last["resume"] = [
            {"interruptId": "the-interrupt", "status": "resolved", "payload": {"approved": True}}
        ]
    return {**ids, **rest, **last}


def _user(text: str) -> dict[str, Any]:
    return {"id": "message-1", "role": "user", "content": text}
