"""Measure and print. Each figure is the best of several rounds, the two sides of a ratio taken in turn.

Rules of this file: what is compared and how it is printed. `make bench` takes about three minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import memory, panels
from tests.bench.streams import events, sse

ROUNDS = 5
COUNT = 100_000


def best_of(sides: dict[str, Callable[[], None]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of each side: the best round, the sides in turn so that a busy machine is unfair to all alike."""
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(rounds):
        for name, run in sides.items():
            began = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def engine() -> None:
    """Replay 100,000 lines: ours (expanding and assembling too) against the peer's `feed`."""
    from ag_ui_validate import Validator

    from webapp.core import Replay

    lines = list(events(COUNT))
    texts = [line.decode() for line in lines]

    def ours() -> None:
        replay = Replay("ag-ui")
        for line in lines:
            replay.feed(line)
        assert replay.finish().verdict == "conformant"

    def theirs() -> None:
        validator = Validator()
        for text in texts:
            validator.feed(text)
        validator.finalize()

    took = best_of({"ours": ours, "theirs": theirs})
    show("engine: events a second against the peer", took["theirs"] / took["ours"], "≥ 2", took)


def upload(folder: Path) -> None:
    """From bytes to a stored verdict, every row readable by a fresh connection, against the peer's command."""
    from webapp.ingest.upload import ingest
    from webapp.storage.db import open_database
    from webapp.storage.migrate import migrate

    path = folder / "trace.sse"
    path.write_bytes(b"".join(sse(COUNT)))
    number = iter(range(1_000))

    def ours() -> None:
        url = f"sqlite:///{folder}/bench-{next(number)}.db"
        migrate(url)
        began = time.perf_counter()
        database = open_database(url)
        with path.open("rb") as file:
            ingest(database, iter(lambda: file.read(65_536), b""), name="trace.sse")
        database.close()
        check = open_database(url)
        with check.session() as session:
            from sqlalchemy import text

            rows = session.execute(text("select count(*), sum(length(raw)) from events")).one()
            verdict = session.execute(text("select verdict from traces")).scalar_one()
        check.close()
        assert rows[0] == COUNT
        assert verdict == "conformant"
        ingested.append(time.perf_counter() - began)

    def theirs() -> None:
        subprocess.run(
            [str(Path(sys.executable).parent / "ag-ui-validate"), str(path)],
            stdout=subprocess.DEVNULL,
            check=True,
        )

    ingested: list[float] = []
    took = best_of({"ours": ours, "theirs": theirs}, 3)
    took["ours"] = min(ingested)
    show("upload to stored verdict against the peer's command", took["ours"] / took["theirs"], "≤ 1", took)


def show(what: str, ratio: float, target: str, took: dict[str, float] | None = None) -> None:
    detail = "" if took is None else "   " + "  ".join(f"{name} {t:.2f} s" for name, t in took.items())
    print(f"{what:<58} {ratio:5.2f}   target {target:<6}{detail}", flush=True)


def main() -> None:
    wanted = set(sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="lanescope-bench-") as name:
        folder = Path(name)
        if not wanted or "engine" in wanted:
            engine()
        if not wanted or "upload" in wanted:
            upload(folder)
        if not wanted or "panels" in wanted:
            for panel, ratio, small, big in panels.measure(folder):
                show(
                    f"panel {panel}: 100,000 against 1,000 events", ratio, "≤ 1.5", {"1k": small, "100k": big}
                )
            for place, took in panels.state_panel(folder):
                print(
                    f"State panel, 2,000 patches of 86 kB, at {place:<18} {took * 1000:5.0f} ms   target < 300 ms",
                    flush=True,
                )
        if not wanted or "memory" in wanted:
            for form, megabytes in memory.measure(folder):
                print(
                    f"memory: 1,000,000-event upload, {form:<28} {megabytes:5.0f}   target < 400 MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
