"""The two tables of a stream, walked along the published state machine.

Shapes, spelt out: a start that is accepted opens; text never goes back to status lines; final, Stop and time limit end
a stream; a refusal for content leaves it open for the service and over for the agent.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from webapp.core.teams import answers
from webapp.core.teams.tables import CALLS, ENDINGS, KINDS, MOVES, OPEN, STATES

# What was sent, or how it was answered, from a stream that does not exist yet -> the state it ends in.
WALKS = [
    ([], "refused"),
    (["over"], "refused"),
    (["no"], "refused"),
    (["again"], "refused"),
    (["lost"], "lost"),
    (["lost", "informative"], "informative"),
    (["informative"], "informative"),
    (["streaming"], "streaming"),
    (["informative", "informative", "streaming", "streaming"], "streaming"),
    (["streaming", "informative"], "streaming"),
    (["informative", "final"], "done"),
    (["streaming", "final"], "done"),
    (["streaming", "stop"], "stopped"),
    (["informative", "stop"], "stopped"),
    (["streaming", "time"], "expired"),
    (["streaming", "time", "edit"], "done"),
    (["streaming", "time", "time"], "expired"),
    (["streaming", "stop", "stop"], "stopped"),
    (["streaming", "over"], "broken"),
    (["streaming", "over", "over"], "broken"),
    (["streaming", "over", "streaming"], "streaming"),
    (["streaming", "over", "final"], "done"),
    (["streaming", "again", "streaming"], "streaming"),
    (["streaming", "no", "streaming", "final"], "done"),
    (["streaming", "lost", "done"], "done"),
    (["streaming", "final", "streaming"], "done"),
    (["streaming", "final", "done"], "done"),
    (["streaming", "final", "edit"], "done"),
    (["streaming", "final", "delete"], "done"),
    (["streaming", "delete"], "streaming"),
]
# Every pair that breaks a rule; all others are legal.
BROKEN = {
    ("streaming", "informative"): "TEAMS-022",
    ("broken", "informative"): "TEAMS-036",
    ("broken", "streaming"): "TEAMS-036",
    ("done", "informative"): "TEAMS-031",
    ("done", "streaming"): "TEAMS-031",
    ("done", "final"): "TEAMS-031",
    ("stopped", "informative"): "TEAMS-044",
    ("stopped", "streaming"): "TEAMS-044",
    ("stopped", "final"): "TEAMS-044",
    ("expired", "informative"): "TEAMS-042",
    ("expired", "streaming"): "TEAMS-042",
    ("expired", "final"): "TEAMS-042",
    ("expired", "edit"): "TEAMS-042",
    ("informative", "edit"): "TEAMS-010",
    ("streaming", "edit"): "TEAMS-010",
    **{
        (state, "delete"): "TEAMS-049"
        for state in ("informative", "streaming", "broken", "stopped", "expired")
    },
}


@pytest.mark.parametrize(
    ("steps", "end"), WALKS, ids=lambda value: " ".join(value) if isinstance(value, list) else value
)
def test_a_stream_walks_through_its_states(steps: Sequence[str], end: str) -> None:
    """The state machine of the wire model, step by step."""
    state = "refused"
    for step in steps:
        state = MOVES[state, step].next
    assert state == end


def test_both_tables_are_total() -> None:
    """No pair of state and call, or of state and answer, is without a cell."""
    assert set(CALLS.cells) == {(state, kind) for state in STATES for kind in KINDS}
    assert set(MOVES.cells) == {(state, ending) for state in STATES for ending in ENDINGS}


def test_a_call_breaks_what_it_must_and_nothing_else() -> None:
    """Each illegal pair names its one rule; every other pair is legal, and a call alone moves nothing."""
    assert {pair: cell.rule for pair, cell in CALLS.cells.items() if cell.rule is not None} == BROKEN
    assert all(cell.next == state for (state, _), cell in CALLS.cells.items())
    assert all(cell.rule is None for cell in MOVES.cells.values())


@pytest.mark.parametrize("state", ["done", "stopped", "expired"])
def test_an_ended_stream_never_opens_again(state: str) -> None:
    """No answer to whatever comes later brings an ended stream back."""
    assert not {MOVES[state, ending].next for ending in ENDINGS} & OPEN


def test_every_answer_of_the_service_has_a_way_on() -> None:
    """What an answer does to a stream is an input of the table."""
    assert {row.ends for row in answers.ANSWERS} <= set(ENDINGS)
