"""How far behind an open page is, and what fifty streams and twenty viewers do to the server.

Rules of this file: real processes and a real browser on one machine with one clock. The server has no second copy of
what is measured: the page itself tells when it showed a position, and the rows are counted in the database.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

from tests.browser import launch, serving
from webapp.storage.db import open_database

RATE = 500  # events a second, one stream
SECONDS = 20
STREAMS, STREAM_RATE, VIEWERS = 50, 50, 20
SOAK_SECONDS = 60
WARM = 15  # seconds after which memory is compared with the end

# Tells, for every change of the page, which position it shows and when (milliseconds since 1970).
WATCH = """
() => {
  window.shown = [];
  const note = () => {
    const view = document.getElementById('view');
    const seq = Number(view && (view.dataset.seq || Number(view.dataset.event) + 1));
    const last = window.shown[window.shown.length - 1];
    if (!last || last[0] !== seq) window.shown.push([seq, performance.timeOrigin + performance.now()]);
  };
  const what = {subtree: true, childList: true, attributes: true, attributeFilter: ['data-seq']};
  new MutationObserver(() => requestAnimationFrame(note)).observe(document.body, what);
}
"""


class Soak(NamedTuple):
    """sent, stored: events; megabytes: resident after WARM seconds and at the end; cores: processor used by the server;
    pages: fetched by the viewers; behind: seconds until the last stream was judged after its end."""

    sent: int
    stored: int
    megabytes: tuple[float, float]
    cores: float
    pages: int
    behind: float


def event_lines() -> Iterator[bytes]:
    """A run that does not end: messages of eight deltas, calls between them."""
    ids = {"threadId": "t", "runId": "r"}
    yield _sse({"type": "RUN_STARTED", **ids})
    number = 0
    while True:
        number += 1
        yield _sse({"type": "TEXT_MESSAGE_START", "messageId": f"m{number}", "role": "assistant"})
        for _ in range(8):
            yield _sse({"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{number}", "delta": "some words "})
        yield _sse({"type": "TEXT_MESSAGE_END", "messageId": f"m{number}"})
        yield _sse({"type": "TOOL_CALL_START", "toolCallId": f"c{number}", "toolCallName": "search"})
        yield _sse({"type": "TOOL_CALL_ARGS", "toolCallId": f"c{number}", "delta": '{"q": 1}'})
        yield _sse({"type": "TOOL_CALL_END", "toolCallId": f"c{number}"})


def _sse(event: dict[str, str]) -> bytes:
    return b"data: " + json.dumps(event).encode() + b"\n\n"


class Pushed:
    """One open push. sent: events so far; times: when each was sent (unix seconds), if asked for."""

    def __init__(self, url: str, name: str, keep_times: bool = False) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        self._connection.putrequest("PUT", f"/api/live?name={name}")
        self._connection.putheader("Transfer-Encoding", "chunked")
        self._connection.endheaders()
        self._events = event_lines()
        self.sent = 0
        self.times: list[float] | None = [] if keep_times else None

    def send(self) -> None:
        chunk = next(self._events)
        self._connection.send(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.sent += 1
        if self.times is not None:
            self.times.append(time.time())

    def end(self) -> dict[str, object]:
        self._connection.send(b"0\r\n\r\n")
        answer: dict[str, object] = json.load(self._connection.getresponse())
        return answer


def paced(pushed: list[Pushed], rate: float, seconds: float) -> None:
    """Send to all of them in turn, `rate` events a second each."""
    began, step = time.monotonic(), 1 / (rate * len(pushed))
    for number in range(int(rate * seconds * len(pushed))):
        wait = began + number * step - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        pushed[number % len(pushed)].send()


def latency(folder: Path) -> tuple[float, float]:
    """Milliseconds from sending an event to the page that shows it: the middle and the 95th percentile."""
    with (
        serving(folder / "latency") as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        page = browser.new_page()
        page.goto(f"{server.url}/live")
        pushed = Pushed(server.url, "latency", keep_times=True)
        sender = threading.Thread(target=paced, args=([pushed], RATE, SECONDS))
        pushed.send()
        page.get_by_role("link", name="latency").click()
        page.wait_for_selector("#view")
        page.evaluate(WATCH)
        first = pushed.sent
        sender.start()
        while sender.is_alive():
            page.wait_for_timeout(200)
        page.wait_for_timeout(1500)
        shown = page.evaluate("window.shown")
        pushed.end()
    times = pushed.times or []
    late, place = [], 0
    for number in range(first, len(times)):
        while place < len(shown) and shown[place][0] <= number:
            place += 1
        assert place < len(shown), f"event {number} of {len(times)} was never shown"
        late.append(shown[place][1] - times[number] * 1000)
    return statistics.median(late), statistics.quantiles(late, n=100)[94]


class Viewer(threading.Thread):
    """An open page without its drawing: it hears positions and fetches the page, one request at a time."""

    def __init__(self, url: str, trace: str) -> None:
        super().__init__(daemon=True)
        self._url, self._trace = url, trace
        self.pages = 0

    def run(self) -> None:
        with urlopen(f"{self._url}/traces/{self._trace}/live") as positions:
            for line in positions:
                if not line.startswith(b"data:"):
                    continue
                with urlopen(f"{self._url}/traces/{self._trace}") as answer:
                    answer.read()
                self.pages += 1
                if json.loads(line[5:])["status"] != "live":
                    return


def soak(folder: Path) -> Soak:
    """Fifty streams of fifty events a second, and twenty viewers of two of them, for a minute."""
    with serving(folder / "soak") as server:
        pushed = [Pushed(server.url, f"soak-{number}") for number in range(STREAMS)]
        for each in pushed:
            each.send()
        watched = _running(server.url, 2)
        viewers = [Viewer(server.url, watched[number % 2]) for number in range(VIEWERS)]
        for viewer in viewers:
            viewer.start()
        process = _process(server.folder)
        used = _used(process)
        began = time.monotonic()
        paced(pushed, STREAM_RATE, WARM)
        warm = _resident(process)
        paced(pushed, STREAM_RATE, SOAK_SECONDS - WARM)
        took = time.monotonic() - began
        end, now = _resident(process), _used(process)
        ended = time.monotonic()
        for each in pushed:
            each.end()
        behind = time.monotonic() - ended
        for viewer in viewers:
            viewer.join(20)
        with open_database(f"sqlite:///{server.folder}/lanescope.db").engine.connect() as connection:
            query = "select count(*) from events join traces on pk = trace where name like 'soak-%'"
            stored = connection.exec_driver_sql(query).scalar_one()
    return Soak(
        sum(each.sent for each in pushed),
        stored,
        (warm, end),
        (now - used) / took,
        sum(v.pages for v in viewers),
        behind,
    )


def _running(url: str, count: int) -> list[str]:
    """Public ids of some traces that are being recorded."""
    found: list[str] = []
    while len(found) < count:
        with urlopen(f"{url}/live") as answer:
            text = answer.read().decode()
        found = [part.partition('"')[0] for part in text.split('<tr id="t-')[1:]]
        time.sleep(0.2)
    return found[:count]


def _process(folder: Path) -> Path:
    """The server's place under /proc, by the folder it was started with."""
    mine = str(folder).encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mine in (place / "cmdline").read_bytes().split(b"\0"):
                return place
        except OSError:
            continue  # it ended
    raise AssertionError("the server is gone")


def _resident(process: Path) -> float:
    """Megabytes in memory."""
    return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _used(process: Path) -> float:
    """Processor seconds so far."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
