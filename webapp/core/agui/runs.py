"""The run: started, finished, failed, cut off.

Rules of this file: the run table decides; here its findings are worded, runs are numbered and their outcomes set.
Source: events/lifecycle, basic/run-input#identity, basic/versioning#version-negotiation.
"""

from __future__ import annotations

from webapp.core import explain
from webapp.core.agui import events as e
from webapp.core.agui import identity
from webapp.core.agui import values as v
from webapp.core.agui.items import named
from webapp.core.agui.tables import ITEM, RUN, SPAN, STEP, SUBAGENT
from webapp.core.agui.world import World, quoted, who
from webapp.core.findings import Run
from webapp.core.records import Item

_STARTED = RUN.columns["started"]
_FINISHED = RUN.columns["finished"]
_ERROR = RUN.columns["error"]
_OTHER = RUN.columns["other"]
_EOF = RUN.columns["eof"]
_FINISH = {
    **{kind: table.columns["finish"] for kind, table in ITEM.items()},
    "span": SPAN.columns["finish"],
    "step": STEP.columns["finish"],
    "subagent": SUBAGENT.columns["finish"],
}
_ABANDON = {
    **{kind: table.columns["abandon"] for kind, table in ITEM.items()},
    "span": SPAN.columns["abandon"],
    "step": STEP.columns["abandon"],
    "subagent": SUBAGENT.columns["abandon"],
}


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
    if cell.rule is not None and before is not None:
        w.find(
            cell.rule,
            f"run {quoted(ev.runId)} starts while run {quoted(before.run_id)} is still open",
            f"#{w.run_opened} opened run {quoted(before.run_id)} and no `RUN_FINISHED` or `RUN_ERROR` closed it.",
            reason="run-open",
            item=("run", ev.runId),
            related=((w.run_opened, "opened"),),
        )
        _outcome(w, before, "rejected")
        _abandon(w)
    w.run_state = cell.next
    run = w.begin_run(ev.threadId, ev.runId, keep=assumed)
    if assumed and w.started_late is not None:
        w.ledger.amend(
            w.started_late,
            reason="starts-later",
            why=f"The run starts only at #{w.seq}: what came before was too early, or the recording is out of order.",
            place=(w.seq, "later"),
        )
        w.started_late = None
    identity.check_start(w, ev, run)
    identity.check_version(w, ev.protocolVersion)


def finished(w: World, ev: e.RunFinished) -> None:
    cell = _FINISHED[w.run_state]
    if cell.rule == "AGUI-RUN-01":
        _not_started(w)
    elif cell.rule is not None:
        _after_end(w, cell.rule)
    w.run_state, was = cell.next, w.run_state
    run = w.run
    if was not in ("active", "assumed"):
        return
    if run is not None:
        identity.check_finish(w, ev, run)
        run.last = w.seq
    _check_closed(w)
    w.run_ended = (w.seq, "RUN_FINISHED")
    if run is not None:
        outcome = ev.outcome
        word = "success"
        if isinstance(outcome, v.RunInterrupt):
            word = "interrupted"
        elif isinstance(outcome, v.RunCancelled):
            word = "cancelled"
        _outcome(w, run, word)


def failed(w: World, ev: e.RunError) -> None:
    cell = _ERROR[w.run_state]
    text = f"the agent reports that the run failed: {quoted(ev.message)}"
    if w.run_state == "start":
        w.begin_run(None, None)
    if cell.rule == "AGUI-RUN-05":
        at = w.run_ended[0] if w.run_ended else w.run_opened
        w.find(cell.rule, f"{text}, after it had finished", f"`RUN_FINISHED` came at #{at}. The run counts as failed.",
               item=("run", _run_id(w)), related=((at, "closed"),))  # fmt: skip
    elif cell.rule is not None:
        _after_end(w, cell.rule)
        w.run_state = cell.next
        return
    else:
        w.find("AGUI-RUN-06", text, item=("run", _run_id(w)))
    w.run_state = cell.next
    _abandon(w)
    w.run_ended = (w.seq, "RUN_ERROR")
    if w.run is not None:
        w.run.last = w.seq
        _outcome(w, w.run, "failed")


