"""The run: started, finished, failed, cut off.

Rules of this file: the run table decides; here its findings are worded, runs are numbered and their outcomes set.
Source: events/lifecycle, basic/run-input#identity, basic/versioning#version-negotiation.
"""

from __future__ import annotations

from typing import Any

from webapp.core.agui import events as e
from webapp.core.agui import identity
from webapp.core.agui import values as v
from webapp.core.agui.closing import abandon, check_closed
from webapp.core.agui.lost import Lost
from webapp.core.agui.tables import RUN
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Run
from webapp.core.kinds import AguiOutcome

_STARTED = RUN.columns["started"]
_FINISHED = RUN.columns["finished"]
_ERROR = RUN.columns["error"]
_OTHER = RUN.columns["other"]
_EOF = RUN.columns["eof"]


def other(w: World) -> None:
    """Any known event that is no run boundary. Called only when the run is not simply active."""
    cell = _OTHER[w.run_state]
    if cell.rule == "AGUI-RUN-01":
        _not_started(w)
    elif cell.rule is not None:
        _after_end(w, cell.rule)
    w.run_state = cell.next


def started(w: World, ev: e.RunStarted) -> None:
    cell = _STARTED[w.run_state]
    before = w.run
    assumed = w.run_state == "assumed"
    if not assumed:
        _begun_before(w)
    w.nested = None
    if cell.rule is not None and before is not None:
        lost = w.lost.find("closer", "run", None)
        ended = (
            f"#{lost.seq} should have ended it, but {lost.what}."
            if lost is not None
            else (
                f"It was started at #{w.run_opened}, and neither `RUN_FINISHED` nor `RUN_ERROR` has ended it since."
            )
        )
        w.nested = w.find(
            cell.rule,
            f"run {quoted(ev.runId)} starts while run {quoted(before.run_id)} is still open",
            ended,
            reason="run-open" if lost is None else "end-lost",
            cause=None if lost is None else lost.finding.key,
            item=("run", ev.runId),
            related=((w.run_opened, "opened"), *(() if lost is None else ((lost.seq, "expected"),))),
        )
        if w.nested is not None:
            w.cut.pop(ev.runId, None)  # its end is to come now
            w.cut.setdefault(before.run_id, w.nested)
        before.last = max(before.last, w.seq - 1)
        _outcome(w, before, "truncated" if w.gapped and w.headless else "rejected")
        abandon(w)
    w.run_state = cell.next
    run = w.begin_run(ev.threadId, ev.runId, keep=assumed)
    if w.started_late is not None:
        if assumed and w.started_late.reason == "never-started":
            w.ledger.amend(
                w.started_late,
                reason="starts-later",
                why=f"The run starts only at #{w.seq}: what came before was too early, or the events are out of order.",
                place=(w.seq, "later"),
            )
        w.started_late = None
    identity.check_start(w, ev, run)
    identity.check_reuse(w, ev)
    identity.check_version(w, ev.protocolVersion)


def finished(w: World, ev: e.RunFinished) -> None:
    cell = _FINISHED[w.run_state]
    if cell.rule == "AGUI-RUN-01":
        _not_started(w)
    elif cell.rule is not None:
        _after_end(w, cell.rule, ev.runId)
    w.run_state, was = cell.next, w.run_state
    run = w.run
    if was == "start":
        w.run_ended = (w.seq, "RUN_FINISHED")
    if was not in ("active", "assumed"):
        return
    if run is not None:
        identity.check_finish(w, ev, run)
        run.last = w.seq
    check_closed(w)
    w.run_ended = (w.seq, "RUN_FINISHED")
    if run is not None:
        outcome = ev.outcome
        word: AguiOutcome = "success"
        if isinstance(outcome, v.RunInterrupt):
            word = "interrupted"
        elif isinstance(outcome, v.RunCancelled):
            word = "cancelled"
        _outcome(w, run, word)


def failed(w: World, ev: e.RunError) -> None:
    cell = _ERROR[w.run_state]
    text = f"the agent reports that the run failed: {quoted(ev.message)}"
    # runs that failed alike are told once
    told: dict[str, Any] = {"item": ("run", _run_id(w)), "path": f"error {ev.message[:500]}"}
    if w.run_state == "start":
        w.begin_run(None, None)
    if cell.rule == "AGUI-RUN-05":
        at = w.run_ended[0] if w.run_ended else w.run_opened
        w.find(cell.rule, f"{text}, after it had finished", f"`RUN_FINISHED` came at #{at}. The run counts as failed.",
               related=((at, "closed"),), **told)  # fmt: skip
    elif cell.rule is not None:
        _after_end(w, cell.rule)
        w.run_state = cell.next
        return
    elif ev.code == "abort":
        why = (
            "The code `abort` is what a client itself writes down when the user or the application stops reading: "
            "the agent has most likely not sent it."
        )
        w.find("AGUI-RUN-18", text, why, **told)
    else:
        w.find("AGUI-RUN-06", text, **told)
    w.run_state = cell.next
    abandon(w)
    w.run_ended = (w.seq, "RUN_ERROR")
    if w.run is not None:
        w.run.last = w.seq
        _outcome(w, w.run, "failed")


