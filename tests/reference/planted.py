"""Streams that break one fatal rule for sure: the cases of the catalogue, with harmless events strewn in.

Rules of this file: the cases' own streams and nothing a client minds, so that rare rules are hit often enough.
"""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

from tests.reference.damage import damage

CASES = Path(__file__).parents[1] / "cases"
ASIDE = (
    '{"type":"RAW","event":{"x":1}}',
    '{"type":"RAW","event":null,"timestamp":1700000000000}',
    '{"type":"RAW","event":[],"source":"s"}',
)


def _cases() -> list[dict[str, Any]]:
    """Firing cases that end in a rejection and that a line of text can hold."""
    found = []
    for path in sorted(CASES.glob("AGUI-*.toml")):
        case = tomllib.loads(path.read_text(encoding="utf-8")).get("fires", {})
        if "rejected_at" in case and "hex" not in case:
            made: dict[str, Any] = {"payloads": [line for line in case["stream"].splitlines() if line]}
            if isinstance(asked := json.loads(case.get("input", "null")), dict):
                made["input"] = asked
            found.append(made)
    return found


FATAL = _cases()


def planted(rng: random.Random) -> dict[str, Any]:
    """One of the cases with harmless events between its own; now and then damaged once more."""
    case = rng.choice(FATAL)
    payloads = list(case["payloads"])
    for _ in range(rng.randrange(0, 6)):
        payloads.insert(rng.randrange(1, len(payloads) + 1), rng.choice(ASIDE))
    if rng.random() < 0.15:
        payloads = _damaged(rng, payloads)
    return {**case, "payloads": payloads}


def _damaged(rng: random.Random, payloads: list[str]) -> list[str]:
    try:
        events = [json.loads(payload) for payload in payloads]
    except ValueError:
        return payloads
    if not all(isinstance(event, dict) for event in events):
        return payloads
    damage(rng, events)
    return [json.dumps(event, separators=(",", ":")) for event in events]
