"""The stand-in connector keeps the documented contract: it can refuse, so that a quiet run means something."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.teams.clock import Clock, run
from tests.teams.connector import ON_WIRE, Connector, Line, Trouble, record
from tests.teams.contract import Answer, Limits

CHAT = "a:1zzExampleChat"
GROUP = "19:zzExample@thread.v2"
FIRST = "1790000000001"  # the first id the stand-in issues
STOP = "the user presses Stop"

Body = dict[str, Any]
LIBRARY = frozenset({"httpx2"})


def typing(text: str, sequence: Any, stream: str | None = None, kind: str = "streaming", **more: Any) -> Body:
    mark = {"type": "streaminfo", "streamType": kind, "streamSequence": sequence}
    return {
        "type": "typing",
        "text": text,
        "entities": [mark | ({"streamId": stream} if stream else {})],
        **more,
    }


def final(text: str, stream: str | None = FIRST, kind: str = "final", **more: Any) -> Body:
    mark = {"type": "streaminfo", "streamType": kind} | ({"streamId": stream} if stream else {})
    return {"type": "message", "text": text, "entities": [mark], **more}


def talk(
    *steps: tuple[float, Any],
    limits: Limits | None = None,
    trouble: Trouble | None = None,
    conversation: str = CHAT,
) -> list[Line]:
    """Send each body at its second, without waiting for the answer of the one before; a str is an edit of FIRST.

    Gives the recording, whose answers were seen by the sender too.
    """

    async def main(clock: Clock) -> list[Line]:
        async with Connector(clock, limits, trouble) as connector, httpx2.AsyncClient(timeout=None) as http:

            async def send(number: int, at: float, body: Any) -> None:
                await asyncio.sleep(at)
                if body == STOP:
                    connector.service.stop()
                    return
                edit = isinstance(body, str)
                url = f"{connector.url}/v3/conversations/{conversation}/activities"
                clock.open(str(number))
                try:
                    answer = await http.request(
                        "PUT" if edit else "POST",
                        f"{url}/{FIRST}" if edit else url,
                        json={"type": "message", "text": body} if edit else body,
                        headers={ON_WIRE: str(number)},
                    )
                except httpx2.RemoteProtocolError:
                    seen.append(None)
                else:
                    seen.append({"status": answer.status_code, "body": answer.json()})
                finally:
                    clock.done(str(number))

            seen: list[dict[str, Any] | None] = []
            await asyncio.gather(*(send(number, at, body) for number, (at, body) in enumerate(steps)))
            assert sorted(map(json.dumps, seen)) == sorted(
                json.dumps(plain(line)) for line in connector.lines
            )
            return connector.lines

    return run(main, LIBRARY)


def plain(line: Line) -> dict[str, Any] | None:
    answer = line["response"]
    return answer and {"status": answer["status"], "body": answer["body"]}


def last(*steps: tuple[float, Any], **more: Any) -> tuple[int, str, str]:
    """Status, code and message of the last answer."""
    answer = talk(*steps, **more)[-1]["response"]
    said = answer["body"]["error"]
    return answer["status"], said["code"], said["message"]


START = (0.0, typing("You have", 1))
NOT_ALLOWED = "ContentStreamNotAllowed"


def test_a_stream_by_the_book_is_accepted() -> None:
    """A start gets its id, later calls an empty object; status text is no part of what the answer must extend."""
    lines = talk(
        (0.0, typing("Reading...", 1, kind="informative")),
        (1.5, typing("Checking...", 2, FIRST, kind="informative")),
        (3.0, typing("You have", 3, FIRST)),
        (4.5, typing("You have 12", 5, FIRST)),
        (6.0, final("You have 12 days.")),
    )
    accepted = {"status": 202, "body": {}}
    assert [plain(line) for line in lines] == [{"status": 201, "body": {"id": FIRST}}, *[accepted] * 4]


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (typing("", 1), "BadRequest", "Start streaming activities should include text"),
        (typing("Hi", 2), "BadRequest", "streamId is required"),
        (typing("Hi", "1"), "BadRequest", "streamSequence is required"),
        (typing("Hi", 1, "6f0c-made-by-the-agent"), "BadRequest", "streamId is not known"),
        (typing("Hi", 1, kind="Informative"), "BadSyntax", "Only start streaming and continue streaming"),
        (typing("Hi", 1, kind="final"), "BadSyntax", "Only start streaming and continue streaming"),
        ({"type": "typing", "text": "Hi", "entities": [{"type": "streaminfo"}]}, "BadSyntax", "Only start"),
        ({"type": "typing", "text": "Hi", "channelData": {"streamSequence": 1}}, "BadSyntax", "Only start"),
        ({**typing("Hi", 1), "type": "message"}, "BadSyntax", "Only end streaming type"),
        (final("Hi", None), "BadSyntax", "Only end streaming type"),
        (final("Hi", "never issued"), "BadSyntax", "Only end streaming type"),
    ],
)
def test_a_misshapen_call_is_refused(body: Body, code: str, message: str) -> None:
    """Each call that is no start, continue or final gets a 400 that says which kind was looked for."""
    status, said_code, said = last((0.0, body))
    assert (status, said_code) == (400, code)
    assert said.startswith(message)


def test_text_must_extend_what_was_streamed() -> None:
    """A delta, a changed start or a changed final is refused, and the accepted text stays the measure."""
    refused = (403, NOT_ALLOWED, "Request streamed content should contain the previously streamed content")
    assert last(START, (1.5, typing(" 12 days", 2, FIRST))) == refused
    assert last(START, (1.5, final("You had"))) == refused
    lines = talk(START, (1.5, typing(" 12", 2, FIRST)), (3.0, typing("You have 12", 2, FIRST)))
    assert lines[-1]["response"]["status"] == 202


def test_the_sequence_must_increase() -> None:
    """A chunk with a used number is answered 202 with an error inside, and its text is dropped."""
    dropped = (
        202,
        "ContentStreamSequenceOrderPreConditionFailed",
        "PreCondition failed exception when processing streaming activity.",
    )
    assert last(START, (1.5, typing("You have 12", 1, FIRST))) == dropped
    lines = talk(START, (1.5, typing("You have not", 1, FIRST)), (3.0, final("You have 12")))
    assert lines[-1]["response"]["body"] == {}


def test_calls_under_way_together_are_decided_when_they_are_through() -> None:
    """A slow call that was overtaken finds its number used."""
    steps = [START, (5.0, typing("You have 1", 2, FIRST)), (5.1, typing("You have 12", 3, FIRST))]
    lines = talk(*steps, limits=Limits(pace=0), trouble=Trouble(slow={1: 0.9}))
    assert [(line["at"], line["took"], "error" in line["response"]["body"]) for line in lines] == [
        (0.0, 0.1, False),
        (5.0, 0.9, True),
        (5.1, 0.1, False),
    ]


def test_one_streaming_call_a_second() -> None:
    """A call too soon gets a bare string and costs nothing; a plain message is not counted."""
    lines = talk(
        START,
        (0.9, typing("You have 12", 2, FIRST)),
        (0.95, {"type": "message", "text": "By the way"}),
        (1.0, typing("You have 12", 2, FIRST)),
        trouble=Trouble(retry_after=1),
    )
    assert [line["response"]["status"] for line in lines] == [201, 429, 201, 202]
    assert lines[1]["response"]["body"] == "API calls quota exceeded"
    assert lines[1]["response"]["headers"]["Retry-After"] == "1"


def test_two_minutes_from_the_answer_to_the_start() -> None:
    """The last moment is accepted, the one after it is not, and a plain edit still is."""
    assert talk(START, (120.1, final("You have 12")))[-1]["response"]["status"] == 202
    late = [START, (120.2, final("You have 12"))]
    assert last(*late) == (403, NOT_ALLOWED, "Content stream finished due to exceeded streaming time.")
    edited = talk(*late, (121.0, "You have 12"), (122.5, typing("You have 12 days", 2, FIRST)))
    assert plain(edited[2]) == {"status": 200, "body": {"id": FIRST}}
    assert "already completed" in edited[3]["response"]["body"]["error"]["message"]


def test_the_two_minutes_can_be_made_shorter() -> None:
    """The limit is a number of the stand-in, as is the pace."""
    assert last(START, (6.2, final("You have 12")), limits=Limits(stream=6))[0] == 403


def test_after_stop_nothing_is_accepted() -> None:
    """The user's Stop refuses chunks and the final alike."""
    stopped = (403, NOT_ALLOWED, "Content stream was canceled by user")
    assert last(START, (1.0, STOP), (1.5, typing("You have 12", 2, FIRST))) == stopped
    assert last(START, (1.0, STOP), (1.5, final("You have 12"))) == stopped


