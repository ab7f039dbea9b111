"""Measure and print. Each figure is the best or the middle of several rounds, the two sides of a ratio taken in turn.

Rules of this file: what is compared and how it is printed. `make bench` takes about three minutes.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import live, memory, panels, proxy
from tests.bench.streams import RECORDED, SHORT, events, holds, sse

ROUNDS = 5
COUNT = 100_000
ENGINE_ROUNDS = 9


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
    """Replay 100,000 lines: ours (expanding and assembling too) against the peer's `feed`, on either mix.

    The round with the middle ratio, in processor seconds: what else the machine does falls on both sides of a round.
    The target is for what long recordings are made of; turns of a few words, where an opener, an end, a chunk or a
    patch is every fifth event, show what those cost, and have none.
    """
    for words, mix, target in (("real recordings", RECORDED, "≥ 2"), ("short turns", SHORT, "none")):
        lines = list(events(COUNT, mix))
        rounds = sorted((replayed(lines) for _ in range(ENGINE_ROUNDS)), key=_ratio)
        took = rounds[ENGINE_ROUNDS // 2]
        show(f"engine against the peer, {words}", _ratio(took), target, took, holds(mix))


def _ratio(took: dict[str, float]) -> float:
    return took["theirs"] / took["ours"]


def replayed(lines: list[bytes]) -> dict[str, float]:
    """Processor seconds each side takes for all lines, and for its last word on them."""
    from ag_ui_validate import Validator

    from webapp.core import Replay

    texts = [line.decode() for line in lines]
    gc.collect()
    gc.freeze()  # or a full collection, of all that this process has imported, falls on whoever is due
    began = time.process_time()
    replay = Replay("ag-ui")
    for line in lines:
        replay.feed(line)
    assert replay.finish().verdict == "conformant"
    ours = time.process_time() - began
    del replay  # what one side holds is nothing the other has to carry
    began = time.process_time()
    validator = Validator()
    for text in texts:
        validator.feed(text)
    validator.finalize()
    return {"ours": ours, "theirs": time.process_time() - began}


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
        check = open_database(url)  # a connection of its own, while the other stays open, as in a server
        with check.session() as session:
            from sqlalchemy import text

            rows = session.execute(text("select count(*), sum(length(raw)) from events")).one()
            verdict = session.execute(text("select verdict from traces")).scalar_one()
        ingested.append(time.perf_counter() - began)
        check.close()
        database.close()
        assert rows[0] == COUNT
        assert verdict == "conformant"

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


def show(what: str, ratio: float, target: str, took: dict[str, float] | None = None, more: str = "") -> None:
    detail = "" if took is None else "   " + "  ".join(f"{name} {t:.2f} s" for name, t in took.items())
    print(f"{what:<58} {ratio:5.2f}   target {target:<6}{detail}{more and '   '}{more}", flush=True)


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
                show(f"panel {panel}: 100k against 1k", ratio, "≤ 1.5", {"1k": small, "100k": big})
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
        if not wanted or "proxy" in wanted:
            direct, through, most_direct, most_through = proxy.measure(folder)
            print(
                f"recording proxy: added to a chunk, median               {through - direct:8.2f} ms   target < 2 ms"
                f"   direct {direct:.2f} ms  through {through:.2f} ms;  99 %: {most_direct:.2f} and {most_through:.2f}",
                flush=True,
            )
        if not wanted or "live" in wanted:
            middle, most = live.latency(folder)
            print(
                f"live: an event on the page, 500 a second, 95 %           {most:8.0f} ms   target < 300 ms"
                f"   middle {middle:.0f} ms",
                flush=True,
            )
        if not wanted or "soak" in wanted:
            took = live.soak(folder)
            print(
                f"live: 50 streams of 50 a second, 20 viewers: lost        {took.sent - took.stored:8d}      target 0"
                f"   {took.sent:,} sent, {took.pages:,} pages fetched, {took.cores:.2f} cores; memory after 15 s "
                f"{took.megabytes[0]:.0f} MB, at the end {took.megabytes[1]:.0f} MB; judged {took.behind:.1f} s later",
                flush=True,
            )


if __name__ == "__main__":
    main()
