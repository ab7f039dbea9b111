"""An answer that was no stream: which traces it is told of, in which words, and what is kept of the agent's own."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.storage.models import Trace
from webapp.views import answer_status
from webapp.views.answered import SAID, words_of
from webapp.views.trace_line import trace_line


def row(code: int | None = 500, kind: str | None = "application/json", **values: Any) -> Trace:
    told: dict[str, Any] = {
        "id": "traceaaaaaaa",
        "name": "call",
        "created": 1_700_000_000.0,
        "status": "ready",
        "verdict": "unchecked",
        "protocol": "ag-ui",
        "events": 0,
        "records": 0,
        "lane_count": 0,
        "headline": "no event at all was read",
        "headline_party": "service",
        "head": {"status": code, "content_type": kind, "headers": []},
    }
    return Trace(**{**told, **values})


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (500, None, "The agent answered 500 Internal Server Error."),
        (599, "text/plain", "The agent answered 599."),
        (302, "text/html", "The agent answered 302 Found."),
        (
            200,
            "application/json; charset=utf-8",
            "The agent answered 200 OK with `application/json`, not with an event stream.",
        ),
        (200, "te`xt", "The agent answered 200 OK with `te'xt`, not with an event stream."),
    ],
)
def test_the_status_is_the_headline(status: int, kind: str | None, told: str) -> None:
    assert answer_status.headline(row(status, kind)) == told


@pytest.mark.parametrize(
    "trace",
    [
        row(200, "text/event-stream"),
        row(200, "application/vnd.ag-ui.event+proto"),
        row(200, None),
        row(None),
        row(head=None),
        row(events=3, records=3, verdict="nonconformant"),
        row(records=1),
        row(status="live"),
        row(status="failed"),
        row(protocol="teams"),
    ],
)
def test_other_traces_are_told_as_before(trace: Trace) -> None:
    """A stream without events, a recording without a head, one that goes on, and Teams."""
    assert (answer_status.headline(trace), answer_status.side(trace)) == ("", "")


@pytest.mark.parametrize(
    ("status", "side", "listed"),
    [
        (500, "Agent’s side", "Agent"),
        (200, "Agent’s side", "Agent"),
        (404, "The caller’s side", "Caller"),
        (307, "The caller’s side", "Caller"),
    ],
)
def test_the_status_says_whose_side(status: int, side: str, listed: str) -> None:
    """HTTP calls 4xx the caller's fault and 5xx the server's; the list says the same."""
    trace = row(status)
    line = trace_line(trace, 1_700_000_100.0)
    assert (answer_status.side(trace), line.side) == (side, listed)
    assert str(status) in line.headline


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"Internal Server Error\n", "Internal Server Error"),
        (b'{"detail":"Not authenticated"}', "Not authenticated"),
        (b'{"error":{"code":7,"message":"no key"}}', "no key"),
        (b'{"detail":[{"loc":["body","state"],"msg":"Field required"}]}',
         '{"detail":[{"loc":["body","state"],"msg":"Field required"}]}'),
        (b'{"message":"cut', '{"message":"cut'),
        (b"<!doctype html><html><head><title>x</title></head><style>a{}</style><h1>Sign in</h1> <p>here</p>",
         "Sign in here"),
        (b"a `b` #3\n c", "a 'b' #3 c"),
        (b"\xff\x00", "\ufffd\\u0000"),
        ("\u202eevil".encode(), "\\u202eevil"),
        (b"", ""),
    ],
)  # fmt: skip
def test_the_first_words_are_those_of_the_message(body: bytes, words: str) -> None:
    """On one line, without tags, with no mark of ours and nothing that a page would obey."""
    assert words_of(body) == words


@pytest.mark.parametrize("body", [b"x" * 5000, b"<" * 5000, b"{" * 5000, b"<!--" * 2000, b"\x00" * 5000])
def test_however_long_it_is_the_words_are_few(body: bytes) -> None:
    assert len(words_of(body)) <= SAID
