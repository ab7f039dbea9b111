"""Plain messages beside streams: whether they are of one turn, and whether they say the answer once more.

Rules of this file: questions only; what the answers mean is judged elsewhere. Source: contract, "turn".
"""

from __future__ import annotations

from itertools import islice

from webapp.core.teams.compare import repeats_answer
from webapp.core.teams.world import Call, Stream

NEAR = 8  # streams that are looked back at


def same_turn(stream: Stream, call: Call) -> bool:
    """Of one turn: they answer the same activity, or lie close together where none is named."""
    last = stream.last
    if last is not None and last.ex.turn is not None and call.ex.turn is not None:
        return last.ex.turn == call.ex.turn
    return stream.turn == call.turn


def repeated_stream(call: Call, state: str) -> Stream | None:
    """The newest stream of the call's turn, in that state, whose answer the message `call` holds once more.

    The answer is what was shown, or the text that the service refused when it ended the stream.
    """
    text = call.ex.text
    if not text:
        return None
    for stream in islice(reversed(call.chat.streams), NEAR):
        if stream.state != state or not same_turn(stream, call):
            continue
        if stream.redacted:
            return None
        if repeats_answer(stream.text, text):
            return stream
        ended = stream.ended_by
        refused = ended is not None and not ended.fine and ended.ex.kind in ("streaming", "final")
        if refused and ended is not None and repeats_answer(ended.ex.text or "", text):
            return stream
    return None