def end_of_stream(w: World, last: int, cut: bool) -> None:
    """The recording ends; `last` is the last record, `cut` says that it broke off inside one."""
    cell = _EOF[w.run_state]
    run = w.run
    if cell.rule is None or run is None:
        if w.run_state == "assumed" and w.started_late is not None:
            w.ledger.amend(w.started_late, reason="never-started", why="No `RUN_STARTED` comes later either.")
        return
    run.last = max(run.last, last)
    rejected = w.ledger.rejected_by
    inside = "in the middle of an event, " if cut else ""
    w.find(
        cell.rule,
        f"the stream ends {inside}before run {quoted(run.run_id)} has finished",
        f"#{w.run_opened} opened the run and neither `RUN_FINISHED` nor `RUN_ERROR` came. The run has no outcome: "
        "it is not a success, whatever a client shows.",
        reason="never-closed",
        item=("run", run.run_id or ""),
        related=((w.run_opened, "opened"),),
        cause=None if rejected is None else rejected.key,
    )
    _outcome(w, run, "truncated")


def _run_id(w: World) -> str:
    return w.run.run_id or "" if w.run is not None else ""


def _outcome(w: World, run: Run, word: str) -> None:
    """Rejected wins over what the terminal event says, which is kept as claimed."""
    rejected = w.ledger.rejected_at
    if word != "rejected" and rejected is not None:
        run.claimed = word if word != "truncated" else run.claimed
        word = "rejected"
    run.outcome = word


def _not_started(w: World) -> None:
    reason, why, related, cause = "never-started", "", (), None
    for kind, _, seq, finding in w.lost:
        if kind == "run":
            misspelt = finding.label == "AGUI-ENV-17"
            reason = "start-misspelt" if misspelt else "start-lost"
            why = f"#{seq} should have started the run, but a client cannot use it: {finding.title}."
            related, cause = ((seq, "expected"),), finding.key  # type: ignore[assignment]
            break
    if not why:
        why = f"A client accepts nothing before `RUN_STARTED`; the first event it gets is `{w.type}`."
    w.started_late = w.find("AGUI-RUN-01", f"`{w.type}` comes before any run has started", why,
                            reason=reason, related=related, cause=cause, item=("run", ""))  # fmt: skip


def _after_end(w: World, rule: str) -> None:
    at, name = w.run_ended or (w.run_opened, "RUN_FINISHED")
    verb = "finished" if rule == "AGUI-RUN-03" else "failed"
    legal = "`RUN_STARTED` or `RUN_ERROR`" if rule == "AGUI-RUN-03" else "`RUN_STARTED`"
    w.find(
        rule,
        f"`{w.type}` comes after the run has {verb}",
        f"`{name}` at #{at} ended the run. After it only {legal} may come.",
        reason="run-ended" if rule == "AGUI-RUN-03" else "run-failed",
        item=("run", _run_id(w)),
        related=((at, "closed"),),
    )


def _check_closed(w: World) -> None:
    """Nothing may be open when a run finishes, whatever its outcome."""
    for item in list(w.open_items()):
        cell = _FINISH[item.kind][table_state(item)]
        if cell.rule is not None:
            why = explain.never_closed(item, w.seq)
            subject = f"subagent {quoted(item.name or item.id)}" if item.kind == "subagent" else named(
                item.kind, item.id, item
            )  # fmt: skip
            owner = f" of {who(item.lane)}" if item.lane is not None and item.kind != "subagent" else ""
            w.find(
                cell.rule,
                f"the run finishes while {subject}{owner} is still {'active' if item.kind == 'subagent' else 'open'}",
                why.text,
                reason=why.reason,
                lane=item.lane,
                item=(item.kind, item.id),
                related=why.related,
            )
        item.state = cell.next


def _abandon(w: World) -> None:
    """A run that failed, or was run over by another, leaves its open items open for ever."""
    for item in w.open_items():
        item.state = _ABANDON[item.kind][table_state(item)].next


def table_state(item: Item) -> str:
    """The item's state as its table names it."""
    return "active" if item.kind == "subagent" and item.state == "open" else item.state
