"""Compares the engine with the reference client on the same random streams.

Rules of this file: it runs the oracle, replays the same payloads, and sorts every difference into an explained one
(`EXPLAINED`, where this project's rules follow the specification against the client) or an unexplained one. Exit
status 1 when anything is unexplained.

    npm install --prefix tests/reference
    python tests/reference/compare.py --seed 1 --count 2000
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from generate import streams

from webapp.core import Replay
from webapp.core.agui.wire import delivered_events

HERE = Path(__file__).resolve().parent
EXACT = 2**53
MINTED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|thinking-\d+")


class Ours(NamedTuple):
    """What the engine made of a stream; the same members as the oracle's answer."""

    rejected: int | None
    message: str
    delivered: list[list[Any]]
    messages: list[dict[str, Any]]
    state: Any
    scalar_patched: bool  # a patch met a state that is no object or list


def replayed(stream: dict[str, Any]) -> Ours:
    replay = Replay("ag-ui", stream.get("input"))
    delivered: list[list[Any]] = []
    scalar_patched = False
    for index, payload in enumerate(stream["payloads"]):
        raw = payload.encode()
        if '"STATE_DELTA"' in payload and not isinstance(replay.state(), dict | list):
            scalar_patched = True
        delivered += [[index, event] for event in delivered_events(replay.feed(raw, None, ("sse",)), raw)]
    report = replay.finish()
    first = next((f for f in report.findings if f.severity == "fatal"), None)
    message = "" if first is None else f"{first.rule} {first.message}"
    return Ours(report.rejected_at, message, delivered, replay.messages(), replay.state(), scalar_patched)


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


def explained(stream: dict[str, Any], found: str, oracle: dict[str, Any], ours: Ours) -> str | None:
    """Why a difference is meant; None when it is not."""
    echoes = any(_echoes_state(payload) for payload in stream["payloads"])
    if found.startswith("state") and "input" not in stream and echoes:
        return "an echoed input seeds the state when the request is not recorded"
    if found.startswith("state") and ours.scalar_patched:
        return "the client's patch library takes members of a scalar for absent ones (6.1, row 18)"
    return None


def _echoes_state(payload: str) -> bool:
    return '"RUN_STARTED"' in payload and '"input"' in payload and '"state"' in payload


def run_oracle(batch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(stream) + "\n" for stream in batch)
    done = subprocess.run(
        ["node", "oracle.mjs"], cwd=HERE, input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--longest", type=int, default=60)
    parser.add_argument("--show", type=int, default=5, help="unexplained differences to print in full")
    given = parser.parse_args()
    batch = streams(given.seed, given.count, given.longest)
    table: Counter[str] = Counter()
    shown = unexplained = 0
    for stream, oracle in zip(batch, run_oracle(batch), strict=True):
        ours = replayed(stream)
        found = difference(stream, oracle, ours)
        verdict = "accepted" if oracle["rejected"] is None else "rejected"
        if found is None:
            table[f"agree, {verdict}"] += 1
            continue
        reason = explained(stream, found, oracle, ours)
        if reason is not None:
            table[f"explained: {reason}"] += 1
            continue
        unexplained += 1
        table[f"UNEXPLAINED: {found.split(':')[0]}"] += 1
        if shown < given.show:
            shown += 1
            print(f"── {stream['name']}: {found}")
            print(f"   client: {oracle['message']}\n   engine: {ours.message}")
    for name, count in sorted(table.items()):
        print(f"{count:7}  {name}")
    print(f"{given.count:7}  streams, {sum(len(s['payloads']) for s in batch)} events")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
