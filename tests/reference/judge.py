"""Compares the engine with the reference client on many random streams, and tells it as a table.

Rules of this file: the work is cut into batches for several processes, each with a client of its own; what is known is
counted by its row, and anything unexplained ends in exit status 1. `make reference` calls it.

    python -m tests.reference.judge --client build/reference --seed 1 --count 5000
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from tests.reference.compare import difference, received, replayed
from tests.reference.generate import LONGEST, stream, streams
from tests.reference.known import KNOWN, explained
from webapp.core.rules import catalogue

BATCH = 100  # streams a client judges before a new one is started
WANTED_HITS = 20  # streams a full run must have for each fatal rule
FULL = 100_000
SHOWN = 10  # unexplained differences that are printed
FATAL = [rule.id for rule in catalogue().values() if rule.severity == "fatal"]


class Tally(NamedTuple):
    """What a batch came to."""

    counts: Counter[str]
    rules: Counter[str]
    rows: Counter[str]
    unexplained: list[str]


def asked(client: Path, batch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The client's answers, in the order of the streams."""
    lines = "".join(json.dumps(made) + "\n" for made in batch)
    done = subprocess.run(
        ["node", "oracle.mjs"], cwd=client, input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def tally(client: Path, seed: int, first: int, count: int) -> Tally:
    out = Tally(Counter(), Counter(), Counter(), [])
    batch = list(streams(seed, first, count))
    for made, oracle in zip(batch, asked(client, batch), strict=True):
        ours = replayed(made)
        accepted = oracle["rejected"] is None
        size = len(made["frames"] if "frames" in made else made["payloads"])
        out.counts["events"] += size
        out.counts["longest"] = max(out.counts["longest"], size)
        out.counts["binary"] += "frames" in made
        out.counts["accepted" if accepted else "rejected"] += 1
        out.rules.update(ours.fatal)
        found = difference(made, oracle, ours)
        if found is None:
            out.counts["agree, accepted" if accepted else "agree, rejected"] += 1
        elif (known := explained(found, made, ours)) is not None:
            out.rows[f"{known.row} {known.words}"] += 1
        else:
            told = f"── {made['name']}: {found}\n   client: {oracle['message']}\n   engine: {ours.message}"
            out.unexplained.append(told)
    return out


def run(client: Path, seed: int, count: int, workers: int) -> Tally:
    """All batches, in as many processes as asked for; says how far it is when a person is watching."""
    total = Tally(Counter(), Counter(), Counter(), [])
    with ProcessPoolExecutor(workers) as pool:
        waiting = [
            pool.submit(tally, client, seed, first, min(BATCH, count - first))
            for first in range(0, count, BATCH)
        ]
        for number, done in enumerate(as_completed(waiting), 1):
            part = done.result()
            longest = max(total.counts["longest"], part.counts["longest"])
            total.counts.update(part.counts)
            total.counts["longest"] = longest
            total.rules.update(part.rules)
            total.rows.update(part.rows)
            total.unexplained.extend(part.unexplained)
            if sys.stderr.isatty():
                print(f"\r{number * BATCH:,} of {count:,}", end="", file=sys.stderr, flush=True)
    return total


def table(seed: int, count: int, total: Tally, seconds: float) -> list[str]:
    counts = total.counts
    agree = counts["agree, accepted"] + counts["agree, rejected"]
    out = [
        f"seed {seed}: make reference COUNT={count} SEED={seed}",
        "",
        f"{count:>9,}  streams ({seconds:.0f} s)",
        f"{counts['events']:>9,}  events, up to {counts['longest']} in a stream (asked for {LONGEST})",
        f"{counts['binary']:>9,}  of the streams in frames of the binary binding",
        f"{counts['accepted'] / count:>9.1%}  accepted by the client",
        f"{agree:>9,}  agree: {counts['agree, accepted']:,} accepted, {counts['agree, rejected']:,} rejected",
    ]
    for known in KNOWN:
        times = total.rows[f"{known.row} {known.words}"]
        out.append(f"{times:>9,}  explained, row {known.row}: {known.words}")
    out += [f"{len(total.unexplained):>9,}  unexplained", "", "streams rejected by each fatal rule:"]
    cells = [f"{rule.removeprefix('AGUI-')} {total.rules[rule]:>6,}" for rule in FATAL]
    out += ["  " + "   ".join(f"{cell:<14}" for cell in cells[at : at + 6]) for at in range(0, len(cells), 6)]
    return out


def failures(count: int, total: Tally) -> list[str]:
    """What makes the run fail, in sentences."""
    out = []
    if total.unexplained:
        out.append(f"{len(total.unexplained)} differences are not explained; see docs/reference.md.")
    share = total.counts["accepted"] / count
    if count >= 1000 and not 0.4 <= share <= 0.6:
        out.append(f"{share:.0%} of the streams are accepted; it should be 40 to 60 %.")
    rare = [rule for rule in FATAL if total.rules[rule] < WANTED_HITS]
    if count >= FULL and rare:
        out.append(f"Fewer than {WANTED_HITS} streams are rejected by {', '.join(rare)}.")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--client", type=Path, default=Path("build/reference"), help="where the client is installed"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=FULL)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, help="print this stream and both answers, and nothing else")
    given = parser.parse_args()
    client = given.client.resolve()
    if given.only is not None:
        made = stream(given.seed, given.only)
        print(*(raw.decode("utf-8", "replace") for raw, _ in received(made)), sep="\n")
        print("input:", json.dumps(made.get("input")))
        answer, ours = asked(client, [made])[0], replayed(made)
        print(f"client: {json.dumps(answer)}\nengine: {ours}\ndifference: {difference(made, answer, ours)}")
        return 0
    began = time.monotonic()
    total = run(client, given.seed, given.count, given.workers)
    print(*total.unexplained[:SHOWN], sep="\n")
    print(*table(given.seed, given.count, total, time.monotonic() - began), sep="\n")
    wrong = failures(given.count, total)
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
