"""Hazards: further shapes that fire, and the many that look like one and stay silent.

The plain firing case and near-miss of each are in `tests/cases`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.agui.judged import judged

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
SENTENCE = "I am looking into the status of your order now."


def run(*events: Event, finish: Event = FINISH, asked: Event | None = None) -> list[str]:
    """Hazards of one run, in order."""
    report = judged(START, *events, finish, asked=asked)
    return [f.rule.removeprefix("AGUI-") for f in report.findings if f.rule.startswith("AGUI-HAZ")]


def message(id_: str, text: str, **more: Any) -> list[Event]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": id_, **more},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": id_},
    ]


def call(id_: str, arguments: str = "", **more: Any) -> list[Event]:
    piece = {"type": "TOOL_CALL_ARGS", "toolCallId": id_, "delta": arguments}
    return [
        {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": "weather", **more},
        *([piece] if arguments else []),
        {"type": "TOOL_CALL_END", "toolCallId": id_},
    ]


def result(id_: str, call_id: str) -> Event:
    return {"type": "TOOL_CALL_RESULT", "messageId": id_, "toolCallId": call_id, "content": "Sunny"}


def snapshot(*messages: Event) -> Event:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def chunk(id_: str, text: str) -> Event:
    return {"type": "TEXT_MESSAGE_CHUNK", "messageId": id_, "delta": text}


def caller(id_: str, *call_ids: str) -> Event:
    made = [{"id": c, "type": "function", "function": {"name": "weather", "arguments": ""}} for c in call_ids]
    return {"id": id_, "role": "assistant", "toolCalls": made}


def test_a_dropped_message_that_comes_back_under_a_new_id_is_told_once() -> None:
    """MSG-04 says what happened to it; a longer message that holds its text has saved it."""
    assert (
        run(chunk("m-1", SENTENCE), snapshot({"id": "m-2", "role": "assistant", "content": SENTENCE})) == []
    )
    longer = {"id": "m-2", "role": "assistant", "content": f"{SENTENCE} Done."}
    assert run(chunk("m-1", SENTENCE), snapshot(longer)) == []


def test_an_open_message_that_a_snapshot_drops_is_the_rules_matter() -> None:
    """MSG-03 and TXT-08 tell of it; no hazard is added."""
    start, piece, end = message("m-1", SENTENCE)
    assert run(start, piece, snapshot(), piece, end) == []


@pytest.mark.parametrize(
    "between",
    [
        [*call("c-1"), result("x-1", "c-1")],
        [{"type": "STEP_STARTED", "stepName": "look"}, {"type": "STEP_FINISHED", "stepName": "look"}],
    ],
    ids=["a call", "a step"],
)
def test_a_sentence_may_be_said_again_after_some_work(between: list[Event]) -> None:
    """A sentence that announces each of two calls is no answer sent twice; a long answer is."""
    assert run(*message("m-1", SENTENCE), *between, *message("m-2", SENTENCE)) == []
    assert run(*message("m-1", SENTENCE * 5), *between, *message("m-2", SENTENCE * 5)) == ["HAZ-02"]


def test_short_words_other_speakers_and_later_runs_may_repeat_a_text() -> None:
    """`Done.` twice, a user's echo, a subagent's answer passed on and the next run's answer are no hazard."""
    assert run(*message("m-1", "Done."), *message("m-2", "Done.")) == []
    assert run(*message("m-1", SENTENCE, role="user"), *message("m-2", SENTENCE, role="user")) == []
    assert run(*message("m-1", SENTENCE, subagentRunId="s-1"), *message("m-2", SENTENCE)) == []
    again = START | {"runId": "r-2"}
    later = FINISH | {"runId": "r-2"}
    assert run(*message("m-1", SENTENCE), FINISH, again, *message("m-2", SENTENCE), finish=later) == []


def test_two_texts_under_an_id_that_the_snapshot_gives_up_are_mixed_too() -> None:
    """Neither of the two messages of the snapshot has the streamed id."""
    two = [
        {"id": id_, "role": "assistant", "content": text}
        for id_, text in (("a", "Refund booked."), ("b", "Parcel lost."))
    ]
    assert run(*message("m-1", "Refund Parcel booked.lost. "[:26]), snapshot(*two)) == ["HAZ-03"]


def test_an_edited_message_is_not_a_mixed_one() -> None:
    """A snapshot may shorten a message and bring another."""
    edited = {"id": "m-1", "role": "assistant", "content": SENTENCE[:20]}
    other = {"id": "m-2", "role": "assistant", "content": "Something else altogether."}
    assert run(*message("m-1", SENTENCE), snapshot(edited, other)) == []


