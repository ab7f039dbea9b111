"""An agent that answered with something else than a stream: its own words, and what to do.

Rules of this file: words from what is stored with a trace; the one reading is of the first bytes of the answer. What
the agent said is cut, harmless, and bears none of the marks of our own sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from sqlalchemy.orm import Session

from webapp.storage import captures, originals
from webapp.storage.models import Trace
from webapp.views.answer_status import headline, kind_of, side, status_of
from webapp.views.content import parse, showable

SAID = 240  # characters of the agent's own words
_LOOKED_AT = 4096  # bytes of the answer
_HIDDEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>?")
_TELLING = ("message", "detail", "error", "error_description", "title", "reason", "msg")

# status: why, what to change; the tens and hundreds stand for what is not named
_ROWS: dict[int, tuple[str, str]] = {
    300: (
        "It points to another address, and redirects are not followed.",
        "Use the address that it points to.",
    ),
    400: (
        "It found fault with the request and began no run.",
        (
            "Compare what it says with what was sent, which stands in Source: agents of older protocol versions "
            "insist on `state`, `tools`, `context` and `forwardedProps`."
        ),
    ),
    401: (
        "It wants to know who calls, and began no run.",
        "Send the credentials that it wants. The form that calls an agent has a field for an Authorization value.",
    ),
    404: (
        "There is no agent at this address that takes a `POST`.",
        "Check the path of the address: an agent takes runs at a path of its own, such as `/agent`.",
    ),
    429: ("It was called too often, and began no run.", "Wait a little, then call it again."),
    500: (
        "It failed before its stream began, so no client was told anything as an event.",
        "Look into the agent’s own log at this time: the whole error stands there. Mend it, then call again.",
    ),
    502: (
        "A server in front of the agent answered: it got no answer from the agent, or not in time.",
        "See whether the agent runs, and what the log of the server in front of it says. Then call again.",
    ),
    503: (
        "It takes no runs at the moment.",
        "See whether the agent has started and has room. Then call again.",
    ),
}
_SAME = {403: 401, 405: 404, 410: 404, 504: 502}
_PAGE = (
    "It answered with a web page, as a sign-in, a front end or a proxy does.",
    "Check the address: it is that of a page, or something in front of the agent wants a sign-in first.",
)
_WHOLE = (
    "It answered in one piece, where a stream of events was asked for.",
    (
        "Have it answer with `Content-Type: text/event-stream` and the events of the run. Where it has another address "
        "for streams, use that one."
    ),
)


@dataclass(frozen=True, slots=True)
class Answered:
    """Sentences with the engine's marks. said: the agent's own words, "" = none are known; side: whose; again: URL that
    calls it again, "" where Lanescope did not call it."""

    headline: str
    said: str
    side: str
    because: str
    change: str
    again: str

    @property
    def why(self) -> str:
        words = f"It said `{self.said}`. " if self.said else ""
        return f"{words}No event came, so nothing was checked."


def build(session: Session, trace: Trace) -> Answered | None:
    """None where there were events, or no answer to speak of."""
    told = headline(trace)
    if not told:
        return None
    because, change = _row(status_of(trace) or 0, kind_of(trace))
    capture = captures.get(session, trace.pk)
    called = capture is not None and capture.kind == "call"
    return Answered(
        headline=told,
        # of an upload the first bytes are those of the file, not of the answer
        said="" if capture is None else _said(session, trace),
        side=side(trace),
        because=because,
        change=change,
        again=f"/call?trace={trace.id}" if called else "",
    )


def words_of(body: bytes) -> str:
    """The first words of an answer, on one line: of JSON its message, of a page its text."""
    text = body.decode("utf-8", "replace").strip().removeprefix("\ufeff")
    if text.startswith("<"):
        text = _TAG.sub(" ", _HIDDEN.sub(" ", text))
    elif text.startswith("{"):
        text = _message(text)
    text = showable(" ".join(text.split())).replace("`", "'")
    return text if len(text) <= SAID else f"{text[: SAID - 1].rstrip()}…"


def _message(text: str) -> str:
    value = parse(text)
    for _ in range(4):
        if not isinstance(value, dict):
            break
        value = next((value[name] for name in _TELLING if value.get(name)), None)
    return value if isinstance(value, str) else text


def _said(session: Session, trace: Trace) -> str:
    begin = b"".join(islice(originals.text(session, trace.pk), 1))
    return words_of(begin[:_LOOKED_AT])


def _row(status: int, kind: str) -> tuple[str, str]:
    if 200 <= status < 300:
        return _PAGE if kind in ("text/html", "application/xhtml+xml") else _WHOLE
    return _ROWS.get(_SAME.get(status, status)) or _ROWS.get(status // 100 * 100) or _ROWS[500]
