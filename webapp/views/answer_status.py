"""Whether a trace is an answer that was no stream: its status in words, and whose side it is on.

Rules of this file: pure; from a trace's row alone, so that a list can say it as well as a page.
"""

from __future__ import annotations

from http import HTTPStatus

from webapp.core.findings import party_words
from webapp.storage.models import Trace

_TYPE = 80  # characters of a content type
_EVENTS = ("text/event-stream", "application/x-ndjson", "application/vnd.ag-ui.event+proto")
_CALLER = "The caller’s side"


def headline(trace: Trace) -> str:
    """`The agent answered 500 Internal Server Error.`; "" where there were events, or no answer to speak of."""
    if trace.events or trace.records or trace.verdict != "unchecked" or trace.status != "ready":
        return ""
    status, kind = status_of(trace), kind_of(trace)
    if trace.protocol == "teams" or status is None:
        return ""
    if not 200 <= status < 300:
        return f"The agent answered {_words(status)}."
    if not kind or kind in _EVENTS:
        return ""
    shown = kind[:_TYPE].replace("`", "'")
    return f"The agent answered {_words(status)} with `{shown}`, not with an event stream."


def side(trace: Trace) -> str:
    """Whose side such an answer is on; "" where `headline` is."""
    if not headline(trace):
        return ""
    return _CALLER if 300 <= (status_of(trace) or 0) < 500 else party_words("producer", trace.protocol)


def status_of(trace: Trace) -> int | None:
    """Of the recorded answer; None: not known."""
    status = (trace.head or {}).get("status")
    return status if isinstance(status, int) else None


def kind_of(trace: Trace) -> str:
    """The media type of the recorded answer, in lower case, "" = not known."""
    return str((trace.head or {}).get("content_type") or "").partition(";")[0].strip().lower()


def _words(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
