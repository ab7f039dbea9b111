"""Who is who: run and thread ids at both ends of a run, the request's ids, the declared version.

Rules of this file: comparisons of ids and versions and the words of their findings; it moves no state.
Source: basic/run-input#identity, basic/versioning#version-negotiation.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Run

NEWEST = (1, 1)
ONE_THREAD = "All runs of one stream belong to one thread. Clients reject this from the next version on."
_VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")


def check_request(w: World, asked: dict[str, Any] | None) -> None:
    """RUN-09 and RUN-10 against the recorded request, once the last run is known."""
    if asked is None or not w.runs:
        return
    thread, run_id = (
        given if isinstance(given := asked.get(name), str) else None for name in ("threadId", "runId")
    )
    *earlier, last = [run for run in w.runs if run.run_id is not None] or [w.runs[-1]]
    first_thread = w.runs[0].thread_id
    for run in earlier:
        if thread is not None and run.thread_id not in (None, thread) and run.thread_id == first_thread:
            title = f"run {quoted(run.run_id)} is on thread {quoted(run.thread_id)}, but the request was for "
            _at(w, run, "AGUI-RUN-09", f"{title}{quoted(thread)}", ONE_THREAD)
    wrong = []
    if last.thread_id and thread is not None and last.thread_id != thread:
        wrong.append(f"thread {quoted(last.thread_id)} instead of {quoted(thread)}")
    if last.run_id and run_id is not None and last.run_id != run_id:
        wrong.append(f"run {quoted(last.run_id)} instead of {quoted(run_id)}")
    if wrong:
        cut = w.cut.get(run_id)  # the run that was asked for is in the trace, and another started inside it
        title = f"the run answers with {' and '.join(wrong)}, the ids of the request"
        _at(w, last, "AGUI-RUN-10", title, cause=None if cut is None else cut.key)


# ── details ──────────────────────────────────────────────────


def check_start(w: World, ev: e.RunStarted, run: Run) -> None:
    first = w.runs[0]
    if run is not first and first.thread_id and run.thread_id and run.thread_id != first.thread_id:
        w.find(
            "AGUI-RUN-09",
            f"run {quoted(run.run_id)} is on thread {quoted(run.thread_id)}, the first run is on "
            f"{quoted(first.thread_id)}",
            ONE_THREAD,
            item=("run", ev.runId),
            related=((first.first, "previous"),),
            cause=w.cut_by(None),
        )
    echo = ev.input
    if echo is not UNSET and (echo.threadId != ev.threadId or echo.runId != ev.runId):
        w.find(
            "AGUI-RUN-10",
            f"run {quoted(ev.runId)} echoes an input with other ids ({quoted(echo.threadId)}, {quoted(echo.runId)})",
            item=("run", ev.runId),
        )


def check_reuse(w: World, ev: e.RunStarted) -> None:
    """RUN-11: a run id that an earlier run of this thread has used; a nested start has been found already."""
    if not ev.runId:
        return
    before = w.trace.run_ids.setdefault((ev.threadId, ev.runId), w.seq)
    if before != w.seq and w.nested is None:
        w.find("AGUI-RUN-11", f"run {quoted(ev.runId)} has the id of an earlier run of its thread",
               f"#{before} started that one. What belongs to which of the two cannot be told apart later.",
               item=("run", ev.runId), related=((before, "previous"),))  # fmt: skip


def check_finish(w: World, ev: e.RunFinished, run: Run) -> None:
    opened = ((w.run_opened, "opened"),)
    if run.run_id and ev.runId and ev.runId != run.run_id:
        w.find("AGUI-RUN-07", f"the run finishes as {quoted(ev.runId)}, but it started as {quoted(run.run_id)}",
               "Both boundary events of a run carry the same `runId`. Clients reject this from the next version on.",
               item=("run", run.run_id), related=opened,
               cause=w.cut_by(ev.runId))  # fmt: skip
    if run.thread_id and ev.threadId and ev.threadId != run.thread_id:
        w.find("AGUI-RUN-08", f"the run finishes on thread {quoted(ev.threadId)}, but it started on "
               f"{quoted(run.thread_id)}",
               "Both boundary events of a run carry the same `threadId`. Clients reject this from the next version on.",
               item=("run", run.run_id or ""), related=opened,
               cause=w.cut_by(ev.runId))  # fmt: skip


def check_version(w: World, declared: Any) -> None:
    """What a run says it speaks; never a reason to reject."""
    run_id = (w.run.run_id if w.run is not None else None) or ""
    if declared is UNSET:
        return
    if w.version is None:
        w.version = declared
    if not _VERSION.fullmatch(declared):
        w.find("AGUI-VER-03", f"the run declares protocol version {quoted(declared)}, which is not `MAJOR.MINOR`",
               "A client goes on as if it were a newer version.", item=("run", run_id))  # fmt: skip
    elif tuple(map(int, declared.split("."))) > NEWEST:
        w.find("AGUI-VER-02", f"the run declares protocol version {quoted(declared)}, newer than 1.1",
               "A client goes on and drops what it does not know.", item=("run", run_id))  # fmt: skip


def _at(w: World, run: Run, rule: str, title: str, why: str = "", cause: str | None = None) -> None:
    w.ledger.add(rule, run.first, title, why, run=run.run, item=("run", run.run_id or ""), cause=cause)
