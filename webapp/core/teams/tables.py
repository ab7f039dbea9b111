"""What may follow what in one stream: two total tables.

Rules of this file: states, inputs and cells only. `CALLS` says which rule a call breaks in the state it meets;
`MOVES` says where the answer leads. Source: the specification's state machine; recovery is chosen so that one
defect gives one finding.
"""

from __future__ import annotations

from webapp.core.machine import Cell, Table

# refused:     the start was refused, so no stream exists       lost:    the start got no answer, so nobody knows
# informative: open, only status lines so far                   streaming: open, text has begun
# broken:      open for the service, but a refusal should have ended it for the agent
# done:        ended by a final or an edit    stopped: by the user    expired: by the two-minute limit
STATES = ("refused", "lost", "informative", "streaming", "broken", "done", "stopped", "expired")
OPEN = frozenset({"informative", "streaming", "broken"})
KINDS = ("informative", "streaming", "final", "edit", "delete")
# ok answers by what was sent, then the ways an answer can end things (`answers.Answer.ends`)
ENDINGS = (
    "informative",
    "streaming",
    "final",
    "edit",
    "delete",
    "stop",
    "time",
    "done",
    "over",
    "again",
    "no",
    "lost",
)


def _calls() -> dict[tuple[str, str], Cell]:
    cells = {(state, kind): Cell(state) for state in STATES for kind in KINDS}

    def breaks(rule: str, states: str, kinds: str) -> None:
        for state in states.split():
            for kind in kinds.split():
                cells[state, kind] = Cell(state, rule)

    breaks("TEAMS-022", "streaming", "informative")
    breaks("TEAMS-036", "broken", "informative streaming")
    breaks("TEAMS-031", "done", "informative streaming final")
    breaks("TEAMS-044", "stopped", "informative streaming final")
    breaks("TEAMS-042", "expired", "informative streaming final edit")
    breaks("TEAMS-010", "informative streaming", "edit")
    breaks("TEAMS-049", "informative streaming broken stopped expired", "delete")
    return cells


def _moves() -> dict[tuple[str, str], Cell]:
    cells = {(state, ending): Cell(state) for state in STATES for ending in ENDINGS}
    for state in ("refused", "lost", "informative", "broken"):
        cells[state, "informative"] = Cell("informative")
        cells[state, "streaming"] = Cell("streaming")
    for state in ("refused", "lost", "informative", "streaming", "broken"):
        cells[state, "final"] = Cell("done")
        cells[state, "stop"] = Cell("stopped")
        cells[state, "time"] = Cell("expired")
        cells[state, "done"] = Cell("done")
    for state in ("informative", "streaming"):
        cells[state, "over"] = Cell("broken")
    cells["lost", "over"] = Cell("refused")
    cells["refused", "lost"] = Cell("lost")
    # a final taken after all wins over the clock; an edit is the way out once the time is up
    cells["expired", "final"] = Cell("done")
    cells["expired", "edit"] = Cell("done")
    cells["stopped", "final"] = Cell("done")
    return cells


CALLS = Table("what a call breaks", STATES, KINDS, _calls())
MOVES = Table("where an answer leads", STATES, ENDINGS, _moves())
