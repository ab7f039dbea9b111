"""The real client library driven badly against the stand-in connector: each refusal is explained by the right rule.

Where the library's own stream cannot be made to misbehave, the application numbers and sends the chunks itself with
the library's lower-level client, as applications do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest
from microsoft_teams.api import MessageActivityInput, SentActivity

from tests.teams.agent import (
    GROUP,
    PAUSE,
    REFUSALS,
    Chat,
    chunk,
    final,
    judge,
    of,
    outcomes,
    play,
    said,
    statuses,
)
from tests.teams.connector import Trouble
from tests.teams.contract import Limits

pytestmark = pytest.mark.filterwarnings("ignore:The bot client is deprecated:DeprecationWarning")

UNPACED = Limits(pace=0)  # for scenarios whose point is another one


async def refused(call: Awaitable[SentActivity | None]) -> None:
    """A call that the application goes on after, whatever it was told."""
    with pytest.raises(REFUSALS):
        await call


async def keep(into: list[str], value: str) -> None:
    into.append(value)


def errors(lines: list[dict[str, object]]) -> set[tuple[str, int]]:
    return said(judge(lines), "fatal", "error")


def test_a_burst_of_status_updates() -> None:
    """Updates that were queued go out back to back: too fast, and the refused one is sent again too soon."""

    async def burst(chat: Chat) -> None:
        stream = chat.stream()
        for text in ("Reading...", "Checking...", "Thinking..."):
            stream.update(text)
        await chat.wait(10)
        stream.emit("Done")
        await chat.wait()
        await stream.close()

    lines = play(burst)
    assert statuses(lines)[:4] == [201, 429, 429, 202]
    report = judge(lines)
    assert {rule for rule, _ in said(report, "fatal", "error")} == {"TEAMS-037"}
    assert {finding.event for finding in of(report, "TEAMS-037") if finding.severity == "error"} == {1}
    assert {rule for rule, _ in said(report, "warning")} <= {"TEAMS-037", "TEAMS-039"}
    assert of(report, "TEAMS-039")
    assert (report.rejected_at, outcomes(report)) == (None, ["finished"])


def test_text_emitted_while_the_stream_closes() -> None:
    """The chunk goes out beside the final and arrives after it."""

    async def emits_late(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have")
        await chat.wait()
        closing = asyncio.create_task(stream.close())
        await chat.wait(0.05)
        stream.emit(" 12 days")
        await closing
        await chat.wait()

    lines = play(emits_late, UNPACED)
    assert statuses(lines) == [201, 202, 403]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-031", 2), ("TEAMS-035", 2)}
    assert said(report, "warning") == {("TEAMS-037", 2)}
    assert (report.rejected_at, outcomes(report)) == (2, ["finished"])


def test_a_late_chunk_of_a_finished_stream() -> None:
    """A callback that still holds the stream's id writes to a completed message."""

    async def late(chat: Chat) -> None:
        stream = chat.stream()
        ids: list[str] = []
        stream.on_chunk(lambda sent: keep(ids, sent.id))
        stream.emit("You have")
        await chat.wait()
        await stream.close()
        await chat.wait()
        await refused(chat.post(chunk("You have 12 days", 2, ids[0])))

    lines = play(late)
    assert statuses(lines) == [201, 202, 403]
    report = judge(lines)
    assert said(report) == {("TEAMS-031", 2)}
    assert (report.rejected_at, outcomes(report)) == (2, ["finished"])


def test_a_second_final() -> None:
    """Two code paths end the stream; the first answer had come, so this is no repeat."""

    async def twice(chat: Chat) -> None:
        stream = (await chat.post(chunk("You have", 1))).id
        await chat.wait()
        await chat.post(final("You have 12 days", stream))
        await chat.wait()
        await refused(chat.post(final("You have 12 days left", stream)))

    lines = play(twice)
    assert statuses(lines) == [201, 202, 403]
    assert errors(lines) == {("TEAMS-031", 2)}


def test_tokens_sent_as_they_come() -> None:
    """Each chunk carries the new words only: a delta where the whole text belongs."""

    async def deltas(chat: Chat) -> None:
        stream = (await chat.post(chunk("A brown", 1))).id
        await chat.wait()
        await refused(chat.post(chunk(" fox jumps", 2, stream)))
        await chat.wait()
        await refused(chat.post(final(" fox jumps over", stream)))

    lines = play(deltas)
    assert statuses(lines) == [201, 403, 403]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-020", 1)}
    assert (report.rejected_at, outcomes(report)) == (1, ["refused"])


