"""Encrypted values: sealed artefacts on messages and calls, which the provider wants back.

Rules of this file: it stores a value and its type as a pair, never looks inside, and words ENC-01, ENC-02 and
ENC-04 … ENC-08 (ENC-09 is the label of an ENC-01). Source: events/reasoning#reasoning_encrypted_value; section 5,
point 5 of the rules.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import awaited, untagged, versions
from webapp.core.agui import events as e
from webapp.core.agui.messages import Call, Msg
from webapp.core.agui.world import UNKNOWN, World, quoted, who
from webapp.core.words import NOUNS

MAX_TYPES = 50  # different types that are told


def stored(w: World, ev: e.ReasoningEncryptedValue) -> None:
    """REASONING_ENCRYPTED_VALUE; an activity keeps none."""
    id_, call = ev.entityId, ev.subtype == "tool-call"
    kind = "tool" if call else "text"
    owner: Any = UNKNOWN
    for bucket in ("tool",) if call else ("message", "reasoning"):
        if owner is UNKNOWN:
            owner = w.owners.get((bucket, id_), UNKNOWN)
    if ev.subagentRunId is not UNSET and owner is not UNKNOWN and ev.subagentRunId != owner:
        w.find(
            "AGUI-ENC-04",
            f"an encrypted value for {NOUNS[kind]} {quoted(id_)} tagged as {who(ev.subagentRunId)}, "
            f"but it belongs to {who(owner)}",
            "The specification does not ask for the tag to agree; the reference client stops here.",
            reason="owner-differs",
            lane=ev.subagentRunId,
            item=(kind, id_),
            cause=untagged.cause(w, id_, ev.subagentRunId),
        )
    if ev.encryptedValueType is not UNSET:
        _typed(w, ev.encryptedValueType, "the event")
    target: Call | Msg | None = w.held.calls.get(id_) if call else w.held.by_id.get(id_)
    if target is None or (isinstance(target, Msg) and target.role == "activity"):
        _nowhere(w, ev, kind, target)
        return
    old_type = target.extra.pop("encryptedValueType", None)
    target.extra["encryptedValue"] = ev.encryptedValue
    w.trace.untyped.pop((kind, id_), None)
    if ev.encryptedValueType is not UNSET:
        target.extra["encryptedValueType"] = ev.encryptedValueType
    elif old_type is not None:
        w.trace.untyped[kind, id_] = (ev.encryptedValue, old_type, w.seq)


def _nowhere(w: World, ev: e.ReasoningEncryptedValue, kind: str, target: Call | Msg | None) -> None:
    """ENC-01 and ENC-02: nothing that could hold the value."""
    id_ = ev.entityId
    about: dict[str, Any] = {
        "lane": None if ev.subagentRunId is UNSET else ev.subagentRunId,
        "item": (kind, id_),
    }
    if target is not None:
        w.find(
            "AGUI-ENC-02",
            f"an encrypted value for {quoted(id_)}, which is an activity",
            "An activity holds none; a client drops the value.",
            **about,
        )
        return
    other = id_ in w.held.by_id if kind == "tool" else id_ in w.held.calls
    kinds = ("tool",) if kind == "tool" else ("text", "reasoning")
    lost = next((found for name in kinds if (found := w.lost.find("opener", name, id_))), None)
    if not other and lost is None and w.unseen("AGUI-ENC-01", thread=True):
        return
    sure = other or w.input_known or len(w.runs) > 1 or (lost is not None and lost.id == id_)
    if other:
        is_, due = ("message", "message") if kind == "tool" else ("tool call", "tool-call")
        why = f"{quoted(id_)} is the id of a {is_}, so `subtype` should be `{due}`. A client drops the value."
    elif lost is not None:
        why = f"{awaited.lost_why(lost)} A client drops the value."
    elif sure:
        why = "A client drops the value, mostly without a word, and the model misses it in the next turn."
    else:
        why = "The request is not recorded, so it may stand in the earlier conversation."
    lost = None if other else lost
    finding = w.find(
        "AGUI-ENC-01",
        f"an encrypted value for {NOUNS[kind]} {quoted(id_)}, which nobody has sent",
        why,
        reason=None if lost is None else "opener-lost",
        label="AGUI-ENC-09" if other else None,
        severity=None if sure else "info",
        related=() if lost is None else ((lost.seq, "expected"),),
        cause=None if lost is None else lost.finding.key,
        **about,
    )
    if not other:
        awaited.missed(w, kind, id_, finding)


def _typed(w: World, kind: str, place: str) -> None:
    """VER-05, and ENC-08 once a type."""
    versions.typed(w, place)
    if "." in kind or ("encrypted", kind) in w.trace.told or w.trace.told_of["encrypted"] >= MAX_TYPES:
        return
    w.trace.told_of["encrypted"] += 1
    w.trace.told["encrypted", kind] = w.find(
        "AGUI-ENC-08",
        f"the encrypted value’s type {quoted(kind)} has no prefix",
        "A type begins with its provider or framework, as in `anthropic.signature`, so that two do not clash.",
        path=f"type {kind}",
    )


def restated(
    w: World, snapshot: list[dict[str, Any]], messages: dict[str, Msg], calls: dict[str, Call]
) -> None:
    """A messages snapshot; `messages` and `calls` are what was held before it."""
    for raw in snapshot:
        _restated(w, "text", raw, messages.get(raw["id"]))
        for call in raw.get("toolCalls") or ():
            _restated(w, "tool", call, calls.get(call["id"]))


def _restated(w: World, kind: str, raw: dict[str, Any], held: Msg | Call | None) -> None:
    value, type_ = raw.get("encryptedValue"), raw.get("encryptedValueType")
    about: dict[str, Any] = {"item": (kind, raw["id"])}
    if type_ is not None:
        _typed(w, type_, f"the snapshot’s {NOUNS[kind]} {quoted(raw['id'])}")
        if value is None:
            w.find(
                "AGUI-ENC-05",
                f"the snapshot names an `encryptedValueType` for {NOUNS[kind]} {quoted(raw['id'])} "
                "without a value",
                "Type and value are stored and sent together; a type alone says nothing.",
                **about,
            )
            return
    if held is not None and value is None and "encryptedValue" in held.extra:
        w.find(
            "AGUI-ENC-07",
            f"the snapshot brings {NOUNS[kind]} {quoted(raw['id'])} back without its encrypted value",
            "A client drops the value it held, so it is missing when the conversation is sent to the model again.",
            **about,
        )
    before = w.trace.untyped.get((kind, raw["id"]))
    if before is not None and (value, type_) == before[:2]:
        w.find(
            "AGUI-ENC-06",
            f"the snapshot pairs {NOUNS[kind]} {quoted(raw['id'])} with the type of an older value",
            f"#{before[2]} brought the value without a type, which removes the type {quoted(before[1])}.",
            related=((before[2], "previous"),),
            **about,
        )
