"""The recording ends: how each stream came out, and which were left open (TEAMS-030).

Rules of this file: outcomes, and streams that nobody closed. Source: specification 2.4 (030) and 2.8 ("Ended by 413",
"Start accepted, answer lost").
"""

from __future__ import annotations

from webapp.core.kinds import TeamsOutcome
from webapp.core.teams.limits import LIMIT
from webapp.core.teams.pacing import habit
from webapp.core.teams.phrases import code, later, name_of, tail
from webapp.core.teams.world import Call, Stream, World

# Refusals after which a stream can still be ended by the agent; after all others it can only be given up.
STILL_OURS = frozenset({"E403-PREFIX", "E400-REQ", "E400-SYNTAX", "E400-TEXT", "E400-ENDONLY"})


def close(world: World) -> None:
    """Tell of streams that were left open; their items are abandoned."""
    # a reply that was started once more, or deleted, has its finding already
    for stream in world.streams:
        if stream.last is not None:
            habit(world, stream.last, stream)
        if not stream.open:
            continue
        if _to_be_closed(stream):
            if stream.again or _deleted_last(stream):
                stream.unclosed = _evidence(world, stream)[0] is not None
            else:
                _unclosed(world, stream)
        stream.item.state = "abandoned"


def outcome(stream: Stream) -> TeamsOutcome:
    """One of `findings.TEAMS_OUTCOMES`."""
    if stream.edited is not None or (stream.open and _edited_last(stream)):
        return "edited"
    if stream.state == "stopped":
        return "stopped"
    if stream.state == "expired":
        return "expired"
    if stream.state == "done":
        return "finished"
    if stream.state == "refused" or (stream.state == "broken" and not stream.unclosed):
        return "refused"
    return "unclosed" if stream.unclosed else "open"


def _edited_last(stream: Stream) -> bool:
    return stream.last is not None and stream.last.ex.kind == "edit" and stream.last.fine


def _deleted_last(stream: Stream) -> bool:
    return stream.last is not None and stream.last.ex.kind == "delete" and stream.last.fine


def _to_be_closed(stream: Stream) -> bool:
    """Whether the agent still owes the stream its final, as far as the recording shows."""
    if stream.last is None or _edited_last(stream) or (stream.anchored and stream.opened is None):
        return False
    if not stream.anchored and stream.text_call is None and stream.status_call is None:
        return False  # no call into it succeeded, so nothing shows that there is such a stream
    if stream.state != "broken":
        return True
    refused = stream.refused_by
    return refused is not None and refused.ex.key in STILL_OURS


def _unclosed(world: World, stream: Stream) -> None:
    """030: an error where the recording shows that nothing more came; else a note that it ends too early."""
    last = stream.last
    if last is None:
        return
    evidence, place = _evidence(world, stream)
    refused = stream.refused_by if stream.state == "broken" else None
    if evidence is None and refused is not None and _explained(world, refused):
        return  # the refusal has its finding, and nothing shows what the agent made of it
    held = "" if not stream.text else f" The bubble holds {tail(stream.text)}."
    opened = stream.first if stream.opened is None else stream.opened
    related = [(opened, "opened")] if opened != last.seq else []
    if place is not None and place != last.seq:
        related.append((place, "later"))
    started = "goes on" if not stream.anchored else f"was opened by #{opened}"
    if evidence is None:
        world.tell(
            "TEAMS-030",
            last,
            "the recording ends inside a stream",
            f"The stream {code(stream.tag)} {started}; its newest call is #{last.seq}, and no final is recorded.{held} "
            "Whether one came later cannot be seen.",
            severity="info",
            related=related,
            stream=stream,
        )
        return
    stream.unclosed = True
    world.tell(
        "TEAMS-030",
        last,
        f"the stream {code(stream.tag)} is never ended",
        f"It {started}, and after {name_of(last)} (#{last.seq}) nothing more was sent into it, but {evidence}.{held} "
        "It stays “in progress” until the client gives it up.",
        related=related,
        stream=stream,
        cause=None if refused is None else world.blamed.get(refused.seq),
    )


def _explained(world: World, refused: Call) -> bool:
    """Whether a finding says why the call, or the one it repeats, was refused."""
    first = refused.repeats
    return refused.seq in world.blamed or (first is not None and first.seq in world.blamed)


def _evidence(world: World, stream: Stream) -> tuple[str | None, int | None]:
    """What shows that the final is missing rather than not yet sent, and the record that shows it."""
    if stream.left is not None:
        place, how = stream.left
        words = {
            "message": f"#{place} sends the answer as a message of its own",
            "inbound": f"the user’s next message follows (#{place})",
            "turn": f"the agent answers another message of the user (#{place})",
        }
        return words[how], place
    since = stream.since if stream.anchored else None
    if since is not None and world.newest_at is not None and world.newest_at - since >= LIMIT:
        return f"the recording goes on until {later(world.newest_at - since)} after its start", None
    return None, None
