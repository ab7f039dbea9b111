"""A trace replayed as a real event stream: its bytes, its pace, where it begins, who may have it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.exchanges import good, lines
from tests.streams import finished, message, sse, started
from webapp.ingest.playback import Frame
from webapp.ingest.upload import ingest
from webapp.readers.read import read
from webapp.storage.db import Database
from webapp.storage.playback import Recorded
from webapp.views.page import Clock
from webapp.views.playback import Pace
from webapp.web import replays
from webapp.web.replays import block, played

SAMPLES = Path(__file__).resolve().parents[2] / "webapp" / "samples"
Add = Callable[..., str]


@pytest.fixture
def add(database: Database) -> Add:
    """Store a recording; gives the address of its replay."""

    def added(body: bytes, query: str = "?speed=max") -> str:
        return f"/api/traces/{ingest(database, [body], name='x').id}/stream{query}"

    return added


def payloads(body: bytes) -> list[bytes]:
    """What a reader of event streams gets."""
    return [record.payload for record in read([body], "sse")[1]]


def ids(body: bytes) -> list[int]:
    return [int(line[4:]) for line in body.split(b"\n") if line.startswith(b"id: ")]


@pytest.mark.parametrize("name", ["pydantic-parallel", "msaf-old-tool", "proto-subagents"])
def test_a_replay_is_the_recorded_stream(client: TestClient, add: Add, name: str) -> None:
    """The same payloads in the same order, numbered, as an event stream that nobody keeps."""
    body = (SAMPLES / f"{name}.sse").read_bytes()
    answer = client.get(add(body))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert payloads(answer.content) == payloads(body)
    assert ids(answer.content) == list(range(len(payloads(body))))


def test_what_failed_is_replayed_as_it_failed(client: TestClient, add: Add) -> None:
    """Records that are no JSON, no text or several lines long, and a body that was cut inside an event."""
    odd = [
        b"not json",
        b"\xff\xfe\x00",
        b'{"type": "CUSTOM",\n "name": "n", "value": 1}',
        b"  two spaces",
        b"",
    ]
    blocks = [b"".join(b"data: %s\n" % line for line in each.split(b"\n")) + b"\n" for each in odd]
    body = sse(started()) + b"".join(blocks) + b'data: {"type":"TEXT_MESSAGE_ST'
    answer = client.get(add(body)).content
    assert payloads(answer) == payloads(body)
    assert answer.endswith(b'data: {"type":"TEXT_MESSAGE_ST')


def test_the_answer_says_which_clock_sets_the_pace(client: TestClient, add: Add) -> None:
    """In a header and in a comment; without times, that a fixed step was taken."""
    timed = add(sse({**started(), "timestamp": 1_764_000_000_000}, finished()))
    answer = client.get(timed)
    assert answer.headers["lanescope-clock"] == "event"
    assert answer.text.startswith(": replay of a recording; clock: the events' own timestamps\n\n")
    answer = client.get(add(sse(started(), finished())))
    assert answer.headers["lanescope-clock"] == "none"
    assert answer.text.startswith(
        ": replay of a recording; clock: no times recorded, 100 ms for each record\n"
    )


@pytest.mark.parametrize(
    ("query", "header", "first"),
    [
        ("&from=3", None, 3),
        ("&from=0", "1", 2),  # what the reader has is not sent again
        ("&from=4", "1", 2),
        ("&from=1", "no number", 1),
    ],
)
def test_a_replay_begins_where_it_is_asked_to(
    client: TestClient, add: Add, query: str, header: str | None, first: int
) -> None:
    """At a number, or behind the last record that was received."""
    address = add(sse(started(), *message("m", "a", "b"), finished())) + query
    answer = client.get(address, headers={} if header is None else {"Last-Event-ID": header})
    assert ids(answer.content) == list(range(first, 6))


def test_a_front_end_that_has_all_does_not_connect_again(client: TestClient, add: Add) -> None:
    """204 ends the reconnecting of an EventSource; a first request behind the end is an empty stream."""
    address = add(sse(started(), finished()))
    assert client.get(address, headers={"Last-Event-ID": "1"}).status_code == 204
    assert client.get(address, headers={"Last-Event-ID": "9" * 40}).status_code == 204
    empty = client.get(f"{address}&from=2")
    assert (empty.status_code, ids(empty.content)) == (200, [])


def test_a_recording_that_goes_on_may_be_asked_again(
    client: TestClient, add_trace: Callable[..., str]
) -> None:
    """What is recorded so far is sent; there may be more the next time."""
    address = f"/api/traces/{add_trace(status='live', records=0)}/stream"
    assert client.get(address, headers={"Last-Event-ID": "5"}).status_code == 200


def test_a_front_end_may_post_its_run_input(client: TestClient, add: Add) -> None:
    """The body is thrown away, whatever it is; a huge one is refused, and so is a page of another site."""
    address = add(sse(started(), finished()))
    assert client.post(address, content=b"{not json").content == client.get(address).content
    assert client.post(address, content=b"x" * 1_000_001).status_code == 413
    foreign = client.post(address, content=b"{}", headers={"Origin": "http://127.0.0.1:3000"})
    assert foreign.status_code == 403
    assert "access-control-allow-origin" not in client.get(address).headers


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "inf", "1e9", "fast", "", "0.001"])
def test_a_speed_that_cannot_be_is_refused(client: TestClient, add: Add, speed: str) -> None:
    """With a sentence that says what can be."""
    answer = client.get(add(sse(started()), f"?speed={speed}"))
    assert answer.status_code == 400
    assert answer.json() == {"error": "“speed” must be a number from 0.01 to 1000, or the word max."}


@pytest.mark.parametrize("query", ["from=-1", "from=x", "gap=-1", "gap=nan", "gap=inf", "gap=3601"])
def test_numbers_out_of_bounds_are_refused(client: TestClient, add: Add, query: str) -> None:
    """Nothing runs for ever, and nothing raises."""
    assert client.get(add(sse(started()), f"?speed=max&{query}")).status_code == 422


def test_a_teams_recording_is_no_stream(client: TestClient, add: Add) -> None:
    """It is calls to a service: 409, with the sentence; a trace that is not there is 404."""
    answer = client.get(add(lines(good())))
    assert answer.status_code == 409
    assert "no stream to replay" in answer.json()["error"]
    assert client.get("/api/traces/nosuchtrace1/stream").status_code == 404


def test_replays_are_bounded_and_give_their_place_back(
    client: TestClient, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One too many is told when to come again; a stream that ended, or was refused, takes no place."""
    monkeypatch.setattr(replays, "MAX_REPLAYS", 1)
    address = add(sse(started(), finished()))
    for _ in range(3):
        assert client.get(address).status_code == 200
        assert client.get(f"{address}0").status_code == 400
    client.app.state.replays.taken = 1  # type: ignore[attr-defined]
    full = client.get(address)
    assert full.status_code == 503
    assert full.headers["retry-after"] == "10"
    assert full.json()["error"].startswith("50 replays are running")


