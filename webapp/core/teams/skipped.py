"""Rules a recording cannot show, and why. Rules of this file: sentences only; nothing is judged here.

A rule stands here when no part of the recording could have broken it visibly. One that fired is never listed.
"""

from __future__ import annotations

from webapp.core.findings import Skipped
from webapp.core.teams.world import World

ON_TEAMS = (11, 20, *range(27, 30), *range(37, 49))
NEED_ANSWERS = (13, 14, 15, 36, 39, 42, 44, 47, 51, 52, 53, 54, 55)
NEED_ENDS = (35,)
NEED_TIMES = (35, 37, 38, 39, 40, 43, 45)
NEED_BODIES = (*range(1, 10), *range(11, 36), *range(36, 39), *range(41, 46), 48, 49, 50)
NEED_CALLS = (10, 49)
NEED_TEXTS = (20, 29, 50)
NEED_START = (12, 13, 14, 15, 41, 45)
# what one call shows by itself, whatever was before it
ALONE = (*range(1, 10), 17, 21, 23, 24, 27, 29, 32, 33, 34, 46, 47, 48, 51, 52, 54, 55, 56, 57)
GAP = "Calls are missing in the recording, and what this rule misses may have been among them."
BEHIND_GAP = {f"TEAMS-{number:03}": GAP for number in range(1, 58) if number not in ALONE}
NOT_TEAMS = "The recording was made outside Teams, where this rule does not hold."
NO_ANSWERS = "The recording holds no answers of the service."
NO_TIMES = "The recording holds no times."
NO_ENDS = "The recording does not say when the answers came."
NO_BODIES = "The recording holds no request bodies."
NO_CALLS = "The recording holds activities, not the calls that carried them: no method and no address."
MASKED = "The texts are masked in this recording."
NO_START = "The recording begins inside a stream; its start is missing."


def rules(world: World) -> list[Skipped]:
    """Rules that neither fired nor passed, by id."""
    if world.events == 0:
        return []
    reasons: dict[str, str] = dict(world.ledger.unjudged)
    for holds, numbers, reason in _blind(world):
        if holds:
            for number in numbers:
                reasons.setdefault(f"TEAMS-{number:03}", reason)
    fired = {finding.rule for finding in world.ledger.findings}
    return [Skipped(rule, reasons[rule]) for rule in sorted(reasons.keys() - fired)]


def _blind(world: World) -> list[tuple[bool, tuple[int, ...], str]]:
    """What the recording lacks, the rules that need it, and the sentence. The first reason of a rule is given."""
    streams = world.streams
    invented = any(f.rule == "TEAMS-011" and f.severity == "error" for f in world.ledger.findings)
    texts = [stream for stream in streams if stream.text or stream.status]
    return [
        (not any(chat.teams for chat in world.chats.values()), ON_TEAMS, NOT_TEAMS),
        (world.bodied == 0, NEED_BODIES, NO_BODIES),
        (world.calls == 0, NEED_CALLS, NO_CALLS),
        (world.answered == 0, NEED_ANSWERS, NO_ANSWERS),
        (world.timed == 0, NEED_TIMES, NO_TIMES),
        (world.timed == 0 and world.answered == 0, (41,), NO_TIMES),
        (world.ended == 0, NEED_ENDS, NO_ENDS),
        (bool(texts) and all(stream.redacted for stream in texts), NEED_TEXTS, MASKED),
        (bool(streams) and not invented and not any(one.anchored for one in streams), NEED_START, NO_START),
    ]
