"""Where the service stops an agent. Rules of this file: one question, asked whenever an `error` is told of a call.

Source: contract, "Verdict": the first exchange with an `error` finding that was refused, or, with no recorded answer,
one whose rule the service answers with E400 or E403. 401, 412, 429, 5xx, a Stop that was respected and a stream that
a plain edit saved are no rejections. A 2xx that carries an error drops one chunk and stops nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.core.teams.world import Call, World

# Rules whose answer is known to be a 400 or 403 refusal; guesses of the specification are left out.
REFUSES = frozenset(
    {
        "TEAMS-001", "TEAMS-003", "TEAMS-004", "TEAMS-005", "TEAMS-006", "TEAMS-007", "TEAMS-016", "TEAMS-017",
        "TEAMS-020", "TEAMS-026", "TEAMS-031", "TEAMS-041", "TEAMS-042", "TEAMS-044", "TEAMS-046", "TEAMS-047",
        "TEAMS-048",
    }
)  # fmt: skip
PASSING = frozenset({401, 412, 429})


def note(world: World, call: Call, rule: str, basis: str) -> None:
    """An error was told of a call: remember the first that was refused, by stream, since an edit may save it."""
    if not _counts(call, rule, basis):
        return
    about = world if call.stream is None else call.stream
    if about.rejected is None or call.seq < about.rejected:
        about.rejected = call.seq


def first(world: World) -> int | None:
    """Record number, or None when nothing was rejected."""
    places = [stream.rejected for stream in world.streams if stream.edited is None]
    return min((place for place in (world.rejected, *places) if place is not None), default=None)


def _counts(call: Call, rule: str, basis: str) -> bool:
    ex = call.ex
    if ex.answered in ("unknown", "lost"):
        return basis == "predicted" and rule in REFUSES
    if ex.answered != "refused" or ex.status is None or ex.status in PASSING or ex.status >= 500:
        return False
    # the refusal that tells of the Stop is no fault; what is sent after it is
    return ex.key != "E403-STOP" or call.state == "stopped" or rule == "TEAMS-044"
