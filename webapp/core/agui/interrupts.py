"""Interrupts: the questions a run stops at, and the answers the next one brings.

Rules of this file: INT-02, INT-04, INT-05 and INT-07 … INT-12 and the words of their findings. What is open is what
the last interrupted run of this trace left. Source: basic/patterns/interrupt-resume.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import UNSET

from webapp.core.agui import awaited
from webapp.core.agui import events as e
from webapp.core.agui import values as v
from webapp.core.agui.dates import epoch_ms, looks_like_date
from webapp.core.agui.world import World, quoted
from webapp.core.words import listed

EPOCH = 10**11  # timestamps below are not milliseconds since 1970


def raised(w: World, ev: e.RunFinished, outcome: v.RunInterrupt) -> None:
    """A run ends with questions."""
    for id_, times in Counter(interrupt.id for interrupt in outcome.interrupts).items():
        if times > 1:
            w.find(
                "AGUI-INT-02",
                f"{times} interrupts have the id {quoted(id_)}",
                "One answer will count for all of them. Clients reject this from the next version on.",
                item=("interrupt", id_),
            )
    for interrupt in outcome.interrupts:
        about: dict[str, Any] = {"item": ("interrupt", interrupt.id)}
        call = interrupt.toolCallId
        if call is not UNSET and call not in w.held.calls and call not in w.items["tool"]:
            _unknown_call(w, interrupt.id, call, about)
        _check_expiry(w, ev, interrupt, about)


def _unknown_call(w: World, id_: str, call: str, about: dict[str, Any]) -> None:
    """INT-04: the call that the question is about was never made, or a client did not get it."""
    lost = w.lost.find("opener", "tool", call)
    if lost is None and w.unseen("AGUI-INT-04", thread=True):
        return
    why = "An application has nothing to show beside the question."
    if lost is not None:
        why = f"{awaited.lost_why(lost)} {why}"
    elif not w.input_known and len(w.runs) <= 1:
        why = "The request is not recorded, so the call may stand in the earlier conversation."
    w.find(
        "AGUI-INT-04",
        f"interrupt {quoted(id_)} is about tool call {quoted(call)}, which nobody has made",
        why,
        reason=None if lost is None else "opener-lost",
        related=() if lost is None else ((lost.seq, "expected"),),
        cause=None if lost is None else lost.finding.key,
        **about,
    )


def _check_expiry(w: World, ev: e.RunFinished, interrupt: v.Interrupt, about: dict[str, Any]) -> None:
    """INT-05: not a date, or past when it was sent."""
    text = interrupt.expiresAt
    if text is UNSET:
        return
    if not looks_like_date(text):
        w.find(
            "AGUI-INT-05",
            f"interrupt {quoted(interrupt.id)} expires at {quoted(text)}, which is no date",
            "A client that cannot read it lets the question stand for ever.",
            path="unreadable",
            **about,
        )
    elif (at := epoch_ms(text)) is not None and _past(at, ev.timestamp):
        w.find(
            "AGUI-INT-05",
            f"interrupt {quoted(interrupt.id)} has expired before it was sent, at {quoted(text)}",
            "A client lets nobody answer it.",
            path="expired",
            **about,
        )


def _past(at: int, now: Any) -> bool:
    return now is not UNSET and now > EPOCH and at <= now


def check_resume(w: World, asked: v.RunAgentInput) -> None:
    """A later run's input against what the interrupted run before it left open."""
    trace, facts = w.trace, w.facts
    entries = [] if asked.resume is UNSET else asked.resume
    facts.resumed = bool(entries)
    about: dict[str, Any] = {"item": ("run", asked.runId)}
    given = {entry.interruptId for entry in entries}
    if not trace.open_interrupts:
        if given and trace.last_end is not None:
            _unknown(w, sorted(given), "the run before was not interrupted", about)
        return
    thread, run_id, at = trace.interrupted or (None, None, 0)
    if given and thread is not None and asked.threadId != thread and given & trace.open_interrupts.keys():
        w.find(
            "AGUI-INT-11",
            f"the request answers interrupts of thread {quoted(thread)} on thread {quoted(asked.threadId)}",
            "An answer goes to the thread the question was asked on.",
            related=((at, "previous"),),
            **about,
        )
    elif asked.threadId != thread:
        return
    unknown = sorted(given - trace.open_interrupts.keys())
    if unknown:
        _unknown(w, unknown, f"run {quoted(run_id)} left no such question", about)
    _expired(w, entries, about)
    facts.uncovered = {id_: i for id_, i in trace.open_interrupts.items() if id_ not in given}
    if facts.uncovered:
        facts.uncovered_by = w.find(
            "AGUI-INT-07",
            f"the request leaves interrupt{'' if len(facts.uncovered) == 1 else 's'} "
            f"{listed([quoted(id_) for id_ in facts.uncovered])} of run {quoted(run_id)} without an answer",
            "Every question gets an entry in `resume`: `resolved`, or `cancelled` when nobody answered.",
            related=((at, "previous"),),
            **about,
        )


