"""Faults of shape become findings.

Rules of this file: it words nothing about shapes (the faults bring their words); it places them, and remembers
openers that a client will not get, so that what follows is folded under them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from webapp.core.agui import cuts, passthrough, untagged
from webapp.core.agui.blame import Fault
from webapp.core.agui.decode import FRAGMENT
from webapp.core.agui.enforce import Slow
from webapp.core.agui.legible import legible
from webapp.core.agui.lost import Lost
from webapp.core.agui.world import World
from webapp.core.findings import Finding

_INDEX = re.compile(r"\[\d+\]")
_ANYWHERE = (
    "AGUI-CMP-01",
    "AGUI-ENV-02",
)  # one defect whatever the event type: retired shapes, members nobody knows
_NAMELESS = ("AGUI-ENV-01", "AGUI-TRN-05")  # of no known type, so the path says all there is
_PREFIX = re.compile(r"[\w.]*\.")  # of an enum, printed with its name
_Table = dict[str, tuple[str, str]]
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
_PATCHES = {"ACTIVITYDELTA": ("activity", "messageId")}
_RESULTS = {"TOOLCALLRESULT": ("tool", "toolCallId")}
_STATE = {"STATESNAPSHOT": ("state", ""), "STATEDELTA": ("state", "")}
_CHUNKS = {
    "TEXTMESSAGECHUNK": ("text", "messageId"),
    "TOOLCALLCHUNK": ("tool", "toolCallId"),
    "REASONINGMESSAGECHUNK": ("reasoning", "messageId"),
}
_ROLES: dict[str, _Table] = {
    "opener": _OPENERS | _CHUNKS,
    "closer": _CLOSERS,
    "piece": _PIECES | _CHUNKS | _PATCHES,
    "result": _RESULTS,
    "state": _STATE,
}
_CHUNK_ROLES: dict[str, _Table] = {
    "opener": _CHUNKS,
    "piece": _CHUNKS,
}  # that are followed, but as another item's
# members that say what an event is about: what the judges find on it may follow from their fault
_ENVELOPE = re.compile(r"\$\.(timestamp|rawEvent|metadata|subagentRunId)\b")
_ID = re.compile(r"\$\.\w+Id")
_SUBJECT = re.compile(r"\$\.(\w+(Id|_id|ID|id)|delta|stepName|toolCallName)")

# the same in another spelling, case and marks left out
_SUBJECTS = frozenset(
    {"messageid", "toolcallid", "toolcallname", "parentmessageid", "subagentrunid", "stepname"}
)


def report_faults(w: World, slow: Slow, raw: bytes, *, sse: bool) -> bool:
    """One finding a fault. Returns whether the judges must stay silent about this event (CMP-03 has said it)."""
    first: Finding | None = None
    subject: Finding | None = None
    operation: Finding | None = None
    value = _object(raw) if slow.kind in ("dropped", "malformed") else None
    lane = _text(value, "subagentRunId")
    torn = None
    if slow.kind == "undecodable" and w.torn is not None and w.torn[0] == w.seq - 1:
        torn = w.torn[1]
        w.torn = (w.seq, torn)
    for fault in slow.faults:
        path = _place(slow, fault)
        habit = _habit(slow, fault, path)
        root = w.trace.habits.get(habit)
        torn_off = fault.rule == "AGUI-TRN-02" and fault.title == FRAGMENT
        cut = not sse and (torn_off or (fault.rule == "AGUI-TRN-03" and _is_cut(raw)))
        finding = w.find(
            "AGUI-TRN-03" if fault.rule == "AGUI-TRN-02" and not sse else fault.rule,
            fault.title,
            f"{fault.why} {cuts.marked(raw)}".strip() if cut or torn_off else fault.why,
            severity=fault.severity,
            reason="cut-short" if cut else None,
            label=fault.label,
            lane=lane,
            path=path,
            cause=_cause(root, f"{fault.rule} {path}", lane, torn),
            party="capture" if cut else None,  # lines are how a recording is kept, not how an agent sends
        )
        first = first or finding
        if cut and finding is not None:
            cuts.counted(w, finding, raw)
        if torn is None and finding is not None and fault.rule == "AGUI-TRN-02":
            w.torn = (w.seq, finding)  # the rest of a torn event is in the records that follow
        if habit and root is None and finding is not None:
            w.trace.habits[habit] = (f"{fault.rule} {path}", finding)
        if _on_subject(slow, fault):
            subject = subject or finding
        if finding is not None and slow.event is not None and untagged.is_tag(fault):
            untagged.noted(w, slow.type or "", _object(raw), finding)
        if fault.rule == "AGUI-CMP-01" and slow.event is not None:
            w.trace.retired.add(slow.event.messageId)
        if fault.rule == "AGUI-CMP-03" and finding is not None:
            kind = "reasoning" if "TEXT_MESSAGE" in (slow.type or "") else "span"
            w.facts.overlapped.setdefault(kind, finding)
        if fault.rule == "AGUI-STA-03":
            operation = operation or finding
    if slow.kind == "dropped":
        passthrough.dropped(w, value, first)
    w.spoiler = subject if slow.event is not None else None
    if first is not None and slow.kind == "undecodable":
        for members in legible(raw):
            _remember(w, members["type"], members, first, _ROLES)
    elif first is not None and slow.event is None:
        _remember(w, slow.type or "", value, first, _ROLES)
    elif subject is not None:
        _remember(w, slow.type or "", value, subject, _CHUNK_ROLES)
    elif operation is not None:  # a client leaves it out and applies the rest
        _remember(w, slow.type or "", slow.wire, operation, _ROLES)
    return any(fault.rule == "AGUI-CMP-03" for fault in slow.faults)


def _on_subject(slow: Slow, fault: Fault) -> bool:
    """Whether a client gets the event without what it is about, or about something else."""
    path = fault.path or ""
    if fault.habit and "".join(ch for ch in path if ch.isalnum()).lower() in _SUBJECTS:
        return True
    return (slow.kind == "malformed" or fault.habit != "") and _SUBJECT.fullmatch(path) is not None


def _is_cut(raw: bytes) -> bool:
    """Whether a record that does not parse begins like an event and ends in marks of what was left out."""
    return raw.lstrip()[:1] == b"{" and cuts.mark(raw) is not None


def _place(slow: Slow, fault: Fault) -> str:
    """What makes two faults one defect: the member and the type of its event; of members that mean the same in every
    event, the member alone, and what is wrong with it."""
    path = _INDEX.sub("[]", fault.path or "")
    if fault.rule in _ANYWHERE or _ENVELOPE.match(path) or fault.habit:
        return path
    what = fault.title.partition(" is ")[2]
    if _ID.fullmatch(path) and what and what != "missing":
        return f"{path} {what}"
    return f"{slow.type}{path}"


def _habit(slow: Slow, fault: Fault, path: str) -> str:
    """The habit that a fault shows, "" when it is about something else: one habit is one defect, in whatever lane.

    That is a way of spelling, a type nobody knows, or a member that is wrong alike whatever event carries it.
    """
    if fault.habit:
        return fault.habit
    if fault.label != "AGUI-ENV-17" or not slow.type:
        anywhere = slow.type is not None and not path.startswith(f"{slow.type}$")
        return f"{fault.rule} {path}" if anywhere or fault.rule in _NAMELESS else ""
    bare = _PREFIX.sub("", slow.type)
    case = (
        "upper"
        if bare.isupper()
        else "lower"
        if bare.islower()
        else "Mixed"
        if bare[:1].isupper()
        else "mixed"
    )
    marks = "".join(sorted({ch for ch in bare if not ch.isalnum()}))
    return f"type {case} {marks} {bare != slow.type}"


def _cause(root: tuple[str, Finding] | None, own: str, lane: str | None, torn: Finding | None) -> str | None:
    """The first place of the same habit, or of the same torn event; a fault is no consequence of itself."""
    if root is not None:
        return None if root[0] == own and root[1].lane == lane else root[1].key
    return None if torn is None else torn.key


def _remember(
    w: World, name: str, value: Mapping[str, Any] | None, finding: Finding, roles: Mapping[str, _Table]
) -> None:
    """A client does not get this event, or not what it is about: what misses it later follows from `finding`."""
    name = _letters(name)
    for role, table in roles.items():
        if name in table:
            kind, id_field = table[name]
            w.lost.add(Lost(role, kind, _text(value, id_field), w.seq, finding))


def _letters(name: str) -> str:
    return "".join(ch for ch in name.rsplit(".", 1)[-1] if ch.isalnum()).upper()


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: Mapping[str, Any] | None, key: str) -> str | None:
    found = None if value is None else value.get(key)
    if found is None and value is not None:
        found = value.get(re.sub(r"(?<!^)([A-Z])", lambda m: "_" + m.group(1).lower(), key))
    return found if isinstance(found, str) else None