def test_arguments_that_fit_together_only_are_mixed() -> None:
    """Two broken calls whose braces close each other's; the notes about them become consequences."""
    events = [*call("c-1", '{"city":{"city":"Oslo"'), *call("c-2", '"Rome"}}')]
    report = judged(START, *events, result("x-1", "c-1"), result("x-2", "c-2"), FINISH)
    hazard = next(f for f in report.findings if f.rule == "AGUI-HAZ-04")
    notes = [f for f in report.findings if f.rule == "AGUI-TOL-08"]
    assert notes
    assert {f.cause for f in notes} == {hazard.key}


@pytest.mark.parametrize(
    "events",
    [
        call("c-1", '{"city":"Os'),
        [*call("c-1", '{"city":"Os'), *call("c-2", '{"city":"Ro')],
        [*call("c-1", "Oslo, please"), *call("c-2")],
    ],
    ids=["one cut short", "two cut short", "no JSON"],
)
def test_arguments_that_are_merely_broken_are_not_mixed(events: list[Event]) -> None:
    """A call that is cut short is TOL-08 alone."""
    done = [
        result(f"x-{n}", event["toolCallId"])
        for n, event in enumerate(events)
        if event["type"] == "TOOL_CALL_END"
    ]
    assert run(*events, *done) == []


def test_a_message_with_a_call_that_gets_another_id_is_told() -> None:
    """The snapshot's message makes the same call; a message the client made up for a call does not count."""
    assert run(
        *message("m-1", "Hm"), *call("c-1", parentMessageId="m-1"), snapshot(caller("row-1", "c-1"))
    ) == ["HAZ-05"]
    assert run(*call("c-1"), snapshot(caller("row-1", "c-1"))) == []


def test_a_message_whose_blanks_differ_is_told() -> None:
    """MSG-04 compares letter by letter; the same words in other white space are the same message."""
    trimmed = {"id": "row-1", "role": "assistant", "content": SENTENCE.replace(" ", "\n")}
    assert run(*message("m-1", f"{SENTENCE} "), snapshot(trimmed)) == ["HAZ-05"]


@pytest.mark.parametrize(
    ("events", "more"),
    [
        ([*call("c-1"), *message("m-1", "So")], {}),
        ([*call("c-1"), *call("c-2"), result("x-1", "c-1")], {}),
        (
            [*call("c-1"), *call("c-2"), result("x-1", "c-1"), *message("m-1", "So")],
            {"finish": FINISH | {"outcome": {"type": "success", "pendingToolCallIds": ["c-2"]}}},
        ),
        (
            [*call("c-1"), *call("c-2"), result("x-1", "c-1"), *message("m-1", "So")],
            {"finish": FINISH | {"outcome": {"type": "cancelled"}}},
        ),
        (
            [
                *call("c-1"), *call("c-2"), result("x-1", "c-1"), *message("m-1", "So"),
                snapshot(
                    caller("c-1", "c-1"), caller("c-2", "c-2"), {"id": "m-1", "role": "assistant", "content": "So"},
                    *({"id": f"x-{n}", "role": "tool", "toolCallId": f"c-{n}", "content": "Sunny"} for n in (1, 2)),
                ),
            ],
            {},
        ),
    ],
    ids=["nothing answered", "no text after it", "pending", "cancelled", "answered by a snapshot"],
)  # fmt: skip
def test_calls_that_may_stay_open(events: list[Event], more: dict[str, Any]) -> None:
    """An unanswered call is a hazard only where the agent answers calls itself and goes on to speak."""
    assert run(*events, **more) == []


def test_a_call_to_the_applications_own_tool_may_stay_open() -> None:
    """The request offers the tool, so the application answers after the run."""
    tools = [{"name": "weather", "description": "Says the weather"}]
    asked = {
        "threadId": "t-1",
        "runId": "r-1",
        "messages": [],
        "tools": tools,
        "context": [],
        "protocolVersion": "1.0",
    }
    events = [*call("c-1"), *message("m-1", "Please confirm")]
    assert run(*events, asked=asked) == []
    assert run(*events, asked=asked | {"tools": []}) == ["HAZ-06"]


