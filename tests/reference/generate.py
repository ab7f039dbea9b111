"""Random AG-UI streams for the differential test: mostly legal, then damaged a little.

Rules of this file: the same seed and number give the same stream, whatever else is made; what share is long, damaged,
garbled, planted or binary is decided here and nowhere else. One JSON object a line on stdout:
{"name", "payloads": [string, …], "input"?}, or {"name", "frames": [base64, …]}.

    python -m tests.reference.generate --seed 7 --count 2000
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from typing import Any

from tests.reference.binary import binary
from tests.reference.damage import damage, garble
from tests.reference.moves import Moves
from tests.reference.planted import planted

BINARY = 100  # one stream in so many
USUAL, LONGEST = 60, 400  # events of a stream, about
INPUT = {
    "threadId": "t1",
    "runId": "run1",
    "state": {"a": 1},
    "messages": [{"id": "h1", "role": "user", "content": "hi"}, {"id": "m4", "role": "assistant"}],
}


def stream(seed: int, number: int) -> dict[str, Any]:
    """The stream of this number."""
    rng = random.Random(f"{seed}/{number}")
    name = f"{seed}/{number}"
    if number % BINARY == BINARY - 1:
        return {"name": name, **binary(rng)}
    if rng.random() < 0.08:
        return {"name": name, **planted(rng)}
    chaos = rng.choice((0.0, 0.0, 0.0, 0.02, 0.1))
    longest = LONGEST if rng.random() < 0.06 else USUAL
    events = Moves(rng, longest, chaos).build()
    for _ in range(rng.choice((0, 0, 0, 0, 0, 0, 1, 1, 2, 3))):
        if events:
            damage(rng, events)
    made: dict[str, Any] = {
        "name": name,
        "payloads": [json.dumps(event, separators=(",", ":")) for event in events],
    }
    if rng.random() < 0.08 and events:
        at = rng.randrange(len(events))
        made["payloads"][at] = garble(rng, made["payloads"][at])
    if rng.random() < 0.1:
        made["input"] = INPUT
    return made


def streams(seed: int, first: int, count: int) -> Iterator[dict[str, Any]]:
    """`count` streams from number `first` on."""
    return (stream(seed, number) for number in range(first, first + count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    for made in streams(given.seed, given.first, given.count):
        print(json.dumps(made))


if __name__ == "__main__":
    main()