def test_after_the_final_nothing_is_accepted() -> None:
    """A chunk or a second final finds the message completed."""
    done = (403, NOT_ALLOWED, "Content stream is not allowed on an already completed streamed message")
    ended = [START, (1.5, final("You have 12"))]
    assert last(*ended, (3.0, typing("You have 12 days", 2, FIRST))) == done
    assert last(*ended, (3.0, final("You have 12"))) == done


def test_a_call_too_large_is_refused() -> None:
    """The size is the body's in UTF-16; the answer is the one seen in practice or the documented one."""
    big = (1.5, typing("You have" + "x" * 51_200, 2, FIRST))
    assert last(START, big) == (413, "MessageSizeTooBig", "RequestEntityTooLarge")
    assert last(START, big, limits=Limits(oversize=403)) == (403, NOT_ALLOWED, "Message size too large")
    assert talk(START, (1.5, typing("You have" + "x" * 50_000, 2, FIRST)))[-1]["response"]["status"] == 202


def test_a_group_chat_takes_no_stream() -> None:
    """A group is known by its id or by what the activity says of its chat; a plain message passes."""
    chat = {"id": CHAT, "conversationType": "groupChat"}
    assert talk(START, conversation=GROUP)[0]["response"]["status"] == 405
    assert talk((0.0, typing("Hi", 1, conversation=chat)))[0]["response"]["status"] == 405
    assert talk((0.0, {"type": "message", "text": "Hi"}), conversation=GROUP)[0]["response"]["status"] == 201


