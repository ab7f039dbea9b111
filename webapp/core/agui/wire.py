"""Steps as the wire events that application code receives.

Rules of this file: it reads a step right after it was made and decides nothing. Order as in section 3.7 of the rules:
derived events stand before the event that caused them; they carry no timestamp.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from webapp.core.findings import Finding
from webapp.core.records import Emitted, Step

_END_RULES = frozenset({"AGUI-TXT-03", "AGUI-TOL-03", "AGUI-RSN-06"})
_OWNER_RULES = frozenset({"AGUI-TXT-05", "AGUI-TOL-05", "AGUI-RSN-08"})


def delivered_events(step: Step, payload: bytes) -> list[dict[str, Any]]:
    """The events `step` handed to the application, in order, as JSON objects.

    payload: the bytes that were fed for this step. Call it before the next record is fed: items change in place.
    A refused event still delivers the ENDs derived for it, unless its shape or a chunk rule refused it, since those
    are judged before anything is derived.
    """
    if step.reached == "refused":
        return [_plain(made.event) for made in _ends(step)]
    if step.reached != "delivered":
        return []
    out = [_plain(made.event) for made in step.synthesized if made.event is not None]
    if step.event is not None:
        out.append(step.wire if step.wire is not None else _parsed(payload))
    return out


def _ends(step: Step) -> list[Emitted]:
    """The derived ENDs that reached the application before the refusal."""
    fatal = [finding for finding in step.findings if finding.severity == "fatal"]
    if any(finding.rule.startswith("AGUI-CHK-") for finding in fatal):
        return []
    # a fault of order has a reason; a fault of shape has none, save the orphan a retired event became
    if any(finding.reason is None and finding.rule != "AGUI-CMP-03" for finding in fatal):
        return []
    ends = []
    for made in step.synthesized:
        if made.change != "closed" or made.event is None or _is_refused(made, step.seq, fatal):
            break
        ends.append(made)
    return ends


def _is_refused(made: Emitted, seq: int, fatal: list[Finding]) -> bool:
    """Whether the derived END is itself what the client trips over."""
    about = [f.rule for f in fatal if f.item and (f.item.kind, f.item.id) == (made.item.kind, made.item.id)]
    # an explicit END that finds its item closed just now by the derived one is the same rule, but its own fault
    return any(rule in _OWNER_RULES or (rule in _END_RULES and made.item.closed != seq) for rule in about)


def _plain(event: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return plain


def _parsed(payload: bytes) -> dict[str, Any]:
    text = payload.decode(errors="replace").removeprefix("\ufeff")
    parsed: dict[str, Any] = json.loads(text)
    return parsed
