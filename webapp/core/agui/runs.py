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
from webapp.core.agui.subagents import invocation
from webapp.core.agui.tables import ITEM, RUN, SPAN, STEP, SUBAGENT
from webapp.core.agui.world import NOUNS, World, quoted, who
from webapp.core.findings import MAX_RELATED, Run
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
    w.nested = None
    if cell.rule is not None and before is not None:
        w.nested = w.find(
            cell.rule,
            f"run {quoted(ev.runId)} starts while run {quoted(before.run_id)} is still open",
            f"It was started at #{w.run_opened}, and neither `RUN_FINISHED` nor `RUN_ERROR` has ended it since.",
            reason="run-open",
            item=("run", ev.runId),
            related=((w.run_opened, "opened"),),
        )
        before.last = max(before.last, w.seq - 1)
        _outcome(w, before, "rejected")
        _abandon(w)
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
    identity.check_version(w, ev.protocolVersion)


def finished(w: World, ev: e.RunFinished) -> None:
    cell = _FINISHED[w.run_state]
    if cell.rule == "AGUI-RUN-01":
        _not_started(w)
    elif cell.rule is not None:
        _after_end(w, cell.rule)
    w.run_state, was = cell.next, w.run_state
    run = w.run
    if was == "start":
        w.run_ended = (w.seq, "RUN_FINISHED")
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
        late = w.started_late
        if late is not None and late.reason == "never-started":
            w.ledger.amend(late, why=f"{late.why} No `RUN_STARTED` comes later either.")
        return
    run.last = max(run.last, last)
    rejected = w.ledger.rejected_by
    lost = next((entry for entry in w.lost_ends if entry[0] == "run"), None)
    cause = rejected.key if rejected is not None else lost[3].key if lost is not None else None
    inside = "in the middle of an event, " if cut else ""
    w.find(
        cell.rule,
        f"the stream ends {inside}before run {quoted(run.run_id)} has finished",
        (
            f"It was started at #{w.run_opened}, and neither `RUN_FINISHED` nor `RUN_ERROR` came. "
            if lost is None
            else f"#{lost[2]} should have ended it, but a client cannot use that event: {lost[3].title}. "
        )
        + "The run has no outcome: it is not a success, whatever a client shows.",
        reason="never-closed" if lost is None else "end-lost",
        item=("run", run.run_id or ""),
        related=((w.run_opened, "opened"),)
        if lost is None
        else ((w.run_opened, "opened"), (lost[2], "expected")),
        cause=cause,
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
        why = "A stream opens with `RUN_STARTED`, or with `RUN_ERROR` when nothing could start."
    w.started_late = w.find("AGUI-RUN-01", f"`{w.type}` comes before any run has started", why,
                            reason=reason, related=related, cause=cause, item=("run", ""))  # fmt: skip


def _after_end(w: World, rule: str) -> None:
    at, name = w.run_ended or (w.run_opened, "RUN_FINISHED")
    verb = "finished" if rule == "AGUI-RUN-03" else "failed"
    legal = "`RUN_STARTED` or `RUN_ERROR`" if rule == "AGUI-RUN-03" else "`RUN_STARTED`"
    second = "a second " if w.type == name else ""
    w.find(
        rule,
        f"{second}`{w.type}` comes after the run has {verb}",
        f"`{name}` at #{at} ended the run. After it only {legal} may come.",
        reason="run-ended" if rule == "AGUI-RUN-03" else "run-failed",
        cause=None if w.nested is None else w.nested.key,
        item=("run", _run_id(w)),
        related=((at, "closed"),),
    )


def _check_closed(w: World) -> None:
    """Nothing may be open when a run finishes, whatever its outcome. One finding a kind and lane."""
    left: dict[tuple[str, str | None, str | None], list[Item]] = {}
    for item in list(w.open_items()):
        cell = _FINISH[item.kind][table_state(item)]
        if cell.rule is not None:
            key = (item.lane, item.id) if item.kind == "step" else item.id
            late = w.late.get((item.kind, key))
            left.setdefault((cell.rule, item.lane, None if late is None else late.key), []).append(item)
        item.state = cell.next
    for (rule, lane, cause), found in left.items():
        why = explain.never_closed(w, found)
        kind = found[0].kind
        owner = f" of {who(lane)}" if lane is not None and kind != "subagent" else ""
        be = "is" if len(found) == 1 else "are"
        w.find(
            rule,
            f"the run finishes while {_listed(found)}{owner} {be} still {'active' if kind == 'subagent' else 'open'}",
            why.text,
            reason=why.reason,
            lane=lane,
            item=(kind, found[0].id),
            related=why.related[:MAX_RELATED],
            cause=why.cause or cause,
            count=len(found),
        )


def _listed(found: list[Item]) -> str:
    """The items of one kind that are left, in a sentence."""
    kind = found[0].kind
    if kind == "subagent":
        return explain.listed([invocation(item) for item in found])
    if kind == "tool" or len(found) == 1:
        return explain.listed([named(kind, item.id, item) for item in found])
    return f"{NOUNS[kind]}s {explain.listed([quoted(item.id) for item in found])}"


def _abandon(w: World) -> None:
    """A run that failed, or was run over by another, leaves its open items open for ever."""
    for item in w.open_items():
        item.state = _ABANDON[item.kind][table_state(item)].next


def table_state(item: Item) -> str:
    """The item's state as its table names it."""
    return "active" if item.kind == "subagent" and item.state == "open" else item.state
