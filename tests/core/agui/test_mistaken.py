"""A piece or an end under a wrong id: one fault, though another item stays open for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import found

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
# kind -> member that names the item, opener, end, rules of an end for nothing and of an item that stays open
KINDS: dict[str, tuple[str, Event, Event, str, str]] = {
    "text": (
        "messageId",
        {"type": "TEXT_MESSAGE_START"},
        {"type": "TEXT_MESSAGE_END"},
        "AGUI-TXT-03",
        "AGUI-TXT-04",
    ),
    "tool": (
        "toolCallId",
        {"type": "TOOL_CALL_START", "toolCallName": "weather"},
        {"type": "TOOL_CALL_END"},
        "AGUI-TOL-03",
        "AGUI-TOL-04",
    ),
    "step": ("stepName", {"type": "STEP_STARTED"}, {"type": "STEP_FINISHED"}, "AGUI-STP-02", "AGUI-STP-04"),
    "subagent": (
        "subagentRunId",
        {"type": "SUBAGENT_STARTED", "name": "helper"},
        {"type": "SUBAGENT_FINISHED"},
        "AGUI-SUB-04",
        "AGUI-SUB-05",
    ),
}


@pytest.mark.parametrize("wrong", ["msg_1", "other"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_end_under_a_wrong_id_is_the_root_of_what_stays_open(kind: str, wrong: str) -> None:
    """Whether the id looks alike, or is the only loose end beside the only open item."""
    name, opener, end, loose, open_ = KINDS[kind]
    findings = found(START, opener | {name: "Msg-1"}, end | {name: wrong}, FINISH)
    assert [(f.rule, f.cause) for f in findings if f.severity == "fatal"] == [
        (loose, None),
        (open_, f"{loose}@2"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_loose_end_among_several_open_items_explains_none(kind: str) -> None:
    """Nobody can say which one it was meant for."""
    name, opener, end, _, open_ = KINDS[kind]
    events = [opener | {name: "a"}, opener | {name: "b"}, end | {name: "c"}]
    assert {f.cause for f in found(START, *events, FINISH) if f.rule == open_} == {None}


@pytest.mark.parametrize("kind", KINDS)
def test_two_loose_ends_explain_nothing(kind: str) -> None:
    """And an end that came before the item was opened was not meant for it."""
    name, opener, end, _, open_ = KINDS[kind]
    two = found(START, opener | {name: "a"}, end | {name: "b"}, end | {name: "c"}, FINISH)
    before = found(START, end | {name: "b"}, opener | {name: "a"}, FINISH)
    assert {f.cause for f in (*two, *before) if f.rule == open_} == {None}


def test_pieces_under_a_look_alike_id_leave_the_item_open() -> None:
    """Text and end went to the other spelling."""
    opener, piece, end = (
        {"type": f"TEXT_MESSAGE_{name}", "messageId": id_}
        for name, id_ in (("START", "Msg-1"), ("CONTENT", "msg_1"), ("END", "msg_1"))
    )
    findings = found(START, opener, piece | {"delta": "x"}, end, FINISH)
    assert [(f.rule, f.cause) for f in findings] == [("AGUI-TXT-02", None), ("AGUI-TXT-04", "AGUI-TXT-02@2")]


def test_steps_have_names() -> None:
    """Their sentence speaks of a name, that of a message of an id."""
    said = {}
    for kind in ("step", "text"):
        name, opener, end, _, _ = KINDS[kind]
        said[kind] = found(START, opener | {name: "Plan"}, end | {name: "plan"}, FINISH)[0].why
    tail = "which differs only in case, spaces, hyphens or underscores. To a client these are two"
    assert said["step"] == f"No step has this name, but #1 started `Plan`, {tail} names."
    assert said["text"] == f"No message has this id, but #1 opened `Plan`, {tail} ids."
