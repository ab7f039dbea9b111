"""The slow path: judges a payload the strict structs refused, and says what a client does with it.

Rules of this file: the order of the stages, nothing else: JSON (`decode.py`), retired shapes (`compat.py`),
the walk over the shape (`walk.py`, words and rules in `blame.py`), the struct. Where text and reference
client differ on rejecting, the client holds. Nothing raises, whatever the bytes.
Source: basic/processing#the-rule, basic/processing#what-a-consumer-does-with-unrecognised-material.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from webapp.core.agui.blame import Fault, Place, shown
from webapp.core.agui.compat import RETIRED, Compat
from webapp.core.agui.decode import duplicate_keys, precheck, too_deep
from webapp.core.agui.shapes import SHAPES, Closed, build
from webapp.core.agui.walk import Gone, Walk

__all__ = ["Compat", "Fault", "Slow", "duplicate_keys", "precheck", "slow_decode"]

MAX_FAULTS = 200  # told of one event; a hostile one may have a million unknown members
_WHOLE = frozenset(
    ("STATE_SNAPSHOT", "STATE_DELTA", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "MESSAGES_SNAPSHOT")
)
_PAYLOAD = re.compile(r"\$\.((snapshot|content|messages)$|(delta|patch)($|\[))")
_LONGEST_TYPE = 80  # characters of an unknown type that are compared with the known ones


class Slow(msgspec.Struct):
    """What the slow path made of a payload.

    kind:   event | dropped (unknown type, or deeper than this tool can read) | malformed (a client stops here) |
            undecodable (no JSON object)
    type:   the wire `type` as sent (retired names too), None when there is none
    event:  the struct; for `malformed` a repaired one, or None when it is about no item or its whole payload is
            wrong (state, activities, message lists: nobody sent what would stand there): wrong optional
            members are left out, wrong texts are "" (so may be `threadId` and `runId`), ids that are
            numbers become text, snake_case spellings of missing fields are taken
    wire:   for `event` only, what the application receives; patch operations keep their extra members
    faults: fatal ones first; one a path
    hollow: of a state, an activity or a message list that is `malformed` and has no `event`: when and by whom it
            was sent still counts
    tag:    of such an event, whom it is attributed to
    """

    kind: Literal["event", "dropped", "malformed", "undecodable"]
    type: str | None = None
    event: Any = None
    wire: dict[str, Any] | None = None
    faults: list[Fault] = []
    hollow: bool = False
    tag: str | None = None


def slow_decode(raw: bytes, compat: Compat, max_depth: int = 200) -> Slow:
    """Decodes one payload like a client: retired shapes, unknown material, malformed values.

    `compat` is the trace's own and changes with retired events. Deeper than `max_depth` levels is a warning.
    """
    read = precheck(raw, max_depth)
    if read.kind == "undecodable":
        return Slow("undecodable", faults=read.faults)
    wire, name = read.value, read.type
    if read.kind in ("malformed", "deep") or wire is None or name is None:
        if name is not None and name not in SHAPES and name not in RETIRED:
            return Slow("dropped", name, faults=[_unknown_type(name)])
        return Slow("dropped" if read.kind == "deep" else "malformed", name, faults=read.faults)
    retired = compat.rewrite(wire)
    shape = SHAPES.get(wire["type"])
    if shape is None:
        return Slow("dropped", name, faults=[_unknown_type(name), *read.faults])
    walk = Walk(wire["type"])
    try:
        kept = walk.closed(shape, wire, Place())
    except RecursionError:
        return Slow("dropped", name, faults=[too_deep(max_depth)])
    faults = [*walk.fatal, *retired, *walk.stripped, *read.faults][:MAX_FAULTS]
    if isinstance(kept, Gone) or walk.fatal:
        hollow = wire["type"] in _WHOLE and (
            walk.lost or any(_PAYLOAD.match(fault.path or "") for fault in walk.fatal)
        )
        usable = isinstance(kept, dict) and not walk.lost and not hollow
        tag = wire.get("subagentRunId") if hollow and "subagentRunId" in shape.fields else None
        return Slow(
            "malformed", name, _build(shape, kept) if usable else None, None, faults, hollow,
            tag if isinstance(tag, str) else None,
        )  # fmt: skip
    return Slow("event", name, _build(shape, kept), kept, faults)


def _build(shape: Closed, value: Any) -> Any:
    try:
        return msgspec.convert(value, shape.cls)
    except (msgspec.ValidationError, ValueError, OverflowError, RecursionError):
        pass
    try:
        return build(shape, value)
    except (TypeError, KeyError, RecursionError):
        return None


# ── unknown types ────────────────────────────────────────────


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:_LONGEST_TYPE].lower()).removeprefix("eventtype")


_BARE = {_bare(name): name for name in SHAPES}


def _unknown_type(name: str) -> Fault:
    title = f"`{shown(name)}` is no event type of the protocol"
    if meant := _BARE.get(_bare(name)):
        why = f"It looks like `{meant}`, but a client compares names exactly and drops the event."
        return Fault("AGUI-ENV-01", "$.type", title, why, "AGUI-ENV-17")
    return Fault("AGUI-ENV-01", "$.type", title, "A client drops the event.")
