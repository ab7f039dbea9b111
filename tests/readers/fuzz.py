"""Spoilt files of every form through detection, reading and the engine: `make fuzz`.

Rules of this file: what must hold for any bytes. A failure is printed with its seed;
`python -m tests.readers.fuzz --seed N` repeats it, with the traceback, and `--save FILE` keeps its bytes.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from types import FrameType

from tests.readers.mutate import sample
from webapp.core import Replay
from webapp.core.records import FRAMING, Record
from webapp.ingest.incoming import prepared
from webapp.readers.base import Account
from webapp.readers.detect import Detection
from webapp.readers.every import Stream, every
from webapp.readers.limits import Limits, TooLarge
from webapp.readers.read import read
from webapp.readers.registry import FORMS
from webapp.readers.several import Refused

COUNT = 50_000
PASSES = ("conformant", "warnings")
MAX_SECONDS = 2.0  # of processor time for one sample
LINES_A_SECOND = 50_000  # packed ones may hold a million lines: so many take a further second
GIVE_UP = 30.0
MEMORY = 3_000_000_000  # bytes of address space; one more is a MemoryError, which is a failure like any other
BOUNDS = (
    Limits(),
    Limits(max_expanded_bytes=5_000_000),
    Limits(max_record_bytes=100),
    Limits(max_records=3),
    Limits(max_record_bytes=5_000, max_records=200),
)


class Wrong(AssertionError):
    """Something that must hold does not; says what."""


def hold(true: bool, what: str) -> None:
    if not true:
        raise Wrong(what)


def chunks(data: bytes, rng: Random) -> list[bytes]:
    """The same bytes, as they may arrive."""
    edges = sorted({0, len(data), *(rng.randint(0, len(data)) for _ in range(rng.choice((0, 1, 6))))})
    return [data[a:b] for a, b in pairwise(edges)]


def examine(seed: int) -> int:
    """One sample; how many lines were read. Raises Wrong, or whatever went wrong."""
    rng = Random(f"read {seed}")
    data = sample(seed)
    limits = rng.choice(BOUNDS)
    form = rng.choice(list(FORMS)) if rng.random() < 0.25 else None
    pieces = chunks(data, rng)
    lines = 0
    try:
        for stream in every(lambda: iter(pieces), limits, form):
            lines += judge(stream, limits, form or stream.form)
    except (Refused, TooLarge) as error:
        hold(str(error).endswith("."), "a refusal is a sentence")
    if rng.random() < 0.2:
        same(data, chunks(data, rng), limits, form)
    return lines


def judge(stream: Stream, limits: Limits, form: str | None) -> int:
    """Read and replay one stream, then look at what is said of it; its lines."""
    found, records, account = read(stream.chunks, form, limits)
    steady = prepared(records, account)
    replay = Replay(
        found.protocol or "ag-ui",
        stream.run_input,
        head_missing=account.head_missing,
        unjudged=account.unjudged,
    )
    seen = []
    for record in steady:
        replay.feed(record.payload, record.at, record.framing)
        seen.append(record)
    report = replay.finish(account.head)
    add_up(account, seen, limits)
    hold(bool(found.reasons), "every decision has a reason")
    hold(report.events <= len(seen), "no event without a record")
    hold(report.events > 0 or report.verdict not in PASSES, f"{report.verdict} without an event")
    hold(seen != [] or report.verdict == "unchecked", f"{report.verdict} without a record")
    return account.lines


def add_up(account: Account, records: list[Record], limits: Limits) -> None:
    """Every line is accounted for, every record and stray has its place."""
    used = account.records + sum(account.ignored.values()) + account.not_understood
    hold(account.lines == used, f"{account.lines} lines, {used} accounted for: {account}"[:1500])
    hold(account.records >= 0 and all(count > 0 for count in account.ignored.values()), "counts are counts")
    hold(len(records) <= limits.max_records, "no more records than the limit")
    for record in records:
        hold(1 <= record.line <= account.lines, f"record at line {record.line} of {account.lines}")
        hold(len(record.payload) <= limits.max_record_bytes, "no payload over the limit")
        hold({note.split()[0] for note in record.framing} <= FRAMING.keys(), f"framing {record.framing}")
    for stray in account.strays:
        hold(1 <= stray.line <= account.lines, f"stray at line {stray.line} of {account.lines}")
        hold(stray.offset >= 0 and len(stray.text) <= 200, "a stray has its place and its beginning")
    hold(len(account.strays) == min(account.not_understood, 200), "lines not understood are shown")


def same(data: bytes, pieces: list[bytes], limits: Limits, form: str | None) -> None:
    """However the bytes arrive, the same comes of them."""
    results: list[tuple[Detection, list[Record], Account] | str] = []
    for given in ([data], pieces):
        try:
            found, records, account = read(given, form, limits)
            results.append((found, list(records), account))
        except (Refused, TooLarge) as error:
            results.append(str(error))
    hold(results[0] == results[1], "any split gives the same")


def _too_long(signum: int, frame: FrameType | None) -> None:
    raise Wrong(f"more than {GIVE_UP:g} s, stopped in\n" + "".join(traceback.format_stack(frame)[-4:]))


def failures(seeds: Iterator[int] | range, *, slow: bool = True) -> Iterator[tuple[int, str]]:
    """Seeds that fail, and why. slow: processor time counts, too."""
    for seed in seeds:
        began, lines = time.process_time(), 0
        try:
            lines = examine(seed)
        except Wrong as error:
            yield seed, str(error)
        except Exception:
            yield seed, traceback.format_exc()
        spent = time.process_time() - began
        if slow and spent > MAX_SECONDS + lines / LINES_A_SECOND:
            yield seed, f"{spent:.1f} s of processor time for {len(sample(seed)):,} bytes"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this one only")
    parser.add_argument("--save", type=Path, help="write the bytes of --seed to this file")
    asked = parser.parse_args()
    if asked.seed is not None and asked.save is not None:
        asked.save.write_bytes(sample(asked.seed))
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _too_long)
    seeds = (
        range(asked.first, asked.first + asked.count)
        if asked.seed is None
        else range(asked.seed, asked.seed + 1)
    )
    failed = 0
    for done, seed in enumerate(seeds):
        signal.setitimer(signal.ITIMER_PROF, GIVE_UP)
        for _, why in failures(range(seed, seed + 1)):
            failed += 1
            print(f"seed {seed}: {why}", flush=True)
        if done % 5_000 == 4_999:
            print(f"{done + 1:,} samples, {failed} failures", flush=True)
    signal.setitimer(signal.ITIMER_PROF, 0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(seeds):,} samples, {failed} failures, at most {peak:,.0f} MB in memory")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
