"""One stream through the engine, and the first thing in which the reference client's answer differs.

Rules of this file: what is compared and how; it prints nothing and excuses nothing but ids that are made up, numbers
beyond a client's precision and what a client loses in its own queue.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

from webapp.core import Replay, Report
from webapp.core.agui.wire import delivered_events
from webapp.readers.protobuf.reader import ProtobufReader

EXACT = 2**53
MINTED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|thinking-\d+")


class Ours(NamedTuple):
    """What the engine made of a stream; the same members as the oracle's answer."""

    rejected: int | None
    message: str
    fatal: frozenset[str]  # rules and labels of the fatal findings where it is rejected
    delivered: list[list[Any]]
    messages: list[dict[str, Any]]
    state: Any
    scalar_patched: bool  # a patch met a state that is no object or list


def received(stream: dict[str, Any]) -> list[tuple[bytes, tuple[str, ...]]]:
    """Payload and framing of each record: as they stand in SSE, or as our reader makes them of frames."""
    if "frames" not in stream:
        return [(payload.encode(), ("sse",)) for payload in stream["payloads"]]
    reader = ProtobufReader()
    records = reader.feed(b"".join(map(base64.b64decode, stream["frames"]))) + reader.close()
    return [(record.payload, record.framing) for record in records]


def replayed(stream: dict[str, Any]) -> Ours:
    replay = Replay("ag-ui", stream.get("input"))
    delivered: list[list[Any]] = []
    scalar_patched = False
    for index, (raw, framing) in enumerate(received(stream)):
        if b'"STATE_DELTA"' in raw and not isinstance(replay.state(), dict | list):
            scalar_patched = True
        delivered += [[index, event] for event in delivered_events(replay.feed(raw, None, framing), raw)]
    report = replay.finish()
    return Ours(
        report.rejected_at,
        _first(report),
        _fatal(report),
        delivered,
        replay.messages(),
        replay.state(),
        scalar_patched,
    )


def _first(report: Report) -> str:
    first = next((f for f in report.findings if f.severity == "fatal"), None)
    return "" if first is None else f"{first.rule} {first.message}"


def _fatal(report: Report) -> frozenset[str]:
    there = [f for f in report.findings if f.severity == "fatal" and f.event == report.rejected_at]
    return frozenset(name for f in there for name in (f.rule, f.label) if name is not None)


def comparable(value: Any) -> Any:
    """The value with every made-up id replaced by its running number, and numbers as precise as the client's."""
    names: dict[str, str] = {}

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: walk(inner) for key, inner in node.items()}
        if isinstance(node, list):
            return [walk(inner) for inner in node]
        if isinstance(node, int) and abs(node) > EXACT:
            return float(node)
        if isinstance(node, str) and MINTED.fullmatch(node):
            return names.setdefault(node, f"minted-{len(names)}")
        return node

    return walk(value)


def without_defaults(delivered: list[list[Any]]) -> list[list[Any]]:
    """Without the empty `tools` and `context` that the client's parser fills into an echoed input."""
    out = []
    for index, event in delivered:
        if isinstance(event.get("input"), dict):
            kept = {k: v for k, v in event["input"].items() if not (k in ("tools", "context") and v == [])}
            event = {**event, "input": kept}
        out.append([index, event])
    return out


def difference(stream: dict[str, Any], oracle: dict[str, Any], ours: Ours) -> str | None:
    """The first thing the two disagree on; None when they agree."""
    at = oracle["rejected"]
    if at != ours.rejected:
        kind = "both reject" if at is not None and ours.rejected is not None else "verdict"
        return f"{kind}: client {at}, engine {ours.rejected}"
    theirs, mine = (comparable(without_defaults(side)) for side in (oracle["delivered"], ours.delivered))
    if at is not None:
        # several events derived in the same turn as the refusal are lost in the client's queue: a prefix is enough
        tail = [event for index, event in theirs if index == at]
        own = [event for index, event in mine if index == at]
        if tail != own[: len(tail)]:
            return f"delivered at the refusal: client {tail}, engine {own}"
        theirs = [pair for pair in theirs if pair[0] < at]
        mine = [pair for pair in mine if pair[0] < at]
    for their, own_pair in zip(theirs, mine, strict=False):
        if their != own_pair:
            return f"delivered: client {their}, engine {own_pair}"
    if len(theirs) != len(mine):
        return f"delivered: client {len(theirs)} events, engine {len(mine)}"
    theirs, mine = comparable(oracle["messages"]), comparable(ours.messages)
    for their, own_message in zip(theirs, mine, strict=False):
        if their != own_message:
            return f"messages: client {their}, engine {own_message}"
    if len(theirs) != len(mine):
        return f"messages: client {len(theirs)}, engine {len(mine)}"
    if oracle["state"] != ours.state:
        return f"state: client {oracle['state']}, engine {ours.state}"
    return None