def test_the_routes_are_described(client: TestClient) -> None:
    """Both methods, every parameter, an event stream, every fault; the page's own route is not."""
    paths = client.get("/api/openapi.json").json()["paths"]
    path = paths["/api/traces/{trace_id}/stream"]
    for method, more in (("get", set()), ("post", {"413"})):
        told = path[method]
        assert {each["name"] for each in told["parameters"]} == {
            "trace_id", "speed", "from", "gap", "last-event-id"
        }  # fmt: skip
        everywhere = {"401", "403", "421"}  # told of every operation
        assert set(told["responses"]) == {"200", "204", "400", "404", "409", "422", "503"} | everywhere | more
        assert list(told["responses"]["200"]["content"]) == ["text/event-stream"]
    assert not [path for path in paths if path.endswith("/play")]


# ── the pace, on a clock of the test's own ───────────────────


class Day:
    """A clock that moves when somebody sleeps, or when the reader takes its time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def run(
    times: list[int], speed: float = 1.0, gap: float = 10.0, slow: tuple[float, ...] = ()
) -> tuple[Day, list[int]]:
    """Play records at these milliseconds; slow: seconds the reader takes for the first parts it gets."""
    day = Day()
    delays = list(slow)
    frames = [Frame(Recorded(n, None, time, None, ""), b"{}") for n, time in enumerate(times)]
    got: list[bytes] = []

    async def pages(start: int) -> list[Frame]:
        return frames[start : start + 2]

    async def main() -> None:
        pace = Pace(Clock("unix", "event", 0.0))
        async for part in played(pages, 0, pace, speed, gap, day, day.sleep):
            got.append(part)
            day.now += delays.pop(0) if delays else 0.0

    with pytest.raises(StopIteration):  # nothing in it waits for anything outside
        main().send(None)
    return day, ids(b"".join(got))


@pytest.mark.parametrize(
    ("speed", "slept"),
    [(1.0, [0.5, 2.0]), (4.0, [0.125, 0.5]), (0.25, [2.0, 8.0]), (math.inf, [])],
)
def test_the_recorded_waits_are_divided_by_the_speed(speed: float, slept: list[float]) -> None:
    """And `max` waits for nothing; records of one moment go out together."""
    day, got = run([1000, 1500, 1500, 3500], speed)
    assert day.slept == slept
    assert got == [0, 1, 2, 3]


def test_a_long_wait_is_cut_to_the_gap() -> None:
    """A pause of two hours takes no two hours."""
    assert run([0, 7_200_000, 7_200_500])[0].slept == [10.0, 0.5]
    assert run([0, 7_200_000], gap=0)[0].slept == []


def test_a_reader_that_is_slow_is_not_rushed() -> None:
    """A little lateness is made up for; a long one is not: the recorded waits go on from there."""
    assert run([0, 1000, 2000, 3000], slow=(0.2, 0.2))[0].slept == [0.8, 0.8, 1.0]
    assert run([0, 1000, 2000, 3000], slow=(5,))[0].slept == [1.0, 1.0]


@pytest.mark.parametrize(
    ("payload", "lines"),
    [
        (b"{}", b"data: {}\n\n"),
        (b"", b"data: \n\n"),
        (b"a\nb\n", b"data: a\ndata: b\ndata: \n\n"),
        (b"a\r\nb\rc", b"data: a\ndata: b\ndata: c\n\n"),
    ],
)
def test_a_block_has_a_data_line_for_each_line(payload: bytes, lines: bytes) -> None:
    """So that the reader joins them to the same payload; a CR cannot be kept by this grammar."""
    assert block(Frame(Recorded(7, None, None, None, ""), payload)) == b"id: 7\n" + lines
