"""The state tables of AG-UI: run, streamed item, step, subagent invocation, and who closes chunk streams.

Rules of this file: tables only; every cell is written out. Source: specification section 3 of this project's rules
(events/lifecycle, basic/patterns/streaming, events/subagents). Recovery states are ours.
"""

from __future__ import annotations

from webapp.core.machine import Cell, Table

# ── run ──────────────────────────────────────────────────────
# `assumed`: events came before any start; judged as if a run were open, so that the missing start is one finding.
RUN = Table(
    "run",
    ("start", "active", "assumed", "closed", "failed"),
    ("started", "finished", "error", "other", "eof"),
    {
        ("start", "started"): Cell("active"),
        ("start", "finished"): Cell("closed", "AGUI-RUN-01"),
        ("start", "error"): Cell("failed"),
        ("start", "other"): Cell("assumed", "AGUI-RUN-01"),
        ("start", "eof"): Cell("start"),
        ("active", "started"): Cell("active", "AGUI-RUN-02"),
        ("active", "finished"): Cell("closed"),
        ("active", "error"): Cell("failed"),
        ("active", "other"): Cell("active"),
        ("active", "eof"): Cell("active", "AGUI-TRN-10"),
        ("assumed", "started"): Cell("active"),
        ("assumed", "finished"): Cell("closed"),
        ("assumed", "error"): Cell("failed"),
        ("assumed", "other"): Cell("assumed"),
        ("assumed", "eof"): Cell("assumed"),
        ("closed", "started"): Cell("active"),
        ("closed", "finished"): Cell("closed", "AGUI-RUN-03"),
        ("closed", "error"): Cell("failed", "AGUI-RUN-05"),
        ("closed", "other"): Cell("closed", "AGUI-RUN-03"),
        ("closed", "eof"): Cell("closed"),
        ("failed", "started"): Cell("active"),
        ("failed", "finished"): Cell("failed", "AGUI-RUN-04"),
        ("failed", "error"): Cell("failed", "AGUI-RUN-04"),
        ("failed", "other"): Cell("failed", "AGUI-RUN-04"),
        ("failed", "eof"): Cell("failed"),
    },
)

# ── streamed items ───────────────────────────────────────────
# `phantom`: never opened (or closed already), but content came for it; what follows of it is not another finding.
# `abandoned`: the run ended while it was open; as good as closed to whatever still comes.
ITEM_STATES = ("never", "open", "phantom", "closed", "abandoned")
ITEM_INPUTS = ("start", "content", "end", "finish", "abandon")


def _item(name: str, start: str, content: str, end: str, finish: str) -> Table:
    """The table of 3.2 with one kind's rule ids."""
    return Table(
        name,
        ITEM_STATES,
        ITEM_INPUTS,
        {
            ("never", "start"): Cell("open"),
            ("never", "content"): Cell("phantom", content),
            ("never", "end"): Cell("closed", end),
            ("never", "finish"): Cell("never"),
            ("never", "abandon"): Cell("never"),
            ("open", "start"): Cell("open", start),
            ("open", "content"): Cell("open"),
            ("open", "end"): Cell("closed"),
            ("open", "finish"): Cell("abandoned", finish),
            ("open", "abandon"): Cell("abandoned"),
            ("phantom", "start"): Cell("open"),
            ("phantom", "content"): Cell("phantom"),
            ("phantom", "end"): Cell("closed"),
            ("phantom", "finish"): Cell("abandoned"),
            ("phantom", "abandon"): Cell("abandoned"),
            ("closed", "start"): Cell("open"),
            ("closed", "content"): Cell("phantom", content),
            ("closed", "end"): Cell("closed", end),
            ("closed", "finish"): Cell("closed"),
            ("closed", "abandon"): Cell("closed"),
            ("abandoned", "start"): Cell("open"),
            ("abandoned", "content"): Cell("phantom", content),
            ("abandoned", "end"): Cell("closed", end),
            ("abandoned", "finish"): Cell("abandoned"),
            ("abandoned", "abandon"): Cell("abandoned"),
        },
    )


ITEM = {
    "text": _item("text", "AGUI-TXT-01", "AGUI-TXT-02", "AGUI-TXT-03", "AGUI-TXT-04"),
    "tool": _item("tool", "AGUI-TOL-01", "AGUI-TOL-02", "AGUI-TOL-03", "AGUI-TOL-04"),
    "reasoning": _item("reasoning", "AGUI-RSN-04", "AGUI-RSN-05", "AGUI-RSN-06", "AGUI-RSN-07"),
}

