"""`lanescope serve` as a process of its own, that can be killed and started again on the same folder.

Rules of this file: starting, ending and talking; no expectation.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
TRACE = re.compile(r"/traces/([a-z0-9]{12})")
WAIT = 20.0  # seconds after which a test is stuck


class Serving:
    """url: of the running server; process: its."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self._environment = environment
        self.url = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "webapp", "serve", "--port", "0", "--data-dir", str(self.folder)]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LANESCOPE_")}
        clean |= self._environment
        self.process = subprocess.Popen(command, cwd=ROOT, env=clean, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Lanescope is at "), line
        self.url = line.split()[3]

    def send(self, what: signal.Signals) -> float:
        """Send a signal and wait for the end; gives the seconds that took."""
        process = self.process
        assert process is not None
        begun = time.monotonic()
        process.send_signal(what)
        process.wait(WAIT)
        self.process = None
        return time.monotonic() - begun

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, Any]:
        """(status, JSON) of a GET, or of a POST where there is data."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with urlopen(Request(self.url + path, data, names), timeout=WAIT) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            return error.code, json.load(error)

    def original(self, public: str) -> bytes:
        with urlopen(f"{self.url}/traces/{public}/original", timeout=WAIT) as answer:
            data: bytes = answer.read()
            return data

    def page(self, path: str) -> str:
        with urlopen(self.url + path, timeout=WAIT) as answer:
            text: str = answer.read().decode()
            return text

    def found(self, name: str) -> str:
        """The public id of the only trace of that name, once it is there."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if found := set(TRACE.findall(self.page(f"/?q={name}"))):
                (public,) = found
                return str(public)
            time.sleep(0.02)
        raise AssertionError(f"no trace {name} appeared")

    def report(self, public: str, until: str = "") -> dict[str, Any]:
        """The report of a trace; until: once its artefacts hold this text (a server that starts needs a moment)."""
        end = time.monotonic() + WAIT
        while True:
            _, report = self.ask(f"/api/traces/{public}")
            if until in json.dumps(report.get("artefacts"), ensure_ascii=False) or time.monotonic() > end:
                assert isinstance(report, dict)
                return report
            time.sleep(0.02)


@contextmanager
def serving(folder: Path, **environment: str) -> Iterator[Serving]:
    """environment: further variables of the process, e.g. `LANESCOPE_WORKERS`."""
    server = Serving(folder, **environment)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None:
            server.process.kill()
            server.process.wait(WAIT)
