"""Let the world move on after a call: states, texts, ids, clocks.

Rules of this file: it changes streams and chats and judges nothing. `CALLS` and the families looked before.
"""

from __future__ import annotations

import re

import msgspec

from webapp.core import kinds
from webapp.core.records import Item
from webapp.core.teams import answers, compare
from webapp.core.teams.limits import LIMIT
from webapp.core.teams.tables import MOVES, OPEN
from webapp.core.teams.turns import same_turn
from webapp.core.teams.world import MAX_GAPS, MAX_OPEN, PENDING, Call, Stream, World

_MASKED = re.compile(
    r"[\W_]*(?:redacted|masked|removed|hidden|filtered)\b.*|\*{3,}|x{5,}", re.IGNORECASE | re.DOTALL
)

_NAMELESS = frozenset({"TEAMS-016", "TEAMS-026"})
_WRONG_NUMBER = ("TEAMS-017", "TEAMS-018", "TEAMS-005", "TEAMS-006")


class Change(msgspec.Struct, gc=False):
    """What a call changed on the user's screen. kind: opened | touched | closed; text: characters that came new."""

    item: Item | None = None
    kind: kinds.Change | None = None
    text: str | None = None


def apply(world: World, call: Call) -> Change:
    """Move the world on by one call; what the user's screen shows of it."""
    if call.ex.streamed:
        call.chat.last_streamed = call
    if call.at is not None and sends(call):
        call.chat.sends.append(call.at)
    _left(call)
    if call.ex.turn is not None:
        call.chat.replies[call.ex.turn] = None
        if len(call.chat.replies) > MAX_OPEN:
            del call.chat.replies[next(iter(call.chat.replies))]
    if call.stream is not None:
        return _in_stream(call, call.stream)
    ex = call.ex
    if ex.kind in ("message", "inbound") and ex.text is not None:
        name = "user" if ex.kind == "inbound" else "message"
        item = world.new_item("text", ex.issued or ex.own or f"#{call.seq}", None, None, call.seq, name)
        shown = ex.text if call.fine else None
        item.state, item.closed, item.count = "closed", call.seq, 1
        item.chars = len(ex.text)
        return Change(item, "opened", shown)
    return Change()


def sends(call: Call) -> bool:
    """Whether it counts against the chat's send quota: whatever the agent posts."""
    ex = call.ex
    if ex.kind in ("inbound", "edit", "delete"):
        return False
    return ex.kind != "other" or (ex.call and ex.method == "POST" and ex.path_known)


def _left(call: Call) -> None:
    """Note what shows of the chat's open streams that the agent, or the user, has turned to something else."""
    ex, chat = call.ex, call.chat
    plain = ex.kind == "message" and bool(ex.text) and call.fine
    inbound = ex.kind == "inbound"
    another = (
        ex.turn is not None and ex.turn not in chat.replies
    )  # the first call for that message of the user
    if not (plain or inbound or another):
        return
    for stream in chat.open:
        if stream is call.stream:
            continue
        if plain and _answers(stream, call):
            stream.left = call.seq, "message"
        elif stream.left is None and (inbound or (another and not same_turn(stream, call))):
            stream.left = call.seq, "inbound" if inbound else "turn"


def _answers(stream: Stream, call: Call) -> bool:
    """A message that holds what was streamed; after mere status lines, any of the same turn."""
    if stream.text:
        return compare.repeats_answer(stream.text, call.ex.text or "")
    return stream.turn == call.turn and same_turn(stream, call)


def _in_stream(call: Call, stream: Stream) -> Change:
    before = stream.state
    was = stream.text
    if call.starts:
        stream.start = call
    _count(call, stream)
    ending = _ending(call)
    if not _doomed(call):
        stream.state = MOVES[before, ending].next
    _pending(call, stream)
    if call.fine or call.arrived:
        _accepted(call, stream, before)
    if call.ex.answered == "refused" and before in OPEN and stream.state == "broken":
        stream.refused_by = call
    slowest = stream.slowest
    if call.ended is not None and (slowest is None or slowest.ended is None or call.ended > slowest.ended):
        stream.slowest = call
    stream.left = None
    chat = stream.chat
    chat.open = [one for one in chat.open[-MAX_OPEN:] if one is not stream]
    if stream.open:
        chat.open.append(stream)
    if stream.state in ("done", "stopped", "expired") and stream.state != before:
        stream.ended_by = call
    stream.last = call
    return _screen(call, stream, was)


def _pending(call: Call, stream: Stream) -> None:
    """Keep what failed, for a later call may repeat it; of one logical exchange only the newest try."""
    repeated = call.repeats
    if repeated is not None:
        stream.pending = [earlier for earlier in stream.pending if earlier is not repeated]
        repeated.repeats = None  # no chain of all tries
    if call.failed or call.ex.unrecorded:
        stream.pending = [*stream.pending[1 - PENDING :], call]


