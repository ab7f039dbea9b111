"""Logs of HTTP clients to exchange lines without bodies (form T8): .NET HttpClient, httpx, urllib3, access logs.

Rules of this file: which lines are a call and its answer, and which answer belongs to which call. What a line of an SDK
says about a refusal is put to the refused call before it. Calls to other addresses are passed over. Nothing but
address, status and time is known, so `request` is null and rules about content cannot be judged.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Any

from webapp.core.errors.teams import answer_in
from webapp.core.teams.answers import Answer
from webapp.readers.activities import conversation_of, plain_url
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.linewise import LineReader
from webapp.readers.log.times import Times, find
from webapp.readers.python.names import dumped
from webapp.readers.signs import is_fenced, outside_json

MAX_OPEN = 500  # calls waiting for their answer; one more and the oldest goes without
ELSE = "another call in the log"
OTHER = "log line without a call"
HEADING = "heading of a log entry"
NO_BODIES = (
    "The log holds addresses, states and times of the calls, and no bodies: "
    "only pace and refusals can be judged."
)
ANSWER_TIMES = (
    "The log writes a line when the answer is there: times are those of the answers, not of the requests."
)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_URL = r"'?\"?(?P<url>[^\s\"']{1,4000})"
_START = re.compile(r"(?P<kind>Start processing|Sending) HTTP request (?P<method>[A-Z]{3,7}) " + _URL)
_RECEIVED = re.compile(
    r"Received HTTP response (?:headers )?after (?P<ms>[\d.,]{1,20})ms - (?P<status>\d{3})"
)
_ENDED = re.compile(r"End processing HTTP request after (?P<ms>[\d.,]{1,20})ms - (?P<status>\d{3})")
_FAILED = re.compile(r"HTTP request failed after (?P<ms>[\d.,]{1,20})ms")
_HTTPX = re.compile(
    r"HTTP Request: (?P<method>[A-Z]{3,7}) " + _URL + r"[\"']? \"HTTP/[\d.]{1,4} (?P<status>\d{3})"
)
_LINE = re.compile(
    r"(?:(?P<host>https?://[^\s/\"]{1,300}) )?\"(?P<method>POST|PUT|DELETE|GET) (?P<url>[^\s\"]{1,4000}) "
    r"HTTP/[\d.]{1,4}\" (?P<status>\d{3})"
)
_BARE = re.compile(
    r"\b(?P<method>POST|PUT|DELETE) (?P<url>https?://[^\s\"']{1,4000})[\"']?"
    r"[ :=>-]{1,6}(?:status[ :=]{1,3})?(?P<status>\d{3})\b"
)
_HEADING = re.compile(r"(?:.{0,60}\b)?(?:trce|dbug|info|warn|fail|crit): \S+\[\d{1,9}\]\s*$")
_LOGGED = re.compile(r"\s|\[|\d{4}-|\d\d:|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|trce|dbug|info|warn|fail)\b")
_HOW = {
    _START: ".NET HttpClient",
    _RECEIVED: ".NET HttpClient",
    _HTTPX: "httpx",
    _LINE: "urllib3 or access log",
}


@dataclass(slots=True)
class Call:
    """One call of the log. lines: of it and its answer; ours: it is a connector call; told: words of its refusal"""

    method: str
    url: str
    at: float | None
    number: int
    offset: int
    ours: bool
    outer: bool = False  # known by the line of the outer handler only
    lines: int = 1
    done: bool = False
    status: int | None = None
    took: float | None = None
    lost: bool = False
    told: Answer | None = None


class HttpLogReader(LineReader):
    """payload: an exchange line whose request is null; at: the request's time, where the log tells it."""

    name = "http-log"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self._times = Times()
        self._calls: deque[Call] = deque()
        self._stamp: float | None = None  # of the heading of the log entry that goes on

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        shown = _ANSI.sub("", text.decode("utf-8", "replace"))
        if (found := _START.search(shown)) is not None:
            self._begin(found, shown, number, offset)
        elif (found := _RECEIVED.search(shown) or _FAILED.search(shown)) is not None:
            self._answer(found, shown, number, offset, outer=False)
        elif (found := _ENDED.search(shown)) is not None:
            self._answer(found, shown, number, offset, outer=True)
        elif (found := _HTTPX.search(shown) or _LINE.search(shown) or _BARE.search(shown)) is not None:
            self._both(found, shown, number, offset)
        elif _HEADING.match(shown):
            self._stamp = self._time(shown)
            self.ignore(HEADING)
        elif not self._refusal(shown):
            if _LOGGED.match(shown):
                self.ignore(OTHER)
            else:
                self.stray(number, offset, text)
        if len(self._calls) > MAX_OPEN:
            self._emit(self._calls.popleft())

    def ending(self) -> None:
        while self._calls:
            self._emit(self._calls.popleft())
        for kind, sentence in self._times.notes():
            self.account.time_of_day = self.account.time_of_day or kind == "time-of-day"
            self.artefact(kind, sentence)

    # -- lines

    def _time(self, shown: str) -> float | None:
        return self._times.take(find(shown))

    def _begin(self, found: re.Match[str], shown: str, number: int, offset: int) -> None:
        outer = found["kind"] != "Sending"
        at = self._time(shown[: found.start()])
        last = self._calls[-1] if self._calls else None
        if not outer and last is not None and last.outer and not last.done and last.method == found["method"]:
            last.outer = False  # the inner handler's line for the same call
            last.lines += 1
            last.at = at if at is not None else last.at
            return
        self._add(found["method"], found["url"], at if at is not None else self._stamp, number, offset, outer)

    def _add(
        self, method: str, url: str, at: float | None, number: int, offset: int, outer: bool = False
    ) -> Call:
        url = url.rstrip("'\".,")
        call = Call(method, plain_url(url), at, number, offset, conversation_of(url) is not None, outer)
        self._flush()
        self._calls.append(call)
        return call

    def _answer(self, found: re.Match[str], shown: str, number: int, offset: int, *, outer: bool) -> None:
        waiting = next((call for call in self._calls if not call.done and (call.outer or not outer)), None)
        if waiting is None:
            # the outer handler repeats what the inner one said; or the log begins inside a call
            self.ignore(OTHER)
            return
        waiting.lines += 1
        waiting.done = True
        waiting.took = _seconds(found["ms"])
        status = found.groupdict().get("status")
        waiting.status = None if status is None else int(status)
        waiting.lost = status is None

    def _both(self, found: re.Match[str], shown: str, number: int, offset: int) -> None:
        host = found.groupdict().get("host") or ""
        at = self._time(shown[: found.start()])
        call = self._add(
            found["method"], host + found["url"], at if at is not None else self._stamp, number, offset
        )
        call.done, call.status = True, int(found["status"])
        if call.ours and call.at is not None:
            self.artefact("answer-times", ANSWER_TIMES, number)

    def _refusal(self, shown: str) -> bool:
        """Whether a line tells why a call was refused; the words go to the last refused call."""
        told = answer_in(shown)
        if told is None:
            return False
        refused = next((c for c in reversed(self._calls) if c.done and c.ours), None)
        if refused is None or refused.status is None or (refused.told and refused.told != told):
            return False
        if refused.status != told.status and not (200 <= refused.status < 300 and told.key == "E202-ORDER"):
            return False
        refused.told = refused.told or told
        refused.lines += 1
        return True

    # -- records

    def _flush(self) -> None:
        """Give out the calls whose answers are there; the last is kept, since words on its refusal may follow."""
        while self._calls and self._calls[0].done:
            self._emit(self._calls.popleft())

    def _emit(self, call: Call) -> None:
        if not call.ours:
            self.ignore(ELSE, call.lines)
            return
        self.artefact("no-bodies", NO_BODIES, call.number)
        value: dict[str, Any] = {"method": call.method, "url": call.url, "request": None}
        if call.at is not None:
            value = {"at": round(call.at, 6), **value}
        if call.took is not None:
            value["took"] = call.took
        if call.status is not None:
            value["response"] = {"status": call.status, "body": _body(call.told)}
        elif call.lost:
            value["response"] = None
        self.offer(dumped(value), call.number, call.offset, lines=call.lines, at=call.at)


