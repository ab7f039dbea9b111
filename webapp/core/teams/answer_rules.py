"""TEAMS-051 to 056: what the answers say, what is repeated after them, and where the recording was made.

Rules of this file: it reads the world before the call changes it, and tells; 056 alone marks its chat. Source:
specification 2.7 and 2.8 ("Final sent twice", "Repeats", "Answers as they come").
"""

from __future__ import annotations

from webapp.core.teams.answers import BY_KEY, error_of
from webapp.core.teams.phrases import answered, code, name_of, quote
from webapp.core.teams.world import TEST_CHANNELS, Call, World

TEAMS_HOST = "smba."
NOT_STREAMING = frozenset({"E-CONNECTOR", "E-OTHER"})
RENEWED = frozenset({401, 404})  # repeated with another token or address: that is no blind repeat
# Where a repeat has a finding of its own: 031 after the final, 042 after the limit, 044 after the Stop.
SAID = frozenset({"TEAMS-031", "TEAMS-042", "TEAMS-044"})


def look(world: World, call: Call) -> None:
    """Judge one call."""
    _channel(world, call)
    if call.ex.kind == "inbound":
        return
    _answer(world, call)
    _repeat(world, call)


def _channel(world: World, call: Call) -> None:
    """056: once a chat; from then on the rules that hold on Teams only are off for it."""
    chat, ex = call.chat, call.ex
    if ex.host.startswith(TEAMS_HOST):
        chat.hosted = True
    if not chat.teams:
        return
    if ex.channel.lower() in TEST_CHANNELS:
        title = f"the recording was made on the channel {code(ex.channel)}, not in Teams"
    elif ex.host and ex.path_known and not chat.hosted and not ex.host.startswith(TEAMS_HOST):
        title = f"the calls go to {code(ex.host)}, which is no host of Teams"
    else:
        return
    chat.teams = False
    world.tell(
        "TEAMS-056",
        call,
        title,
        "Rules that hold in Teams only are not judged for this chat: TEAMS-011, 020, 027 to 029 and 037 to 048.",
        basis="confirmed",
    )


def _answer(world: World, call: Call) -> None:
    """051, 052 and 055: answers that are easily misread."""
    ex = call.ex
    if ex.answered == "dropped":
        word, message = error_of(ex.answer)
        said = ": ".join(code(one) if one is word else quote(one, 100) for one in (word, message) if one)
        world.tell(
            "TEAMS-051",
            call,
            f"{name_of(call)} is answered {ex.status} with an error inside",
            f"The status is a success, the answer’s body says {said or 'that there was an error'}. What the call "
            "carried was dropped.",
        )
    elif ex.key == "E403-UNKNOWN" and ex.streamed:
        body = "an empty body" if ex.answer in (None, "", {}) else "a body that names no reason"
        world.tell(
            "TEAMS-052",
            call,
            f"{name_of(call)} is refused with 403 and no reason",
            f"The answer has {body}. It may stand for the user’s Stop, the time limit or anything else; the stream "
            "must be taken as ended.",
        )
    elif ex.key in NOT_STREAMING and ex.answered == "refused":
        why = BY_KEY["E-CONNECTOR"].meaning if ex.key == "E-CONNECTOR" else BY_KEY["E-OTHER"].meaning
        world.tell(
            "TEAMS-055",
            call,
            f"{name_of(call)} is refused with {ex.status}, which is not about streaming"
            if ex.key == "E-CONNECTOR"
            else f"{name_of(call)} is refused with {ex.status}, an answer that streams do not know",
            why + answered(call),
        )


def _repeat(world: World, call: Call) -> None:
    """053 and 054: a failed call is sent again. A repeat after 429 is 039's, a start whose answer was lost 015's."""
    before = call.repeats
    if before is None or call.rule in SAID:
        return
    related = [(before.seq, "previous")]
    if before.ambiguous:
        if call.starts and before.ex.answered == "lost":
            return
        lost = "has no recorded answer" if before.ex.unrecorded else "got no answer"
        how = lost if before.ex.answered == "lost" else f"was answered {before.ex.status}"
        if call.arrived:
            why = f"The answer now is that the stream was complete already. So #{before.seq} had arrived, and the user "
            why += "has the whole text."
        else:
            why = "Whether it had been carried out is not known. With the same number a repeat does no harm."
        world.tell(
            "TEAMS-054",
            call,
            f"{name_of(call)} is sent again after #{before.seq} {how}",
            why + ("" if call.arrived else answered(call)),
            related=related,
        )
    elif before.ex.status is not None and before.ex.key != "E429" and before.ex.status not in RENEWED:
        title = BY_KEY[before.ex.key or "E-OTHER"].title
        world.tell(
            "TEAMS-053",
            call,
            f"{name_of(call)} is sent again after #{before.seq} was refused for good",
            f"#{before.seq} was answered {before.ex.status}: {title}. The same call gets the same answer."
            f"{answered(call)}",
            related=related,
            cause=world.blamed.get(before.seq),
        )