def test_text_that_starts_anew_in_mid_stream() -> None:
    """A tool call restarts the answer: the library is told to forget its text and sends another."""

    async def anew(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("Let me look that up.")
        await chat.wait()
        stream.clear_text()
        stream.emit("You have 12 days")
        await chat.wait()
        await refused(stream.close())

    lines = play(anew)
    assert statuses(lines) == [201, 403, 403]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-020", 1)}
    assert of(report, "TEAMS-020")[0].count == 2
    assert (report.rejected_at, outcomes(report)) == (1, ["refused"])


def test_streaming_into_a_group_chat() -> None:
    """The library sends the start again and again; the chat's kind is the one reason."""

    async def group(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("The quarterly report")
        await chat.wait(60)
        assert await stream.close() is None

    lines = play(group, conversation=GROUP)
    assert statuses(lines) == [405] * 8
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-046", 0)}
    assert (report.rejected_at, outcomes(report)) == (0, ["refused"])


def test_streaming_where_it_is_not_enabled() -> None:
    """The service says that this user or agent may not stream."""

    async def disabled(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("The quarterly report")
        await chat.wait()
        assert await stream.close() is None

    lines = play(disabled, Limits(enabled=False))
    assert statuses(lines) == [403]
    report = judge(lines)
    assert said(report) == {("TEAMS-047", 0)}
    assert (report.rejected_at, outcomes(report)) == (0, ["refused"])


def test_chunks_sent_side_by_side() -> None:
    """The second does not wait for the answer to the first and overtakes it; the overtaken one is dropped."""

    async def parallel(chat: Chat) -> None:
        stream = (await chat.post(chunk("You", 1))).id
        await chat.wait()
        first = asyncio.create_task(chat.post(chunk("You have", 2, stream)))
        await chat.wait(0.1)
        await asyncio.gather(first, chat.post(chunk("You have 12", 3, stream)))
        await chat.wait()
        await chat.post(final("You have 12 days", stream))

    lines = play(parallel, UNPACED, Trouble(slow={1: 0.9}))
    assert statuses(lines) == [201, 202, 202, 202]
    report = judge(lines)
    assert {rule for rule, _ in said(report, "fatal", "error")} == {"TEAMS-035", "TEAMS-018", "TEAMS-051"}
    assert said(report, "warning") == {("TEAMS-037", 2)}
    assert (report.rejected_at, outcomes(report)) == (None, ["finished"])


def test_a_number_used_twice() -> None:
    """Two writers with a counter each: the second chunk of the same number is dropped."""

    async def two_counters(chat: Chat) -> None:
        stream = (await chat.post(chunk("Reading...", 1, kind="informative"))).id
        await chat.wait()
        await chat.post(chunk("You", 2, stream))
        await chat.wait()
        await chat.post(chunk("You have 12", 2, stream))
        await chat.wait()
        await chat.post(final("You have 12 days", stream))

    lines = play(two_counters)
    assert errors(lines) == {("TEAMS-018", 2), ("TEAMS-051", 2)}


@pytest.mark.parametrize("oversize", [403, 413])
def test_an_answer_too_large(oversize: int) -> None:
    """The text has grown past the limit; the library may insist, the size is the one reason."""

    async def large(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have")
        await chat.wait()
        stream.emit(" a list" * 8_000)
        await chat.wait(60)
        await refused(stream.close())

    lines = play(large, Limits(oversize=oversize))
    assert set(statuses(lines)[1:]) == {oversize}
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-048", 1)}
    assert (report.rejected_at, outcomes(report)) == (1, ["refused"])


def test_an_empty_status() -> None:
    """Only the animation was wanted; a start without text is refused, however often it is sent."""

    async def silent(chat: Chat) -> None:
        chat.stream().update("")
        await chat.wait(60)

    lines = play(silent, UNPACED)
    assert statuses(lines) == [400] * 8
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-007", 0)}
    assert of(report, "TEAMS-053")


async def stop_midway(chat: Chat) -> str:
    """A stream of one chunk on which the user pressed Stop, as the refused second chunk said."""
    stream = (await chat.post(chunk("You have", 1))).id
    await chat.wait()
    chat.press_stop()
    await refused(chat.post(chunk("You have 12", 2, stream)))
    await chat.wait()
    return stream


def test_chunks_after_stop() -> None:
    """Each further call on a stopped stream is a fault, the refusal that told of the Stop is none."""

    async def insists(chat: Chat) -> None:
        stream = await stop_midway(chat)
        await refused(chat.post(chunk("You have 12 days", 3, stream)))
        await chat.wait()
        await refused(chat.post(final("You have 12 days left", stream)))

    lines = play(insists)
    assert statuses(lines) == [201, 403, 403, 403]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-044", 2)}
    assert report.rejected_at == 2


def test_the_answer_sent_as_a_message_after_stop() -> None:
    """The user did not want the answer, and gets it anyway."""

    async def anyway(chat: Chat) -> None:
        await stop_midway(chat)
        await chat.post(MessageActivityInput(text="You have 12 days left"))

    report = judge(play(anyway))
    assert said(report, "fatal", "error") == set()
    assert ("TEAMS-044", 2) in said(report, "warning")
    assert outcomes(report) == ["stopped"]


def test_chunks_after_the_time_limit() -> None:
    """The stream is over for good; to go on streaming gets the same answer, where an edit would have been right."""

    async def insists(chat: Chat) -> None:
        stream = (await chat.post(chunk("You have", 1))).id
        await chat.wait(121)
        await refused(chat.post(chunk("You have 12", 2, stream)))
        await chat.wait()
        await refused(chat.post(final("You have 12 days", stream)))

    lines = play(insists)
    assert statuses(lines) == [201, 403, 403]
    report = judge(lines)
    assert ("TEAMS-041", 1) in said(report, "error")
    assert ("TEAMS-042", 2) in said(report, "error")
    assert {rule for rule, _ in said(report, "fatal", "error")} == {"TEAMS-041", "TEAMS-042"}
    assert (report.rejected_at, outcomes(report)) == (1, ["expired"])


def test_a_stream_that_is_never_closed() -> None:
    """The handler failed after two chunks; minutes later the next answer comes."""

    async def forgets(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have")
        await chat.wait()
        stream.emit(" 12 days")
        await chat.wait(200)
        stream = chat.stream()
        stream.emit("Sorry")
        await chat.wait()
        await stream.close()

    report = judge(play(forgets))
    assert {rule for rule, _ in said(report)} == {"TEAMS-030"}
    assert [finding.severity for finding in of(report, "TEAMS-030")] == ["error"]
    assert (report.rejected_at, outcomes(report)) == (None, ["unclosed", "finished"])


def test_two_streams_in_one_chat() -> None:
    """A second question is answered while the first answer is still being written."""

    async def both(chat: Chat) -> None:
        first, second = chat.stream(), chat.stream()
        first.emit("The first")
        await chat.wait(PAUSE)
        second.emit("The second")
        await chat.wait(PAUSE)
        await first.close()
        await chat.wait(PAUSE)
        await second.close()

    report = judge(play(both))
    assert {rule for rule, _ in said(report)} == {"TEAMS-045"}
    assert outcomes(report) == ["finished", "finished"]


def test_an_answer_delivered_twice() -> None:
    """The stream had succeeded, and the whole text is sent once more as a message."""

    async def again(chat: Chat) -> None:
        stream = chat.stream()
        stream.emit("You have 12 days")
        await chat.wait()
        await stream.close()
        await chat.wait()
        await chat.post(MessageActivityInput(text="You have 12 days"))

    report = judge(play(again))
    assert said(report) == {("TEAMS-050", 2)}
    assert outcomes(report) == ["finished"]


def test_an_id_the_agent_made_up() -> None:
    """Teams issues the stream's id; one made by the agent is not known to it."""

    async def own_id(chat: Chat) -> None:
        await refused(chat.post(chunk("Hi", 1, "6f0c9d1e-made-by-the-agent")))

    report = judge(play(own_id))
    assert said(report, "fatal", "error") == {("TEAMS-011", 0)}
    assert report.rejected_at == 0


def test_a_final_without_a_stream() -> None:
    """A short answer skips the chunks and still says that it ends a stream."""

    async def only_final(chat: Chat) -> None:
        await refused(chat.post(final("Yes.", None)))

    report = judge(play(only_final))
    assert {rule for rule, _ in said(report, "fatal", "error")} <= {"TEAMS-026", "TEAMS-028"}
    assert of(report, "TEAMS-028")
    assert report.rejected_at == 0


def test_a_chunk_that_did_not_wait_for_the_id() -> None:
    """The next chunk goes out before the answer to the start is read, so it cannot say which stream it is of."""

    async def hasty(chat: Chat) -> None:
        start = asyncio.create_task(chat.post(chunk("You", 1)))
        await chat.wait(1.5)
        await refused(chat.post(chunk("You have", 2)))
        stream = (await start).id
        await chat.wait()
        await chat.post(final("You have 12 days", stream))

    lines = play(hasty, trouble=Trouble(slow={0: 2.0}))
    assert statuses(lines) == [201, 400, 202]
    report = judge(lines)
    assert said(report, "fatal", "error") == {("TEAMS-016", 1)}
    assert report.rejected_at == 1
