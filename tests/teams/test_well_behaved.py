"""The real client library against the stand-in connector, with manners: what Lanescope must not blame it for.

Misuse is told from misfortune: a respected Stop, the hand-off to a plain edit after the time limit, a lost answer and
a fault of the service are nobody's error.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from microsoft_teams.api import MessageActivityInput
from microsoft_teams.apps.plugins.streamer import StreamCancelledError, TerminalStreamError

from tests.teams.agent import PAUSE, Chat, judge, of, outcomes, play, said, statuses
from tests.teams.connector import Trouble
from tests.teams.contract import Answer

pytestmark = pytest.mark.filterwarnings("ignore:The bot client is deprecated:DeprecationWarning")


async def answer(chat: Chat, pause: float = PAUSE) -> None:
    """Two status updates, three chunks, the end; each with time to spare."""
    stream = chat.stream()
    stream.update("Reading the policy...")
    await chat.wait(pause)
    stream.update("Checking dates...")
    await chat.wait(pause)
    for text in ("You have", " 12 days", " left."):
        stream.emit(text)
        await chat.wait(pause)
    await stream.close()


async def slow_answer(chat: Chat) -> None:
    """The same with time for a repeat between two calls; the library sends what waited meanwhile too soon."""
    await answer(chat, 4)


def test_a_stream_with_manners_is_clean() -> None:
    """No error, no warning, and the stream is finished."""
    lines = play(answer)
    assert statuses(lines) == [201, 202, 202, 202, 202, 202]
    report = judge(lines)
    assert said(report) == set()
    assert (report.verdict, report.rejected_at, outcomes(report)) == ("conformant", None, ["finished"])


def test_two_turns_are_two_streams() -> None:
    """The next stream of a chat is a run of its own, and starts its numbers again."""

    async def twice(chat: Chat) -> None:
        await answer(chat)
        await chat.wait(10)
        await answer(chat)

    report = judge(play(twice))
    assert said(report) == set()
    assert outcomes(report) == ["finished", "finished"]


def test_a_card_and_labels_on_the_final_are_clean() -> None:
    """What belongs to the end (label, feedback, card) is sent there by the library."""

    async def with_label(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have")
        await chat.wait()
        stream.emit(MessageActivityInput(text=" 12 days").add_ai_generated().add_feedback())
        await chat.wait()
        await stream.close()

    report = judge(play(with_label))
    assert said(report) == set()
    assert outcomes(report) == ["finished"]


def test_a_stop_that_is_respected_is_no_fault() -> None:
    """The user presses Stop, the library falls silent: nothing to say but that."""

    async def stopped(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("The ")
        await chat.wait()
        stream.emit("quarterly ")
        await chat.wait()
        chat.press_stop()
        stream.emit("report")
        await chat.wait()
        with pytest.raises(StreamCancelledError):
            stream.emit(" says")
        assert await stream.close() is None

    lines = play(stopped)
    assert statuses(lines) == [201, 202, 403]
    report = judge(lines)
    assert said(report) == set()
    assert (report.rejected_at, outcomes(report)) == (None, ["stopped"])


async def late_chunk(chat: Chat) -> None:
    """A tool call past the two minutes, then more text, then the end."""
    stream = chat.stream()
    stream.update("Reading the policy...")
    await chat.wait()
    stream.emit("You have")
    await chat.wait(121)
    stream.emit(" 12 days")
    await chat.wait()
    await stream.close()


async def late_final(chat: Chat) -> None:
    """A tool call past the two minutes, then the end."""
    stream = chat.stream()
    stream.update("Reading the policy...")
    await chat.wait()
    stream.emit("You have")
    await chat.wait(121)
    await stream.close()


@pytest.mark.parametrize("agent", [late_chunk, late_final])
def test_expiry_is_recovered_by_a_plain_edit(agent: Callable[[Chat], Awaitable[None]]) -> None:
    """The time limit is an error, the edit after it is right, and the stream ends as recovered."""
    lines = play(agent)
    assert [(line["method"], line["response"]["status"]) for line in lines][2:] == [
        ("POST", 403),
        ("PUT", 200),
    ]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-041", 2)}
    assert ("TEAMS-042", 3) in said(report, "info")
    assert (report.rejected_at, outcomes(report)) == (None, ["edited"])


def test_a_start_sent_again_after_a_lost_answer() -> None:
    """The library repeats a start that got no answer: a second bubble may exist, and nobody is to blame."""
    lines = play(slow_answer, trouble=Trouble(slow={0: 1.2}, lost={0}))
    assert statuses(lines)[:2] == [None, 201]
    report = judge(lines)
    assert said(report) == set()
    assert [finding.severity for finding in of(report, "TEAMS-015")] == ["info"]
    assert outcomes(report)[-1] == "finished"


def test_a_final_sent_again_after_a_lost_answer() -> None:
    """The repeat finds the message completed, which says that the first one had arrived."""

    async def ends_unheard(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have")
        await chat.wait()
        with pytest.raises(TerminalStreamError):
            await stream.close()

    lines = play(ends_unheard, trouble=Trouble(slow={1: 1.2}, lost={1}))
    assert statuses(lines) == [201, None, 403]
    report = judge(lines)
    assert said(report) == set()
    assert [finding.severity for finding in of(report, "TEAMS-054")] == ["info"]
    assert (report.rejected_at, outcomes(report)) == (None, ["finished"])


@pytest.mark.parametrize(
    "fault", [Answer(412), Answer(500, "Internal server error"), Answer(502, "<html></html>")]
)
def test_a_chunk_sent_again_after_a_fault_of_the_service(fault: Answer) -> None:
    """The same number and text again is the same chunk: no number is used twice, and the stream goes on."""
    lines = play(slow_answer, trouble=Trouble(slow={2: 0.6}, forced={2: fault}))
    assert statuses(lines)[2:4] == [fault.status, 202]
    report = judge(lines)
    assert said(report) == set()
    assert [finding.severity for finding in of(report, "TEAMS-054")] == ["info"]
    assert (report.rejected_at, outcomes(report)) == (None, ["finished"])
