"""What the recording proxy adds to each part of a stream, and what it does to a big body.

Rules of this file: three processes on one machine with one clock: an agent that writes the time into each event, the
proxy, and the reader here. Taken in turn, direct and through the proxy.
"""

from __future__ import annotations

import gc
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.live.proxied import ROOT, agent, asked

CHUNKS = 1_000
PAUSE = 0.002  # seconds between two chunks, so that they do not travel together
ROUNDS = 3
_SENT = re.compile(rb'"delta":"(\d+) "')


def measure(folder: Path) -> tuple[float, float, float, float]:
    """Milliseconds a chunk takes to its reader: median direct, median through the proxy, and 99 % of either."""
    direct: list[float] = []
    through: list[float] = []
    gc.collect()
    gc.freeze()  # or a full collection, of all that this process has imported, counts as time on the way
    with agent() as straight, serving(folder, straight) as proxied:
        for _ in range(ROUNDS):
            direct += chunks(f"{straight}/agent")
            through += chunks(f"{proxied}/proxy/agent/agent")
    return statistics.median(direct), statistics.median(through), _most(direct), _most(through)


def _most(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


@contextmanager
def serving(folder: Path, url: str) -> Iterator[str]:
    """`lanescope proxy`, a process of its own."""
    command = [sys.executable, "-m", "webapp", "proxy", url, "--port", "0", "--data-dir", str(folder)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LANESCOPE_")}
    with subprocess.Popen(command, cwd=ROOT, env=clean, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[3]
        finally:
            process.terminate()


def chunks(url: str) -> list[float]:
    """Milliseconds from an event's sending to its arrival, for each event of a run."""
    parts = urlsplit(url)
    body = asked(words=CHUNKS, pause=PAUSE, clock=True)
    took: list[float] = []
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        head = f"POST {parts.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        held = b""
        while data := connection.recv(65536):
            now = time.perf_counter_ns()
            *whole, held = (held + data).split(b"\n\n")
            took += [(now - int(sent[1])) / 1e6 for event in whole if (sent := _SENT.search(event))]
    assert len(took) == CHUNKS
    return took
