"""Steps and subagent invocations.

Rules of this file: the tables decide; here their findings are worded. A step's key is (tag, name), so an untagged
finish does not close a tagged step. Source: events/lifecycle#steps, events/subagents#lifecycle.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import explain, mistaken, untagged
from webapp.core.agui.tables import STEP, SUBAGENT
from webapp.core.agui.world import World, quoted, who
from webapp.core.records import Item

_STEP_START, _STEP_END = STEP.columns["start"], STEP.columns["end"]
_SUB_START, _SUB_END = SUBAGENT.columns["start"], SUBAGENT.columns["end"]


def step_started(w: World, ev: e.StepStarted) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    key = (tag, ev.stepName)
    item = w.items["step"].get(key)
    cell = _STEP_START["never" if item is None else item.state]
    if cell.rule is not None and item is not None:
        why = explain.still_open(w, item, chunk=False)
        twice = w.find(cell.rule, f"step {quoted(ev.stepName)} is started again while it is open", why.text,
               reason=why.reason, related=why.related, cause=why.cause, lane=tag,
               item=("step", ev.stepName))  # fmt: skip
        if why.reason == "end-lost":
            w.reopen(item)  # the lost end was meant to close it, and closes it once
        elif twice is not None:
            w.mixed["step", key] = twice
        item.last = w.seq
        return item
    _opens_late(w, "step", key, ev.stepName)
    w.facts.astray.pop(key, None)
    item = w.open("step", key, ev.stepName, tag, cell.next)
    item.name = ev.stepName
    return item


def step_finished(w: World, ev: e.StepFinished) -> Item:
    tag = None if ev.subagentRunId is UNSET else ev.subagentRunId
    key = (tag, ev.stepName)
    item = w.items["step"].get(key)
    state = "never" if item is None else item.state
    holder: Item | None = None
    if state != "open" and not (item is None and w.headless):
        holder = w.opened.step(ev.stepName)
        state = "elsewhere" if holder is not None else state
    cell = _STEP_END[state]
    if item is not None and (cell.rule is None or w.facts.astray.pop(key, None) is not None):
        w.close(item)  # or the right finish, after one of another owner has been taken for it
        return item
    if holder is not None:
        at = explain.last_opening(holder)
        astray = w.find(
            cell.rule or "",
            f"step {quoted(ev.stepName)} of {who(holder.lane)} is finished as a step of {who(tag)}",
            f"#{at} started it. A step’s finish carries exactly the tag of its start; without one it is "
            "the parent agent’s.",
            reason="other-owner",
            cause=untagged.cause(w, ev.stepName, tag),
            related=((holder.first if at is None else at, "opened"),),
            lane=tag,
            item=("step", ev.stepName),
        )
        w.close(holder)
        if astray is not None:
            w.facts.astray[holder.lane, ev.stepName] = astray
        return holder
    why = _second_end(w, "step", key, explain.not_open(w, "step", key, ev.stepName))
    begun = item is None and why.cause is None and w.unseen(cell.rule or "")
    finding = None if begun else w.find(
        cell.rule or "", f"step {quoted(ev.stepName)} finishes, but it is not open", why.text, reason=why.reason,
        related=why.related, cause=why.cause, lane=tag, item=("step", ev.stepName),
    )  # fmt: skip
    item = w.open("step", key, ev.stepName, tag, cell.next) if item is None else item
    item.name = ev.stepName
    item.last = w.seq
    if item.closed is None:
        item.closed = w.seq
    mistaken.noted(w, "step", tag, why, finding, ends=True)
    if finding is not None:
        w.orphans["step", key] = finding
    return item


def subagent_started(w: World, ev: e.SubagentStarted) -> Item:
    id_ = ev.subagentRunId
    item = w.items["subagent"].get(id_)
    state = _invocation(item)
    cell = _SUB_START[state]
    title = f"subagent {quoted(id_)} is announced again"
    if cell.rule == "AGUI-SUB-02" and item is not None:
        why = explain.still_open(w, item, chunk=False)
        twice = w.find(cell.rule, f"{title} while it is active", why.text, reason=why.reason, related=why.related,
               cause=why.cause, lane=id_, item=("subagent", id_))  # fmt: skip
        if twice is not None and why.reason != "end-lost":
            w.mixed["subagent", id_] = twice
    elif cell.rule is not None and item is not None:
        why = explain.closed_why(w, item)
        w.find(cell.rule, f"{title} in the run that has already ended it", f"{why.text} Every invocation needs an id "
               "of its own.", reason=why.reason, related=why.related, lane=id_, item=("subagent", id_))  # fmt: skip
    seen = w.tags.get(id_)
    if not _opens_late(w, "subagent", id_, id_) and seen is not None and state == "unannounced":
        w.find("AGUI-SUB-01", f"subagent {quoted(id_)} is announced only after it has begun to speak",
               f"#{seen} is already tagged with it. An announcement comes before anything attributed to it.",
               reason="opens-later", related=((seen, "previous"),), lane=id_, item=("subagent", id_))  # fmt: skip
    parent = ev.parentSubagentRunId
    if parent is not UNSET:
        _check_parent(w, id_, parent)
    item = w.open("subagent", id_, id_, id_, "open")
    item.name = ev.name
    item.parent = None if parent is UNSET else parent
    return item


def subagent_ended(w: World, ev: e.SubagentFinished | e.SubagentError) -> Item:
    id_ = ev.subagentRunId
    item = w.items["subagent"].get(id_)
    state = _invocation(item)
    cell = _SUB_END[state]
    if cell.rule is not None:
        why = _second_end(w, "subagent", id_, explain.not_open(w, "subagent", id_, id_))
        if why.reason == "never-opened":
            why = why._replace(text="An invocation has both an announcement and an end, or neither.")
        title = (
            "ends a second time"
            if item is not None and (item.opened is not None or explain.begun_before(w, item))
            else "ends, but this run has not announced it"
        )
        begun = item is None and why.cause is None and w.unseen(cell.rule)
        finding = None if begun else w.find(cell.rule, f"subagent {quoted(id_)} {title}", why.text, reason=why.reason,
                         related=why.related, cause=why.cause, lane=id_, item=("subagent", id_))  # fmt: skip
        if item is None:
            mistaken.noted(w, "subagent", None, why, finding, ends=True)
            item = w.open("subagent", id_, id_, id_, "closed")
            item.closed = w.seq
            if finding is not None:
                w.orphans["subagent", id_] = finding
        item.last = w.seq
        return item
    assert item is not None  # only an existing invocation is active
    w.close(item)
    return item


def invocation(item: Item) -> str:
    """How a title names an invocation: by its name and the id that tags carry."""
    return f"subagent {quoted(item.id)}" if item.name in (None, "", item.id) else (
        f"subagent {quoted(item.name)} ({quoted(item.id)})")  # fmt: skip


def check_tag(w: World, tag: str) -> None:
    """An attributed event comes after its invocation's end (SUB-13)."""
    item = w.items["subagent"].get(tag)
    if item is not None and item.state == "closed" and item.opened is not None:
        shown = w.facts.ended_early.get(tag)
        finding = w.find(
            "AGUI-SUB-13",
            f"`{w.type}` is tagged with {invocation(item)}, which has already ended",
            f"It ended at #{item.closed}. Clients accept what comes later, but the end was sent too early.",
            reason="own-end",
            related=((item.closed or item.last, "closed"),),
            cause=shown.key if shown is not None and shown.rule != "AGUI-SUB-13" else None,
            lane=tag,
            item=("subagent", tag),
        )
        if finding is not None:
            w.facts.ended_early.setdefault(tag, finding)