def check_entries(w: World, asked: v.RunAgentInput) -> None:
    """INT-12: one entry an interrupt."""
    entries = [] if asked.resume is UNSET else asked.resume
    for id_, times in Counter(entry.interruptId for entry in entries).items():
        if times > 1:
            w.find(
                "AGUI-INT-12",
                f"`resume` answers interrupt {quoted(id_)} {times} times",
                "One entry is enough; which one counts is left to the agent.",
                item=("run", asked.runId),
            )


def _unknown(w: World, ids: list[str], why: str, about: dict[str, Any]) -> None:
    w.find(
        "AGUI-INT-08",
        f"`resume` answers {listed([quoted(id_) for id_ in ids])}, but {why}",
        "Answers are for the interrupts of the most recent interrupted run; an agent goes on without them.",
        **about,
    )


def _expired(w: World, entries: list[v.ResumeEntry], about: dict[str, Any]) -> None:
    """INT-09: an expired question can only be cancelled."""
    for entry in entries:
        interrupt = w.trace.open_interrupts.get(entry.interruptId)
        if interrupt is None or entry.status != "resolved" or not isinstance(interrupt.expiresAt, str):
            continue
        at = epoch_ms(interrupt.expiresAt)
        if at is not None and w.last_ts is not None and _past(at, w.last_ts):
            w.find(
                "AGUI-INT-09",
                f"`resume` answers interrupt {quoted(entry.interruptId)}, which expired at "
                f"{quoted(interrupt.expiresAt)}",
                "The run starts later than that. An expired question can be cancelled, not answered.",
                **about,
            )


def settled(w: World, word: str) -> None:
    """INT-10: the run ends well although a question it was told nothing about is open."""
    facts = w.facts
    if not facts.uncovered:
        return
    gated = [i.toolCallId for i in facts.uncovered.values() if isinstance(i.toolCallId, str)]
    done = {item.parent for item in w.items["result"].values()}.intersection(gated)
    if word != "success" and not done:
        return
    names = listed([quoted(id_) for id_ in facts.uncovered])
    what = "ends as a success" if word == "success" else f"carries out call {quoted(sorted(done)[0])}"  # type: ignore[type-var]
    w.find(
        "AGUI-INT-10",
        f"the run {what} while interrupt{'' if len(facts.uncovered) == 1 else 's'} {names} "
        f"{'is' if len(facts.uncovered) == 1 else 'are'} unanswered",
        "Silence is neither consent nor a withdrawal: an agent refuses such a request or asks again.",
        item=("interrupt", next(iter(facts.uncovered))),
        related=() if facts.uncovered_by is None else ((facts.uncovered_by.event, "previous"),),
    )


def remember(w: World, outcome: Any, word: str) -> None:
    """What is open from here on: set by an interrupt outcome, cleared by any other finish."""
    trace, run = w.trace, w.run
    trace.open_interrupts, trace.last_end = {}, word
    if isinstance(outcome, v.RunInterrupt) and run is not None:
        trace.open_interrupts = {interrupt.id: interrupt for interrupt in outcome.interrupts}
        trace.interrupted = (run.thread_id, run.run_id, w.seq)
