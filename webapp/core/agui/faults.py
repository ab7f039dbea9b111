"""Faults of shape become findings.

Rules of this file: it words nothing about shapes (the faults bring their words); it places them, and remembers
openers that a client will not get, so that what follows is folded under them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from webapp.core.agui import passthrough
from webapp.core.agui.decode import FRAGMENT
from webapp.core.agui.enforce import Slow
from webapp.core.agui.lost import Lost
from webapp.core.agui.world import World
from webapp.core.findings import Finding

_INDEX = re.compile(r"\[\d+\]")
_ONE_FAMILY = ("AGUI-CMP-01",)  # one defect whatever the event type
# normalised type -> (kind, id field): openers whose loss explains later orphans
_OPENERS = {
    "TEXTMESSAGESTART": ("text", "messageId"),
    "TOOLCALLSTART": ("tool", "toolCallId"),
    "REASONINGMESSAGESTART": ("reasoning", "messageId"),
    "REASONINGSTART": ("span", "messageId"),
    "STEPSTARTED": ("step", "stepName"),
    "SUBAGENTSTARTED": ("subagent", "subagentRunId"),
    "ACTIVITYSNAPSHOT": ("activity", "messageId"),
    "RUNSTARTED": ("run", "runId"),
}
# closers whose loss explains what stays open
_CLOSERS = {
    "TEXTMESSAGEEND": ("text", "messageId"),
    "TOOLCALLEND": ("tool", "toolCallId"),
    "REASONINGMESSAGEEND": ("reasoning", "messageId"),
    "REASONINGEND": ("span", "messageId"),
    "STEPFINISHED": ("step", "stepName"),
    "SUBAGENTFINISHED": ("subagent", "subagentRunId"),
    "SUBAGENTERROR": ("subagent", "subagentRunId"),
    "RUNFINISHED": ("run", "runId"),
    "RUNERROR": ("run", "runId"),
}
_PIECES = {"TOOLCALLARGS": ("tool", "toolCallId")}
_RESULTS = {"TOOLCALLRESULT": ("tool", "toolCallId")}
_STATE = {"STATESNAPSHOT": ("state", ""), "STATEDELTA": ("state", "")}
_CHUNKS = {
    "TEXTMESSAGECHUNK": ("text", "messageId"),
    "TOOLCALLCHUNK": ("tool", "toolCallId"),
    "REASONINGMESSAGECHUNK": ("reasoning", "messageId"),
}
_ROLES = {
    "opener": _OPENERS | _CHUNKS,
    "closer": _CLOSERS,
    "piece": _PIECES | _CHUNKS,
    "result": _RESULTS,
    "state": _STATE,
}
# members that say what an event is about: what the judges find on it may follow from their fault
_SUBJECT = re.compile(r"\$\.(\w+(Id|_id)|delta|stepName|toolCallName)")


def report_faults(w: World, slow: Slow, raw: bytes, *, sse: bool) -> bool:
    """One finding a fault. Returns whether the judges must stay silent about this event (CMP-03 has said it)."""
    first: Finding | None = None
    spelling: Finding | None = None  # the first member in snake_case: the others are the same habit
    subject: Finding | None = None
    value = _object(raw) if slow.kind in ("dropped", "malformed") else None
    lane = _text(value, "subagentRunId")
    torn = None
    if slow.kind == "undecodable" and w.torn is not None and w.torn[0] == w.seq - 1:
        torn = w.torn[1]
        w.torn = (w.seq, torn)
    for fault in slow.faults:
        snake = fault.label == "AGUI-ENV-16"
        cut = fault.rule == "AGUI-TRN-02" and not sse and fault.title == FRAGMENT
        finding = w.find(
            "AGUI-TRN-03" if fault.rule == "AGUI-TRN-02" and not sse else fault.rule,
            fault.title,
            fault.why,
            reason="cut-short" if cut else None,
            label=fault.label,
            lane=lane,
            path=f"{'' if fault.rule in _ONE_FAMILY else slow.type}{_INDEX.sub('[]', fault.path or '')}",
            cause=spelling.key if snake and spelling is not None else None if torn is None else torn.key,
        )
        if cut and finding is not None:
            finding.party = "capture"  # lines are how a recording is kept, not how an agent sends
        first = first or finding
        if torn is None and finding is not None and fault.rule == "AGUI-TRN-02":
            w.torn = (w.seq, finding)  # the rest of a torn event is in the records that follow
        spelling = spelling or (finding if snake else None)
        if (slow.kind == "malformed" or snake) and _SUBJECT.fullmatch(fault.path or ""):
            subject = subject or finding
    if slow.kind == "dropped":
        passthrough.dropped(w, value, first)
    w.spoiler = subject if slow.event is not None else None
    if first is not None and slow.kind != "undecodable" and (slow.event is None or subject is not None):
        name = _letters(slow.type or "")
        for role, table in _ROLES.items():
            if name in table and (slow.event is None or name in _CHUNKS):
                kind, id_field = table[name]
                w.lost.add(Lost(role, kind, _text(value, id_field), w.seq, first))
    return any(fault.rule == "AGUI-CMP-03" for fault in slow.faults)


def _letters(name: str) -> str:
    return "".join(ch for ch in name.rsplit(".", 1)[-1] if ch.isalnum()).upper()


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: dict[str, Any] | None, key: str) -> str | None:
    found = None if value is None else value.get(key)
    if found is None and value is not None:
        found = value.get(re.sub(r"(?<!^)([A-Z])", lambda m: "_" + m.group(1).lower(), key))
    return found if isinstance(found, str) else None
