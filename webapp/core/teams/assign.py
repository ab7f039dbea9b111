"""Which turn and which stream a call belongs to, and whether it repeats a call that failed.

Rules of this file: it decides, and marks on the call what was odd about it (`foreign`, `nameless`, `starts`,
`repeats`); what that breaks is told elsewhere. Source: specification 1.7, 2.8; a turn is a `replyToId`, or 120 s
without one.
"""

from __future__ import annotations

from webapp.core.teams.apply import begun
from webapp.core.teams.limits import LIMIT
from webapp.core.teams.tables import CALLS, KINDS
from webapp.core.teams.world import TURN_SECONDS, Call, Chat, Stream, World


def assign(world: World, call: Call) -> None:
    """Fill in the call's turn, stream, state and repetition; opens a stream object where one begins."""
    chat, ex = call.chat, call.ex
    _turn(chat, call)
    if ex.kind in ("edit", "delete"):
        call.stream = chat.by_id.get(ex.target or "")
        if call.stream is None and ex.stream_id:
            call.stream = chat.by_id.get(ex.stream_id)
    elif ex.streamed:
        call.stream = _named(world, chat, call) if ex.stream_id else _nameless(world, chat, call)
    stream = call.stream
    if stream is None:
        return
    if ex.kind == "edit":
        _clock(stream, call)
    call.state = stream.state
    call.repeats = _repeated(stream, call)
    if call.repeats is not None:
        if call.repeats.ex.unrecorded:
            call.repeats.ex.answered = "lost"  # it is sent again, so no answer came
        call.tries = call.repeats.tries + 1
    if ex.kind in KINDS and not (call.repeats and call.repeats.ex.answered == "lost"):
        call.rule = CALLS[stream.state, ex.kind].rule


def _clock(stream: Stream, call: Call) -> None:
    """The two minutes are over for an edit too, when the agent minds the clock by itself."""
    since = stream.since
    if stream.open and since is not None and call.at is not None and call.at - since > LIMIT:
        stream.state = "expired"


def _turn(chat: Chat, call: Call) -> None:
    """A new turn begins with the user's word, with another `replyToId`, or after a long pause without one."""
    ex = call.ex
    if ex.kind == "inbound":
        chat.turn += 1
        chat.reply_to = ex.own
    elif ex.turn is not None:
        if chat.reply_to is not None and ex.turn != chat.reply_to:
            chat.turn += 1
        chat.reply_to = ex.turn
    elif chat.reply_to is None and call.at is not None and chat.newest_at is not None:
        stream = chat.newest
        # a long silence inside an open stream is a slow turn, not another one
        if call.at - chat.newest_at > TURN_SECONDS and not (stream is not None and stream.open):
            chat.turn += 1
    if call.at is not None:
        chat.newest_at = call.at if chat.newest_at is None else max(call.at, chat.newest_at)
    call.turn = chat.turn


def _named(world: World, chat: Chat, call: Call) -> Stream:
    """The stream a call names by id."""
    wanted = call.ex.stream_id or ""
    found = chat.by_id.get(wanted)
    if found is not None:
        return found
    # transcripts and lost answers: the first id used after a start whose id nobody knows is that start's
    here = chat.in_turn(call.turn)
    if here is not None and here.guessed and here.last is here.start:
        here.guessed = False
        here.id = wanted
        chat.by_id[wanted] = here
        return here
    start = None if here is None else here.start
    if (
        here is not None
        and start is not None
        and start.ex.unrecorded
        and here.last is start
        and here.state == "lost"
    ):
        begun(here, start, wanted)
        return here
    call.foreign = True
    if here is not None and here.open and here.anchored:
        return here  # it goes on with that reply, under a wrong id
    stream = _open(world, chat, call, anchored=False)
    stream.id = wanted
    stream.tag = stream.item.id = stream.item.lane = _tag(world, wanted, call)
    chat.by_id[wanted] = stream
    stream.state = "informative" if call.ex.kind == "informative" else "streaming"
    return stream


def _nameless(world: World, chat: Chat, call: Call) -> Stream:
    """A stream call without an id: a start, a repeated start, or a later call that forgot it."""
    ex = call.ex
    here = chat.in_turn(call.turn)
    if ex.kind == "final" or ex.wrong_kind:
        if here is not None and here.state in ("refused", "lost", "informative", "streaming", "broken"):
            call.nameless = True
            return here
        return _open(world, chat, call, anchored=True)
    number = ex.number
    if here is not None and here.state in ("refused", "lost"):
        failed = _repeated(here, call)
        if failed is not None:
            call.starts = failed.starts
            call.nameless = failed.nameless
            return here
    if here is not None and _goes_on(here, call):
        call.nameless = number is not None
        return here
    stream = _open(world, chat, call, anchored=True)
    call.starts = True
    stream.start = call
    return stream


def _goes_on(here: Stream, call: Call) -> bool:
    """Whether a call without an id belongs to the reply at hand rather than starting one."""
    ex = call.ex
    if not (here.open or here.state in ("refused", "lost")):
        return False
    if ex.number is None and ex.stream_type is None and ex.sequence is None:
        return not here.open  # its fields were lost on the way, like those of the refused start
    # a new id in the answer: the service took it for a start
    fresh = ex.answered == "ok" and ex.issued is not None and ex.issued not in here.chat.by_id
    return ex.number is not None and ex.number > 1 and not fresh


def _open(world: World, chat: Chat, call: Call, *, anchored: bool) -> Stream:
    ex = call.ex
    # the answer is recorded with the call, so a stream has its real name from its first record on
    issued = ex.issued or (ex.own if ex.answered == "unknown" else None)
    tag = _tag(world, issued if anchored and ex.kind != "final" else None, call)
    ord_ = len(world.streams)
    item = world.new_item("text", tag, tag, ord_, call.seq, "reply")
    stream = Stream(
        ord=ord_, tag=tag, chat=chat, turn=call.turn, item=item, anchored=anchored, first=call.seq
    )
    world.streams.append(stream)
    chat.streams.append(stream)
    return stream


def _tag(world: World, wanted: str | None, call: Call) -> str:
    """The stream's id; its first record where there is none, or where it is another stream's (of any chat) already."""
    tag = wanted if wanted and wanted not in world.tags else f"#{call.seq}"
    world.tags.add(tag)
    return tag


def _repeated(stream: Stream, call: Call) -> Call | None:
    """The failed call with the same number and text that this one sends again."""
    ex = call.ex
    for earlier in reversed(stream.pending):
        other = earlier.ex
        # a mended pair of types is no repetition
        if (other.kind, other.wrong_kind, other.sequence, other.text, other.stream_id) == (
            ex.kind, ex.wrong_kind, ex.sequence, ex.text, ex.stream_id
        ):  # fmt: skip
            return earlier
    return None
