"""`THINKING_*` brackets: they have no ids, so findings about them name none, and overlapping ones are one fault."""

from __future__ import annotations

from typing import Any

from tests.core.agui.judged import judged
from webapp.core import Finding

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
OPEN, CLOSE = {"type": "THINKING_START"}, {"type": "THINKING_END"}
TEXT = {"type": "THINKING_TEXT_MESSAGE_START"}


def found(*events: Event) -> list[Finding]:
    """All but the note that the types are retired."""
    return [f for f in judged(*events).findings if f.rule != "AGUI-CMP-01"]


def test_overlapping_brackets_have_one_root() -> None:
    """A client remembers one id: the second end continues nothing, and a bracket stays open for it."""
    for number in (2, 3):
        events = [OPEN] * number + [CLOSE] * number
        told = [(f.rule, f.cause) for f in found(START, *events, FINISH)]
        root = f"AGUI-CMP-03@{number + 2}"
        assert told == [("AGUI-CMP-03", None), ("AGUI-RSN-03", root)]


def test_a_bracket_that_is_only_left_open_is_its_own_root() -> None:
    """Nothing overlaps; the sentence speaks of what is in the file."""
    text, span = found(START, OPEN, TEXT, FINISH)
    assert text.message == (
        "The run finishes while a reasoning message is still open. It was opened at #2, and no "
        "`THINKING_TEXT_MESSAGE_END` came before #3."
    )
    assert span.message == (
        "The run finishes while a reasoning span is still open. It was opened at #1, and no `THINKING_END` came "
        "before #3."
    )
    assert (text.cause, span.cause) == (None, None)


def test_several_are_counted_and_not_named() -> None:
    """Two that overlap and never end."""
    (left,) = found(START, OPEN, OPEN, FINISH)
    assert left.message.startswith(
        "The run finishes while 2 reasoning spans are still open. They were opened at #1 and #2"
    )


def test_a_bracket_over_two_runs_is_opened_again_by_its_own_type() -> None:
    """The advice names the event that the agent sends."""
    later = {"runId": "r-2"}
    left, end = found(START, OPEN, FINISH, START | later, CLOSE, FINISH | later)
    assert left.rule == "AGUI-RSN-03"
    assert end.message.startswith("An end for a reasoning span, which is not open. It belonged to run `r-1`")
    assert end.message.endswith("must be opened again with `THINKING_START`.")


def test_an_id_of_the_same_look_is_named_when_it_was_sent() -> None:
    """Not every id that begins so is made up."""
    (left,) = found(START, {"type": "REASONING_START", "messageId": "thinking-0"}, FINISH)
    assert "reasoning span `thinking-0` is still open" in left.message
    assert "no `REASONING_END` came" in left.message
