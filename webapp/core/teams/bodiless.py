"""Calls whose bodies were not recorded (logs of HTTP clients): what their answers and their pace alone prove.

Rules of this file: it looks only at POSTs without a recorded body, and keeps the newest of them with its chat. A call
that Teams answers with 202 or with a refusal that only streams get is a streaming call; of any other nothing is said.
046, 047 and 048 have their own places.
"""

from __future__ import annotations

from webapp.core.teams.answers import BY_KEY
from webapp.core.teams.limits import too_soon
from webapp.core.teams.phrases import answered, later
from webapp.core.teams.world import Call, World

# an answer that only a fault of the call gets -> the rule it proves
PROVES = {
    "E202-ORDER": "TEAMS-018", "E400-TEXT": "TEAMS-007", "E400-SYNTAX": "TEAMS-005", "E400-ENDONLY": "TEAMS-004",
    "E403-DONE": "TEAMS-031", "E403-TIME": "TEAMS-041", "E403-PREFIX": "TEAMS-020",
}  # fmt: skip
# an answer that ended the stream -> the rule that the next call with the same answer breaks
AGAIN = {"E403-STOP": "TEAMS-044", "E403-TIME": "TEAMS-042"}
STREAM_STATUS = 202  # plain messages are answered 201
UNSEEN = " The body was not recorded."


def look(world: World, call: Call) -> None:
    """Judge one call."""
    ex = call.ex
    if not ex.call or ex.bodied or ex.method != "POST" or not ex.path_known:
        return
    before = call.chat.bodiless
    if call.chat.teams:
        _refused(world, call, before)
        _pace(world, call, before)
    call.chat.bodiless = call


def _refused(world: World, call: Call, before: Call | None) -> None:
    key = call.ex.key or ""
    if key == "E403-UNKNOWN":
        world.tell(
            "TEAMS-052",
            call,
            "the call is refused with 403, and the log does not say why",
            "It may stand for the user’s Stop, the time limit, a text that does not extend what was shown, or anything "
            "else; only the answer’s body tells.",
        )
        return
    same = before is not None and before.ex.key == key
    rule = AGAIN.get(key) if same else PROVES.get(key)
    if rule is None or rule in call.told:
        return
    row = BY_KEY[key]
    if same and before is not None:
        title = f"the call goes on after #{before.seq} had the same answer: {row.title}"
        related, cause = [(before.seq, "previous")], world.blamed.get(before.seq)
    else:
        title, related, cause = f"Teams answers that {row.title}", [], None
    world.tell(rule, call, title, row.meaning + UNSEEN + answered(call), related=related, cause=cause)


def _pace(world: World, call: Call, before: Call | None) -> None:
    """037: less than a second after the call before it, both streaming calls by their answers."""
    limited = call.ex.key == "E429"
    gap = None
    if before is not None and call.at is not None and before.at is not None:
        gap = call.at - before.at
    quick = (
        gap is not None
        and gap >= 0
        and too_soon(gap)
        and before is not None
        and _streams(before)
        and _streams(call)
    )
    if not limited and not quick:
        return
    told = "the call is refused as one too many"
    if quick and gap is not None:
        told = f"the call comes {later(gap)} after the one before"
    why = "Teams takes one streaming call a second for a chat; chunks gather text for 1.5 s to 2 s."
    world.tell(
        "TEAMS-037",
        call,
        told,
        why + UNSEEN + answered(call),
        severity="error" if limited else None,
        related=[(before.seq, "previous")] if before is not None and quick else [],
    )


def _streams(call: Call) -> bool:
    ex = call.ex
    return ex.status == STREAM_STATUS or (ex.key or "").startswith(("E403-", "E429"))