PAUSES = """
    on_interrupt OnInterrupt langgraph.interrupt com.example.interrupts hitl HumanInTheLoop human_input
    approvalneeded com.example.approval_requested tool.approval.required RequestApproval requires_approval
    request_input input_required waiting_for_approval awaiting_user_input pending_confirmation
    user_input_requested ConfirmationRequired
"""
NO_PAUSES = """
    com.example.progress com.example.interrupted approved PredictState uninterrupted uninterruptible whitlock
    no_interrupt NoInterrupt without_interrupt interrupt_handled interruptHandled interrupt.resume interrupt_ack
    interrupt_timeout interrupt_history interrupt_handler_registered after_interrupt enable_interrupt
    user_interrupt barge_in_interrupt audio.interruption no_approval_required auto_approval_request
    approval_request_expired hitl_done human_input_received data.request.input com.example.request_input_tokens
"""


@pytest.mark.parametrize(
    "name",
    PAUSES.split(),
)
def test_names_of_pauses(name: str) -> None:
    """Names frameworks give to a pause; told last, and then a success."""
    pause = {"type": "CUSTOM", "name": name, "value": "Go on?"}
    assert run(pause) == ["HAZ-07"]
    assert run(pause, *message("m-1", "Going on.")) == []


@pytest.mark.parametrize(
    "name",
    NO_PAUSES.split(),
)
def test_names_of_no_pauses(name: str) -> None:
    """Private events about other things, and about what is over."""
    assert run({"type": "CUSTOM", "name": name, "value": 1}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("com.example.request.input_tokens", 812),
        ("com.example.interrupts_enabled", True),
        ("com.example.approval_policy.required_mode", "auto"),
        ("com.example.approval_required", False),
        ("com.example.approval_required", None),
        ("com.example.approval_required", {"required": False}),
        ("com.example.approval_request_resolved", "yes"),
    ],
)
def test_settings_counts_and_answers_are_no_pauses(name: str, value: Any) -> None:
    """A name that only contains the words of a pause, and a value that says there is none."""
    assert run({"type": "CUSTOM", "name": name, "value": value}) == []


@pytest.mark.parametrize("value", [None, "", "null", {"value": None}, [{"value": None}]])
def test_an_interrupt_with_nothing_to_say_is_still_one(value: Any) -> None:
    """Frameworks send `on_interrupt` only when they pause, with whatever the pause was given, which may be nothing."""
    assert run({"type": "CUSTOM", "name": "on_interrupt", "value": value}) == ["HAZ-07"]


@pytest.mark.parametrize("value", [False, 0, {"active": False}, {"pending": 0}])
def test_an_interrupt_that_says_no_is_none(value: Any) -> None:
    """A switch is one under that name, too."""
    assert run({"type": "CUSTOM", "name": "on_interrupt", "value": value}) == []


def test_a_switch_that_says_yes_is_a_pause() -> None:
    """The same names with a value that does ask."""
    for value in (True, {"required": True}, {"question": "Go on?"}):
        assert run({"type": "CUSTOM", "name": "com.example.approval_required", "value": value}) == ["HAZ-07"]


def test_without_the_request_a_tool_nobody_answers_may_be_the_applications() -> None:
    """The agent answers its own tool and leaves the other to the application: legal, whatever it says after."""
    confirm = [
        {"type": "TOOL_CALL_START", "toolCallId": "c-2", "toolCallName": "confirm"},
        {"type": "TOOL_CALL_END", "toolCallId": "c-2"},
    ]
    answered = [*call("c-1"), result("x-1", "c-1")]
    assert run(*answered, *confirm, *message("m-1", "Please confirm")) == []
    assert run(*answered, *call("c-2"), *message("m-1", "It is sunny")) == ["HAZ-06"]


def test_small_and_relative_times_are_no_seconds() -> None:
    """Times since the start of the run, and times in milliseconds."""
    for time in (0, 1500, 86_400_000, 1_764_400_004_000):
        assert run(finish=FINISH | {"timestamp": time}) == []


def test_a_message_taken_up_again_without_a_turn_between_is_no_hazard() -> None:
    """An interrupted answer goes on in the next run under its id."""
    again, later = START | {"runId": "r-2"}, FINISH | {"runId": "r-2"}
    assert run(*message("m-1", "Shall I"), FINISH, again, *message("m-1", " go on?"), finish=later) == []


def test_a_rejected_stream_has_no_hazards() -> None:
    """What a client never reached went wrong for another reason."""
    stray = {"type": "TEXT_MESSAGE_END", "messageId": "nobody"}
    assert run(stray, *message("m-1", SENTENCE), *message("m-2", SENTENCE)) == []


def test_a_run_whose_beginning_is_not_recorded_has_none_either() -> None:
    """Too little is known of it."""
    report = judged(*message("m-1", SENTENCE), *message("m-2", SENTENCE), FINISH)
    assert not [f for f in report.findings if f.rule.startswith("AGUI-HAZ")]