def end_of_stream(w: World, last: int, cut: bool) -> None:
    """The recording ends; `last` is the last record, `cut` says that it broke off inside one."""
    cell = _EOF[w.run_state]
    run = w.run
    if cell.rule is None or run is None:
        late = w.started_late
        if late is not None and late.reason == "never-started":
            w.ledger.amend(late, why=f"{late.why} No `RUN_STARTED` comes later either.")
            _begun_before(w)
        return
    run.last = max(run.last, last)
    rejected = w.ledger.rejected_by
    lost = w.lost.find("closer", "run", None)
    cause = rejected.key if rejected is not None else None if lost is None else lost.finding.key
    inside = "in the middle of an event, " if cut else ""
    w.find(
        cell.rule,
        f"the stream ends {inside}before run {quoted(run.run_id)} has finished",
        (
            f"It was started at #{w.run_opened}, and neither `RUN_FINISHED` nor `RUN_ERROR` came. "
            if lost is None
            else f"#{lost.seq} should have ended it, but {lost.what}. "
        )
        + "The run has no outcome: it is not a success, whatever a client shows. "
        "Clients reject such a stream from the next version on.",
        reason="never-closed" if lost is None else "end-lost",
        item=("run", run.run_id or ""),
        related=((w.run_opened, "opened"),)
        if lost is None
        else ((w.run_opened, "opened"), (lost.seq, "expected")),
        cause=cause,
    )
    _outcome(w, run, "truncated")


def _run_id(w: World) -> str:
    return w.run.run_id or "" if w.run is not None else ""


def _outcome(w: World, run: Run, word: AguiOutcome) -> None:
    """Rejected wins over what the terminal event says, which is kept as claimed."""
    rejected = w.ledger.rejected_at
    if word != "rejected" and rejected is not None:
        run.claimed = word if word != "truncated" else run.claimed
        word = "rejected"
    run.outcome = word


def _lost_start(w: World, since: int) -> tuple[str, str, Lost] | None:
    """Reason, sentence and event, when a start was sent that a client cannot use."""
    lost = w.lost.find("opener", "run", None, since)
    if lost is None:
        return None
    reason = "start-misspelt" if lost.finding.label == "AGUI-ENV-17" else "start-lost"
    return reason, f"#{lost.seq} should have started the run, but {lost.what}.", lost


def _not_started(w: World) -> None:
    w.facts.mid_run = w.trace.mid_run = True
    found = _lost_start(w, -1)
    if found is None:
        if w.unseen("AGUI-RUN-01"):
            return
        why = "A stream opens with `RUN_STARTED`, or with `RUN_ERROR` when nothing could start."
        w.started_late = w.find("AGUI-RUN-01", f"`{w.type}` comes before any run has started", why,
                                reason="never-started", item=("run", ""))  # fmt: skip
        return
    reason, why, lost = found
    w.started_late = w.find("AGUI-RUN-01", f"`{w.type}` comes before any run has started", why, reason=reason,
                            related=((lost.seq, "expected"),), cause=lost.finding.key, item=("run", ""))  # fmt: skip


def _begun_before(w: World) -> None:
    """Events without a start, of which the first goes on with something: what it misses, the recording may miss."""
    late = w.started_late
    if late is None or late.reason != "never-started":
        return
    orphans = [
        f for f in w.ledger.findings
        if f.event >= late.event and f.run == late.run and f.cause is None and f.reason == "never-opened"
    ]  # fmt: skip
    if not late.title.startswith("`RUN_FINISHED`") and not any(f.event == late.event for f in orphans):
        return
    tail = "This event goes on with something that began before it: the recording may begin later than the stream."
    w.ledger.amend(late, why=f"{late.why} {tail}")
    for orphan in orphans:
        w.follows(orphan, late)


def _after_end(w: World, rule: str, run_id: str | None = None) -> None:
    at, name = w.run_ended or (w.run_opened, "RUN_FINISHED")
    verb = "finished" if rule == "AGUI-RUN-03" else "failed"
    legal = "`RUN_STARTED` or `RUN_ERROR`" if rule == "AGUI-RUN-03" else "`RUN_STARTED`"
    reason = "run-ended" if rule == "AGUI-RUN-03" else "run-failed"
    why = f"`{name}` at #{at} ended the run. After it only {legal} may come."
    related = [(at, "closed")]
    cause = w.cut_by(run_id)
    found = _lost_start(w, at)
    if found is not None:
        reason, why, lost = found
        related.append((lost.seq, "expected"))
        cause = lost.finding.key
    second = "a second " if w.type == name else ""
    w.stray = w.find(
        rule,
        f"{second}`{w.type}` comes after the run has {verb}",
        why,
        reason=reason,
        item=("run", _run_id(w)),
        related=related,
        cause=cause,
    )
