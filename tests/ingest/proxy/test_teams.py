"""Connector calls as exchange lines: in the order of requests, one recording a conversation, whatever fails."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.ingest.proxy.stand import FakeRecorder, Tasks
from webapp.ingest.proxy import teams
from webapp.ingest.proxy.targets import targets_of
from webapp.ingest.proxy.teams import CallWatch, Conversations, is_call

TARGET = targets_of({"teams": "https://smba.example/amer"})["teams"]
URL = "https://smba.example/amer/v3/conversations/{}/activities"
JSON = [(b"Content-Type", b"application/json"), (b"MS-CV", b"zz.1"), (b"Set-Cookie", b"secret=1")]


class Stage:
    """Calls made by hand."""

    def __init__(self, recorder: FakeRecorder) -> None:
        self.recorder = recorder
        self.tasks = Tasks()
        self.conversations = Conversations(self.tasks.spawn)
        self.begin = recorder.begin

    def call(self, text: str, chat: str = "a%3Aone", method: str = "POST") -> CallWatch:
        headers = [(b"authorization", b"Bearer secret")]
        watch = self.conversations.watch(TARGET, method, URL.format(chat), headers, self.begin)
        watch.asked(json.dumps({"type": "typing", "text": text}).encode())
        return watch

    def answer(self, watch: CallWatch, status: int = 202, body: bytes = b"{}", encoding: bytes = b"") -> None:
        more = [(b"Content-Encoding", encoding)] if encoding else []
        watch.answered(status, [*JSON, *more], 0.0)
        watch.data(body, 0.0)
        watch.ended("", 0.0)

    async def over(self) -> None:
        await asyncio.sleep(0)  # bodies are looked at in the loop's next turn
        self.conversations.end("Stopped.")
        await self.tasks.done()

    def lines(self, which: int = 0) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.recorder.begun[which][1].body.splitlines()]


def play(main: Callable[[Stage], Coroutine[Any, Any, None]], **about: Any) -> Stage:
    """Let `main` make calls; gives what was recorded."""

    async def whole() -> Stage:
        stage = Stage(FakeRecorder(**about))
        await main(stage)
        await stage.over()
        return stage

    return asyncio.run(whole())


@pytest.mark.parametrize(
    ("method", "address", "wanted"),
    [
        ("POST", URL.format("a%3A1"), True),
        ("PUT", URL.format("a:1") + "/1790", True),
        ("DELETE", URL.format("a:1") + "/1790", True),
        ("POST", "http://h/conversations/x/activities", True),
        ("GET", URL.format("a:1"), False),
        ("POST", "https://smba.example/amer/v3/conversations", False),
        ("POST", URL.format("a:1") + "/1790/members", False),
        ("POST", "https://smba.example/amer/v3/attachments", False),
    ],
)
def test_calls_about_activities_are_recorded_and_others_are_not(
    method: str, address: str, wanted: bool
) -> None:
    """Both shapes of the address."""
    assert is_call(method, address) is wanted


def test_a_call_becomes_an_exchange_line() -> None:
    """Request, answer and times; of the headers only those that explain an answer."""

    async def main(stage: Stage) -> None:
        stage.answer(stage.call("You have"), 201, gzip.compress(b'{"id": "1790"}'), b"gzip")

    stage = play(main)
    [line] = stage.lines()
    assert line.pop("at") > 1_700_000_000
    assert 0 <= line.pop("took") < 60
    assert line == {
        "method": "POST",
        "url": URL.format("a%3Aone"),
        "request": {"type": "typing", "text": "You have"},
        "response": {
            "status": 201,
            "headers": {"MS-CV": "zz.1", "Content-Type": "application/json"},
            "body": {"id": "1790"},
        },
    }
    about = stage.recorder.begun[0][0]
    assert about == {
        "name": "teams: a:one",
        "source": "https://smba.example/amer/v3",
        "kind": "proxy",
        "form": "ndjson",
        "protocol": "teams",
    }


def test_lines_stand_in_the_order_of_requests() -> None:
    """Whatever the order of answers; each conversation by itself."""

    async def main(stage: Stage) -> None:
        first, second, other, third = (
            stage.call("1"), stage.call("2"), stage.call("other", "a%3Atwo"), stage.call("3")
        )  # fmt: skip
        for watch in (third, second, other):
            stage.answer(watch)
        await asyncio.sleep(0)
        await stage.tasks.done()
        assert [about["name"] for about, _ in stage.recorder.begun] == ["teams: a:two"]
        stage.answer(first)

    stage = play(main)
    assert [line["request"]["text"] for line in stage.lines(0)] == ["other"]
    assert [line["request"]["text"] for line in stage.lines(1)] == ["1", "2", "3"]


def test_one_that_takes_for_ever_holds_up_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the others are written, and the trace says that order was given up."""
    monkeypatch.setattr(teams, "WAITING", 3)

    async def main(stage: Stage) -> None:
        slow = stage.call("slow")
        for number in range(4):
            stage.answer(stage.call(str(number)))
        await asyncio.sleep(0)
        stage.answer(slow)

    stage = play(main)
    assert [line["request"]["text"] for line in stage.lines()] == ["0", "1", "slow", "2", "3"]
    [note] = stage.recorder.begun[0][1].notes
    assert "order of answers" in note


