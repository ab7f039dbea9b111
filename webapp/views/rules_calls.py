"""The example on a Teams rule's page: its exchange lines as calls with their answers.

Rules of this file: pure functions from the catalogue's own lines to frozen rows; nothing is judged. The lines
themselves stand on the page too, to be copied. Only the text of an activity is ever shortened, and it says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from webapp.core.teams.answers import carries_error

TEAMS_HOST = (
    "https://smba.trafficmanager.net/amer/v3/conversations"  # the examples' own; left out as it never differs
)
MAX_TEXT = 160  # characters of an activity's text that are shown
SHOWN_OF_LONG = 60


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an example.

    at: `+1.6 s`; method; path: the address without Teams' own host; body: the activity as JSON, empty when none
    answer: status and body in one line; fine: whether the answer is a success without an error inside
    """

    at: str
    method: str
    path: str
    body: str
    answer: str
    fine: bool


def calls(stream: str) -> tuple[Call, ...]:
    """The calls of an example in exchange lines, in their order."""
    return tuple(_call(json.loads(line)) for line in stream.splitlines() if line)


def _call(line: dict[str, Any]) -> Call:
    request, response = line["request"], line["response"]
    return Call(
        at=f"+{line['at']:g} s",
        method=line["method"],
        path=line["url"].replace(TEAMS_HOST, "…", 1),
        body="" if request is None else _json(_shortened(request)),
        answer="no answer"
        if response is None
        else f"{response['status']} {_said(response['body'])}".rstrip(),
        fine=response is not None and 200 <= response["status"] < 300 and not carries_error(response["body"]),
    )


def _said(body: Any) -> str:
    return body if isinstance(body, str) else _json(body)


def _shortened(request: dict[str, Any]) -> dict[str, Any]:
    text = request.get("text")
    if not isinstance(text, str) or len(text) <= MAX_TEXT:
        return request
    return {**request, "text": f"{text[:SHOWN_OF_LONG]}… ({len(text):,} characters)"}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