def _ending(call: Call) -> str:
    ex = call.ex
    if overdue(call):
        return "time"
    if call.fine:
        return ex.kind
    if ex.kind in ("edit", "delete"):
        return "no"  # that an edit fails says nothing of the stream
    if ex.answered == "lost":
        return "lost"
    if ex.answered == "dropped" and ex.key not in answers.BY_KEY:
        return "no"
    ends = answers.BY_KEY[ex.key or "E-OTHER"].ends
    return "over" if ends == "no" and ex.answered == "refused" else ends


def overdue(call: Call) -> bool:
    """Without recorded answers: a streaming call after the two minutes, which the service refuses."""
    stream = call.stream
    if call.ex.answered != "unknown" or stream is None or not call.ex.streamed or not call.chat.teams:
        return False
    since = stream.since
    return since is not None and call.at is not None and call.at - since > LIMIT


def _doomed(call: Call) -> bool:
    """Without recorded answers: a call of which the rules say that the service refuses it."""
    if call.ex.answered != "unknown":
        return False
    stream = call.stream
    if call.ex.wrong_kind or not _NAMELESS.isdisjoint(call.told):
        return True
    return stream is not None and stream.prefix_break is call


def _count(call: Call, stream: Stream) -> None:
    """Numbers and gaps, of what is no repetition."""
    number = call.ex.number
    if number is not None and (stream.highest is None or number > stream.highest):
        stream.highest, stream.highest_call = number, call
        stream.astray, stream.astray_key = 0, None
    else:
        _astray(call, stream)
    last = stream.last
    if call.repeats is not None or last is None or not call.ex.kind == last.ex.kind == "streaming":
        return
    if call.at is not None and last.at is not None and len(stream.gaps) < MAX_GAPS:
        stream.gaps.append(call.at - last.at)


def _astray(call: Call, stream: Stream) -> None:
    """Remember that a number was used up by a call that did not say it, for the gap that it leaves."""
    number, gap = call.ex.number, stream.gap
    late = number is not None and gap is not None and gap.low < number < gap.high
    found = next((call.told[rule] for rule in _WRONG_NUMBER if rule in call.told), None)
    if found is not None and not late:
        stream.astray, stream.astray_key = stream.astray + 1, found.key


def _accepted(call: Call, stream: Stream, before: str) -> None:
    ex = call.ex
    if call.starts and stream.opened is None:
        _opened(call, stream)
    text = ex.text
    if text is not None and _MASKED.fullmatch(text):
        stream.redacted = True
    if _doomed(call) or overdue(call):
        return
    if ex.kind == "streaming" and ex.stream_type is None and ex.sequence is None and ex.stream_id is None:
        return  # its fields were lost: nobody knows whether it was a status or a chunk
    if ex.kind == "informative":
        stream.status, stream.status_call = text or "", call
    elif text is not None and (ex.kind == "edit" or (ex.kind in ("streaming", "final") and before != "done")):
        stream.text, stream.text_call = text, call
    if ex.kind == "edit" and before == "expired":
        stream.edited = call.seq


def _opened(call: Call, stream: Stream) -> None:
    """The start was accepted: from here on the stream exists, under the id that was issued."""
    ex = call.ex
    stream.opened = call.seq
    stream.since = call.at if call.ended is None else call.ended
    stream.item.opened = call.seq
    issued = ex.issued or (ex.own if ex.answered == "unknown" else None)
    stream.guessed = ex.issued is None
    if issued is not None:
        stream.id = issued
        known = stream.chat.by_id.get(issued)
        if known is None or not known.open:  # a service that gives an id out once more means the newer stream
            stream.chat.by_id[issued] = stream  # its lane keeps the name that its first record gave it


def begun(stream: Stream, start: Call, id: str) -> None:
    """A call names the id that a start without a recorded answer must have got: the start was accepted."""
    start.ex.answered = "unknown"
    stream.pending = []
    stream.state = start.ex.kind
    _accepted(start, stream, "refused")
    stream.id, stream.guessed = id, False
    stream.chat.by_id[id] = stream
    stream.chat.open = [*stream.chat.open[1 - MAX_OPEN :], stream]


def _screen(call: Call, stream: Stream, was: str) -> Change:
    """The stream's item after the call."""
    item = stream.item
    item.last = call.seq
    item.count += 1
    new = None
    if stream.text_call is call:
        same = compare.shared(was, stream.text)
        new = stream.text[same:]
        item.chars += len(new)
    if stream.opened is None and stream.anchored:
        item.state = "phantom"
        item.opened = None
        return Change(item, "touched", new)
    opened = stream.opened == call.seq or (not stream.anchored and stream.first == call.seq)
    item.state = "closed" if stream.state in ("done", "stopped", "expired") else "open"
    if item.state == "closed" and item.closed is None:
        item.closed = call.seq
        return Change(item, "closed", new)
    return Change(item, "opened" if opened else "touched", new)
