"""A real Chromium and a real server for the tests that need them.

Rules of this file: starting, watching and stopping; no assertion about a page except what holds for every page (no
fault in the console, no other host). The fixtures are in `tests/e2e/conftest.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Playwright

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "webapp" / "samples"
SAMPLES = ROOT / "tests" / "samples"
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium where there is one, else Playwright's own."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return playwright.chromium.launch(executable_path=found, args=SWITCHES)


def stream(events: Iterable[Mapping[str, Any]]) -> bytes:
    """Events as an SSE body; lone surrogates stay escapes."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def run(*events: Mapping[str, Any], thread: str = "t", run_id: str = "r") -> bytes:
    """A run with `events` between its start and its end, as an SSE body."""
    ids = {"threadId": thread, "runId": run_id}
    return stream([{"type": "RUN_STARTED", **ids}, *events, {"type": "RUN_FINISHED", **ids}])


def message(text: str, name: str = "m") -> list[dict[str, Any]]:
    """One text message as three events."""
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": name, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": name},
    ]


def file(name: str, data: bytes) -> dict[str, Any]:
    """What `set_input_files` takes."""
    return {"name": name, "mimeType": "text/plain", "buffer": data}


@dataclass(frozen=True)
class Server:
    """A running `lanescope serve`; `url` has no slash at its end, `folder` holds its database."""

    url: str
    folder: Path

    def add(self, data: bytes, name: str) -> str:
        """Store a recording; gives the URL of its page."""
        address = f"{self.url}/api/traces?name={quote(name)}"
        with urlopen(Request(address, data=data, method="POST")) as answer:
            return f"{self.url}/traces/{json.load(answer)['id']}"


@contextmanager
def serving(folder: Path, port: int = 0, **settings: str) -> Iterator[Server]:
    """`lanescope serve` with its own data folder, on a free port unless one is named; settings: OIDC_NAME="…"."""
    command = [sys.executable, "-m", "webapp", "serve", "--port", str(port), "--data-dir", str(folder)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LANESCOPE_")}
    clean |= {f"LANESCOPE_{name}": value for name, value in settings.items()}
    process = subprocess.Popen(command, cwd=ROOT, env=clean, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()  # says the address once it listens, or ends with the process
        assert line.startswith("Lanescope is at "), f"the server did not start: {line!r}"
        yield Server(line.split()[3], folder)
    finally:
        process.terminate()
        process.wait(20)


@dataclass
class Watch:
    """Everything that must never happen in a page: a fault in the console, a request to another host.

    allowed: statuses of answers that this test asks for, e.g. 404 of a revoked link
    """

    host: str
    allowed: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        context.on("console", self._said)
        context.on("weberror", lambda error: self.faults.append(f"raised: {error.error}"))
        context.on("request", lambda request: self._asked(request.url))

    def _said(self, told: ConsoleMessage) -> None:
        expected = any(f"status of {status}" in told.text for status in self.allowed)
        if told.type in ("error", "warning") and not expected:
            self.faults.append(f"{told.type}: {told.text}")

    def _asked(self, url: str) -> None:
        if url != "about:blank" and not url.startswith("blob:") and urlsplit(url).netloc != self.host:
            self.faults.append(f"asked another host: {url}")