# A span has no content: its table is the item's without that column.
SPAN = Table(
    "span",
    ("never", "open", "closed", "abandoned"),
    ("start", "end", "finish", "abandon"),
    {
        ("never", "start"): Cell("open"),
        ("never", "end"): Cell("closed", "AGUI-RSN-02"),
        ("never", "finish"): Cell("never"),
        ("never", "abandon"): Cell("never"),
        ("open", "start"): Cell("open", "AGUI-RSN-01"),
        ("open", "end"): Cell("closed"),
        ("open", "finish"): Cell("abandoned", "AGUI-RSN-03"),
        ("open", "abandon"): Cell("abandoned"),
        ("closed", "start"): Cell("open"),
        ("closed", "end"): Cell("closed", "AGUI-RSN-02"),
        ("closed", "finish"): Cell("closed"),
        ("closed", "abandon"): Cell("closed"),
        ("abandoned", "start"): Cell("open"),
        ("abandoned", "end"): Cell("closed", "AGUI-RSN-02"),
        ("abandoned", "finish"): Cell("abandoned"),
        ("abandoned", "abandon"): Cell("abandoned"),
    },
)

# ── steps, keyed by (tag, name) ──────────────────────────────
# `elsewhere`: not open under this tag, but the name is open under another one.
STEP = Table(
    "step",
    ("never", "open", "closed", "elsewhere", "abandoned"),
    ("start", "end", "finish", "abandon"),
    {
        ("never", "start"): Cell("open"),
        ("never", "end"): Cell("closed", "AGUI-STP-02"),
        ("never", "finish"): Cell("never"),
        ("never", "abandon"): Cell("never"),
        ("open", "start"): Cell("open", "AGUI-STP-01"),
        ("open", "end"): Cell("closed"),
        ("open", "finish"): Cell("abandoned", "AGUI-STP-04"),
        ("open", "abandon"): Cell("abandoned"),
        ("closed", "start"): Cell("open"),
        ("closed", "end"): Cell("closed", "AGUI-STP-02"),
        ("closed", "finish"): Cell("closed"),
        ("closed", "abandon"): Cell("closed"),
        ("elsewhere", "start"): Cell("open"),
        ("elsewhere", "end"): Cell("closed", "AGUI-STP-03"),
        ("elsewhere", "finish"): Cell("elsewhere"),
        ("elsewhere", "abandon"): Cell("elsewhere"),
        ("abandoned", "start"): Cell("open"),
        ("abandoned", "end"): Cell("closed", "AGUI-STP-02"),
        ("abandoned", "finish"): Cell("abandoned"),
        ("abandoned", "abandon"): Cell("abandoned"),
    },
)

# ── subagent invocations ─────────────────────────────────────
SUBAGENT = Table(
    "subagent",
    ("unannounced", "active", "closed", "abandoned"),
    ("start", "end", "finish", "abandon"),
    {
        ("unannounced", "start"): Cell("active"),
        ("unannounced", "end"): Cell("closed", "AGUI-SUB-04"),
        ("unannounced", "finish"): Cell("unannounced"),
        ("unannounced", "abandon"): Cell("unannounced"),
        ("active", "start"): Cell("active", "AGUI-SUB-02"),
        ("active", "end"): Cell("closed"),
        ("active", "finish"): Cell("abandoned", "AGUI-SUB-05"),
        ("active", "abandon"): Cell("abandoned"),
        ("closed", "start"): Cell("active", "AGUI-SUB-03"),
        ("closed", "end"): Cell("closed", "AGUI-SUB-04"),
        ("closed", "finish"): Cell("closed"),
        ("closed", "abandon"): Cell("closed"),
        ("abandoned", "start"): Cell("active"),
        ("abandoned", "end"): Cell("closed", "AGUI-SUB-04"),
        ("abandoned", "finish"): Cell("abandoned"),
        ("abandoned", "abandon"): Cell("abandoned"),
    },
)

TABLES = (RUN, *ITEM.values(), SPAN, STEP, SUBAGENT)

# ── which chunk streams an event ends (section 3.6) ──────────
# own: the stream of the event's raw tag · all: every lane's · sub: the named invocation's · none · chunk: see chunks.py
CLOSES = {
    "RUN_STARTED": "all",
    "RUN_FINISHED": "all",
    "RUN_ERROR": "all",
    "MESSAGES_SNAPSHOT": "all",
    "STEP_STARTED": "own",
    "STEP_FINISHED": "own",
    "TEXT_MESSAGE_START": "own",
    "TEXT_MESSAGE_CONTENT": "own",
    "TEXT_MESSAGE_END": "own",
    "TOOL_CALL_START": "own",
    "TOOL_CALL_ARGS": "own",
    "TOOL_CALL_END": "own",
    "TOOL_CALL_RESULT": "own",
    "REASONING_START": "own",
    "REASONING_END": "own",
    "REASONING_MESSAGE_START": "own",
    "REASONING_MESSAGE_CONTENT": "own",
    "REASONING_MESSAGE_END": "own",
    "STATE_SNAPSHOT": "own",
    "STATE_DELTA": "own",
    "CUSTOM": "own",
    "SUBAGENT_FINISHED": "sub",
    "SUBAGENT_ERROR": "sub",
    "SUBAGENT_STARTED": "none",
    "RAW": "none",
    "ACTIVITY_SNAPSHOT": "none",
    "ACTIVITY_DELTA": "none",
    "REASONING_ENCRYPTED_VALUE": "none",
    "TEXT_MESSAGE_CHUNK": "chunk",
    "TOOL_CALL_CHUNK": "chunk",
    "REASONING_MESSAGE_CHUNK": "chunk",
}