def test_streaming_can_be_switched_off() -> None:
    """Only streaming: a plain message passes."""
    off = Limits(enabled=False)
    assert last(START, limits=off) == (403, NOT_ALLOWED, "Content stream is not allowed")
    assert talk((0.0, {"type": "message", "text": "Hi"}), limits=off)[0]["response"]["status"] == 201


def test_a_lost_answer_is_a_call_carried_out() -> None:
    """The connection closes without a word, the recording says so, and the service has done its part."""
    lines = talk(START, (1.5, final("You have 12")), (3.0, final("You have 12")), trouble=Trouble(lost={1}))
    assert (lines[1]["response"], lines[1]["took"]) == (None, None)
    assert "already completed" in lines[2]["response"]["body"]["error"]["message"]


def test_a_forced_answer_is_a_call_not_carried_out() -> None:
    """A fault of the service leaves the stream as it was."""
    forced = {1: Answer(502, "<html>Bad Gateway</html>")}
    steps = [START, (1.5, typing("You have 12", 2, FIRST)), (3.0, typing("You have 12", 2, FIRST))]
    lines = talk(*steps, trouble=Trouble(forced=forced))
    assert [line["response"]["status"] for line in lines] == [201, 502, 202]


def test_a_recording_looks_like_a_real_one(tmp_path: Path) -> None:
    """Times from the first request, the service's address, and nothing of the clock; it can be kept as a file."""
    lines = talk((3.0, typing("You have", 1)), (4.5, final("You have 12")))
    assert [(line["at"], line["took"]) for line in lines] == [(0.0, 0.1), (1.5, 0.1)]
    assert lines[0]["url"] == f"https://smba.trafficmanager.net/amer/v3/conversations/{CHAT}/activities"
    kept = record(lines, tmp_path / "scenario.exchanges.jsonl").read_text()
    assert [json.loads(line) for line in kept.splitlines()] == lines
    assert ON_WIRE not in kept
    assert "127.0.0.1" not in kept