def test_one_that_takes_for_ever_holds_up_only_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few large calls fill the memory as well as many small ones; what was read of them is not held twice."""
    monkeypatch.setattr(teams, "WAITING_BYTES", 2500)

    async def main(stage: Stage) -> None:
        slow = stage.call("slow")
        held = [stage.call(f"{number} {'x' * 700}") for number in range(4)]
        for watch in held:
            stage.answer(watch)
        await asyncio.sleep(0)
        assert all(not watch._request._bytes and watch._response is None for watch in held)
        stage.answer(slow)

    stage = play(main)
    assert [line["request"]["text"].split()[0] for line in stage.lines()] == ["0", "1", "slow", "2", "3"]
    assert len(stage.recorder.begun[0][1].notes) == 1


def test_calls_go_on_in_another_recording_when_one_takes_no_more() -> None:
    """The call that found it over is the first of the next one, and what was said before is said there again."""

    async def main(stage: Stage) -> None:
        stage.call("lost").broke()
        stage.answer(stage.call("1"))
        await asyncio.sleep(0)
        await stage.tasks.done()
        stage.recorder.begun[0][1].over = "The recording reached its limit."
        stage.answer(stage.call("2"))
        await asyncio.sleep(0)
        stage.call("lost").broke()
        stage.answer(stage.call("3"))

    stage = play(main)
    assert [line["request"]["text"] for line in stage.lines(0)] == ["1"]
    assert [line["request"]["text"] for line in stage.lines(1)] == ["2", "3"]
    assert [len(live.notes) for _, live in stage.recorder.begun] == [1, 1]


def test_an_answer_that_never_came_is_lost() -> None:
    """The upstream failed, the answer broke off, the client left, or everything was stopped."""

    async def main(stage: Stage) -> None:
        stage.call("1").ended("The upstream did not answer: refused.", 0.0)
        cut = stage.call("2")
        cut.answered(201, JSON, 0.0)
        cut.data(b'{"id"', 0.0)
        cut.ended("The upstream broke off its answer.", 0.0)
        stage.call("3")

    lines = play(main).lines()
    assert [line["response"] for line in lines] == [None, None, None]
    assert [line["error"] for line in lines] == [
        "The upstream did not answer: refused",
        "The upstream broke off its answer",
        "Lanescope was stopped before an answer came",
    ]


def test_bodies_that_cannot_be_kept_are_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large, or packed in an unknown way."""
    monkeypatch.setattr(teams, "BODY_BYTES", 100)

    async def main(stage: Stage) -> None:
        stage.answer(stage.call("x" * 200))
        stage.answer(stage.call("y"), body=b"xx", encoding=b"br")

    stage = play(main)
    large, packed = stage.lines()
    assert large["request"] is None
    assert "body" not in packed["response"]
    assert len(stage.recorder.begun[0][1].notes) == 2


def test_a_recording_ends_when_no_call_comes_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next call of the conversation begins another one; a call on the way keeps it open."""
    monkeypatch.setattr(teams, "IDLE_SECONDS", 0.0)

    async def main(stage: Stage) -> None:
        slow = stage.call("slow")
        stage.answer(stage.call("1"))
        await asyncio.sleep(0)
        assert stage.recorder.begun == []
        stage.answer(slow)
        while not stage.recorder.begun or stage.recorder.begun[0][1].reason is None:
            await asyncio.sleep(0)
        stage.answer(stage.call("2"))

    stage = play(main)
    assert [line["request"]["text"] for line in stage.lines(0)] == ["slow", "1"]
    assert [line["request"]["text"] for line in stage.lines(1)] == ["2"]
    assert stage.recorder.begun[0][1].reason == ""


def test_a_recording_that_cannot_begin_is_tried_again_and_tells_what_is_missing() -> None:
    """The database was busy for the first call."""

    async def main(stage: Stage) -> None:
        stage.answer(stage.call("1"))
        await asyncio.sleep(0)
        await stage.tasks.done()
        stage.answer(stage.call("2"))

    stage = play(main, refuses=1)
    assert [line["request"]["text"] for line in stage.lines()] == ["2"]
    assert any("missing" in note for note in stage.recorder.begun[0][1].notes)


def test_a_call_that_breaks_the_recording_is_told_and_the_next_ones_go_on() -> None:
    """One call less, and the trace says so."""

    async def main(stage: Stage) -> None:
        stage.answer(stage.call("1"))
        stage.call("2").broke()
        stage.answer(stage.call("3"))

    stage = play(main)
    assert [line["request"]["text"] for line in stage.lines()] == ["1", "3"]
    assert any("could not be recorded" in note for note in stage.recorder.begun[0][1].notes)