def _second_end(w: World, kind: str, key: Any, why: explain.Why) -> explain.Why:
    """A second end follows from a second start, where there was one."""
    twice = w.mixed.get((kind, key)) if why.reason == "own-end" else None
    return why if twice is None else why._replace(cause=twice.key)


def _invocation(item: Item | None) -> str:
    if item is None or item.opened is None:
        return "unannounced"
    return "active" if item.state == "open" else item.state


def _check_parent(w: World, id_: str, parent: str) -> None:
    known = w.items["subagent"].get(parent)
    if known is not None and parent != id_ and known.opened is not None:
        return
    if parent == id_:
        reason, text = "never-opened", "A parent is another invocation, announced before its children."
        related: tuple[tuple[int, str], ...] = ()
        cause: Any = None
    else:
        why = explain.not_open(w, "subagent", parent, parent, quoted(parent))
        reason, text, related, cause = why.reason, why.text, why.related, why.cause
        if reason == "never-opened":
            text = "A parent is announced before its children, in the same run."
    if parent != id_ and known is None and cause is None and w.unseen("AGUI-SUB-06"):
        return
    title = f"subagent {quoted(id_)} names {quoted(parent)} as its parent, which this run has not announced"
    if parent == id_:
        title = f"subagent {quoted(id_)} names itself as its parent"
    finding = w.find("AGUI-SUB-06", title, text, reason=reason, related=related, cause=cause, lane=id_,
                     item=("subagent", id_))  # fmt: skip
    if finding is not None and parent != id_:
        w.orphans.setdefault(("subagent", parent), finding)


def _opens_late(w: World, kind: str, key: Any, id_: str) -> bool:
    """Whether something has already missed this opener; its finding then learns that it comes after all."""
    orphan = w.orphans.pop((kind, key), None)
    if orphan is None:
        return False
    if orphan.rule != "AGUI-SUB-06":
        w.late[kind, key] = orphan
    named = orphan.rule == "AGUI-SUB-06" or (orphan.item is not None and orphan.item.id == id_)
    if orphan.reason == "never-opened" and named:
        w.ledger.amend(orphan, reason="opens-later", why=explain.opens_later(w, kind), place=(w.seq, "later"))
    else:
        w.ledger.amend(orphan, place=(w.seq, "later"))
    return True