def _body(told: Answer | None) -> Any:
    """The answer's body as far as the log gives it away."""
    if told is None:
        return None
    return {"error": {"code": told.code or told.title, "message": told.message}}


def _seconds(text: str) -> float | None:
    try:
        return round(float(text.replace(",", ".")) / 1000, 6)
    except ValueError:
        return None


def score(head: Head) -> Score | None:
    lines = head.lines
    found, named = 0, ""
    for line in lines:
        shown = outside_json(line).decode("utf-8", "replace")
        match = _START.search(shown) or _HTTPX.search(shown) or _LINE.search(shown) or _BARE.search(shown)
        if match is None or shown.lstrip().startswith(("{", "[{", "data:")):
            continue
        if conversation_of(match["url"].rstrip("'\".,")) is not None:
            found += 1
            named = named or _HOW.get(match.re, "HTTP client")
    if not found:
        return None
    return Score(
        0.5 if is_fenced(lines) else 0.95,
        (
            f"{found:,} of the first {len(lines):,} lines are calls of the Teams connector in a log of {named}",
        ),
        "teams",
    )


FORM = Form(
    "http-log", "HTTP log of Teams calls",
    ("A log of .NET HttpClient, httpx or another HTTP client: addresses, states and times of connector "
    "calls, no bodies."),
    score, HttpLogReader,
)  # fmt: skip
