"""What things are called in a protocol: an AG-UI trace has events and runs, a Teams recording exchanges and streams.

Rules of this file: nouns and short labels only, one row a protocol; a page asks `of(protocol)` and has no `if` of its
own for a word.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """event: one record; run: a run or a stream; lane: whose it is; events: label of the first panel.

    received: heading of a payload; arrival: what the times of the arrival clock are; filter: example of the filter
    box; stop: who stops where the trace is rejected; reader: who reads what the agent sends
    """

    event: str
    run: str
    lane: str
    events: str
    received: str
    arrival: str
    filter: str
    stop: str
    reader: str


AGUI = Words(
    event="event",
    run="run",
    lane="lane",
    events="Events",
    received="As received",
    arrival="by arrival",
    filter="type:args  item:call_p0  lane:parent  text…",
    stop="A client stops here",
    reader="the client",
)
TEAMS = Words(
    event="exchange",
    run="stream",
    lane="stream",
    events="Exchanges",
    received="As recorded",
    arrival="by the time of the request",
    filter="kind:chunk  stream:1  text…",
    stop="Teams refuses here",
    reader="Teams",
)


def of(protocol: str) -> Words:
    """The words of a protocol; AG-UI's where it is not known."""
    return TEAMS if protocol == "teams" else AGUI
