"""How often one asker may do what costs much: uploads, calls to agents, searches, links that open nothing.

Rules of this file: the numbers, and counting before any handler runs. What stores something is counted for all workers
in the table `tries`; what only reads is counted in this process, for a search must not wait until an upload of somebody
else is written. What belongs to a recording that runs is never counted: a limit must not cut it.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from math import ceil

from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from webapp.accounts.tries import Throttle, place
from webapp.errors import Busy, TooMany
from webapp.settings import Settings
from webapp.storage.db import Database, is_trouble
from webapp.views.account import wait_words
from webapp.web.access import entry_of
from webapp.web.peers import address_of
from webapp.web.who import Who

UPLOADS = Throttle("upload", most=120, seconds=600)
CALLS = Throttle("call", most=30, seconds=600)
SEARCHES = Throttle("search", most=300, seconds=60)  # a key that is held down steps through what was found
WRONG_LINKS = Throttle("link", most=60, seconds=600)
WHOLE = Throttle("whole", most=120, seconds=600)  # what goes through a whole trace once more
OPEN = 10  # times as much on an installation without accounts, where everybody is one asker
STORED = {("POST", "/traces"): UPLOADS, ("POST", "/api/traces"): UPLOADS, ("POST", "/call"): CALLS}
READ = {
    ("GET", "/traces/{trace_id}/redacted.jsonl"): WHOLE,
    ("POST", "/traces/{trace_id}/share"): WHOLE,
    ("POST", "/traces/{trace_id}/reread"): WHOLE,
    ("POST", "/traces/{trace_id}/rejudge"): WHOLE,
}
MOST_ASKERS = 10_000  # that are remembered; those whose window is over are forgotten first
WHAT = {
    "upload": "Too much was uploaded in a short time, so this was not stored",
    "call": "Agents were called too often in a short time, so this call was not made",
    "whole": "Whole traces were gone through too often in a short time, so this was not done",
    "search": "Too many searches in a short time",
    "link": "Too many links that open nothing were tried from here",
}


@dataclass(slots=True)
class _Window:
    """begun: seconds of a clock that does not jump; count: tries since then."""

    begun: float
    count: int = 0


class Memory:
    """Tries of this process. Threads may share it."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, str], _Window] = {}
        self._lock = threading.Lock()

    def wait(self, throttle: Throttle, who: str, now: float) -> float:
        """Count one try and say how many seconds to wait; 0: go on."""
        with self._lock:
            window = self._windows.get((throttle.kind, who))
            if window is None or now - window.begun >= throttle.seconds:
                self._windows.pop((throttle.kind, who), None)
                self._make_room(now)
                window = self._windows[throttle.kind, who] = _Window(now)
            window.count += 1
            return window.begun + throttle.seconds - now if window.count > throttle.most else 0.0

    def _make_room(self, now: float) -> None:
        if len(self._windows) < MOST_ASKERS:
            return
        longest = max(SEARCHES.seconds, WRONG_LINKS.seconds, WHOLE.seconds)
        self._windows = {key: each for key, each in self._windows.items() if now - each.begun < longest}
        while len(self._windows) >= MOST_ASKERS:
            del self._windows[next(iter(self._windows))]  # the oldest: they stand in the order they began


class Limits:
    """One an application."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._memory = Memory()

    async def check(self, request: Request, who: Who, database: Database) -> None:
        """Count this request, where it is of a kind that has a limit. Raises TooMany; Busy when it cannot be
        counted."""
        if (throttle := _stored(request)) is not None:
            wait = await run_in_threadpool(_count, database, _for(throttle, who), self._asker(request, who))
        elif (throttle := _limit(request, READ)) is not None:
            wait = self._memory.wait(_for(throttle, who), self._asker(request, who), time.monotonic())
        elif request.method in ("GET", "HEAD") and request.query_params.get("q", "").strip():
            throttle = SEARCHES
            wait = self._memory.wait(_for(throttle, who), self._asker(request, who), time.monotonic())
        else:
            return
        _refuse(throttle, wait)

    def wrong_link(self, request: Request) -> None:
        """A link that opens nothing was tried. Raises TooMany, instead of the answer that tells so."""
        where = place(address_of(request, self._settings))
        _refuse(WRONG_LINKS, self._memory.wait(WRONG_LINKS, where, time.monotonic()))

    def _asker(self, request: Request, who: Who) -> str:
        """Whom a try is counted for: the account, its keys apart from its browsers; a place where nobody is known."""
        if who.kind in ("link", "nobody"):
            return f"at {place(address_of(request, self._settings))}"
        return f"{who.kind} {who.name if who.user is None else who.user}"


def _stored(request: Request) -> Throttle | None:
    """The limit of a request that stores something."""
    throttle = _limit(request, STORED)
    if throttle is UPLOADS and _begins_live(request):
        return None
    return throttle


def _limit(request: Request, table: dict[tuple[str, str], Throttle]) -> Throttle | None:
    entry = entry_of(request.method, request.scope["path"])
    return None if entry is None else table.get((entry.method, entry.path))


def _begins_live(request: Request) -> bool:
    """Whether it only begins a recording whose events come later. Read as the handler reads it, or it would be the way
    around the limit."""
    said = request.query_params.get("live", "").lower()
    return request.scope["path"] == "/api/traces" and said in ("1", "true", "t", "on", "yes", "y")


def _for(throttle: Throttle, who: Who) -> Throttle:
    return replace(throttle, most=throttle.most * OPEN) if who.kind == "open" else throttle


def _count(database: Database, throttle: Throttle, who: str) -> float:
    try:
        with database.session() as session:
            return throttle.wait(session, who, time.time())
    except SQLAlchemyError as error:
        if not is_trouble(error):
            raise
        raise Busy(
            "The database cannot take this now, nothing was changed; try again in a moment."
        ) from error


def _refuse(throttle: Throttle, wait: float) -> None:
    if wait > 0:
        raise TooMany(f"{WHAT[throttle.kind]}. Try again in {wait_words(wait)}.", ceil(wait))
