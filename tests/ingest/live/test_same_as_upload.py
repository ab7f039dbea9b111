"""A recording leaves what an upload of the same bytes leaves, and in the middle of it what the engine says so far."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.exchanges import broken, good, lines
from tests.ingest.live import taking
from tests.ingest.live.taking import Taking
from tests.slices import every
from tests.streams import finished, message, sse, started
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.live.arrivals import Arrivals
from webapp.ingest.live.reading import reading
from webapp.ingest.upload import ingest
from webapp.readers.limits import Limits
from webapp.settings import Settings, load_settings
from webapp.storage import captures
from webapp.storage import traces as repository
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate

TESTS = Path(__file__).parents[2]
SAMPLES = sorted(
    path
    for folder in (TESTS / "samples", TESTS / "samples" / "teams", TESTS.parent / "webapp" / "samples")
    for path in folder.iterdir()
    if path.suffix in (".sse", ".jsonl")
)
FAMILIES = sorted({path.stem.rsplit("-", 1)[0] for path in (TESTS / "cases").glob("*.toml")})


class Pair:
    """Two databases: one for uploads, one for recordings, so that neither is a duplicate of the other."""

    def __init__(self, folder: Path, **more: Any) -> None:
        self.settings: Settings = load_settings(data_dir=folder, database_url="", **more)
        self.uploads = self._made(folder / "uploads.db")
        self.taking = Taking(self._made(folder / "live.db"), self.settings)

    @staticmethod
    def _made(path: Path) -> Database:
        url = f"sqlite:///{path}"
        migrate(url)
        return open_database(url)

    def same(self, data: bytes, pieces: list[bytes], every: int = 3, **more: Any) -> str:
        """Record and upload; both leave the same. Gives the recording's id."""
        live = self.taking.record(pieces, every, **more)
        mine, here = self.taking.database, live.id
        trace = self.taking.trace(here)
        assert trace.status == "ready"
        other = ingest(
            self.uploads, [data], name="n", settings=self.settings, form=more.get("form"),
            protocol=more.get("protocol"), run_input=more.get("run_input"),
        )  # fmt: skip
        assert taking.derived(mine, here) == taking.derived(self.uploads, other.id)
        assert taking.summary(mine, here) == taking.summary(self.uploads, other.id)
        assert taking.lines_of(mine, here) == taking.lines_of(self.uploads, other.id)
        return here


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    pair = Pair(tmp_path_factory.mktemp("pair"))
    yield pair
    pair.uploads.close()
    pair.taking.database.close()


def cut(data: bytes, random: Random, most: int) -> list[bytes]:
    """The bytes in random pieces."""
    pieces, at = [], 0
    while at < len(data):
        size = random.randint(1, most)
        pieces.append(data[at : at + size])
        at += size
    return pieces


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_recorded_sample_is_as_if_uploaded(pair: Pair, path: Path) -> None:
    """Real streams of both protocols, in pieces of any size."""
    data = path.read_bytes()
    beside = path.with_name(path.name.partition(".")[0] + ".input.json")
    run_input = json.loads(beside.read_text()) if beside.exists() else None
    pair.same(data, cut(data, Random(1), max(2, len(data) // 12)), run_input=run_input)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_recorded_case_is_as_if_uploaded(pair: Pair, family: str) -> None:
    """Every rule's example or its near-miss: what breaks, opens late, is merged or named afterwards."""
    random = Random(family)
    # those of `make test` are a third: what the engine says of each is asked in tests/core
    for path in every(sorted((TESTS / "cases").glob(f"{family}-*.toml")), 3, FAMILIES.index(family)):
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        told = case.get(random.choice(("fires", "near"))) or case.get("quiet")
        if told is not None and told["stream"].strip() and not told.keys() & {"binary", "head", "hex"}:
            data = _stream(told["stream"], as_sse=random.random() < 0.5)
            run_input = json.loads(told["input"]) if "input" in told else None
            pair.same(data, cut(data, random, max(2, len(data) // 4)), run_input=run_input, protocol="ag-ui")


@pytest.mark.parametrize("path", sorted((TESTS / "cases" / "streams").iterdir()), ids=lambda path: path.stem)
def test_a_recorded_stream_of_the_cases_is_as_if_uploaded(pair: Pair, path: Path) -> None:
    """Whole streams with more than one peculiarity."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))["trace"]
    data = _stream(told["stream"], as_sse=True)
    run_input = json.loads(told["input"]) if "input" in told else None
    pair.same(data, cut(data, Random(path.stem), 400), run_input=run_input, protocol="ag-ui")


def _stream(text: str, as_sse: bool) -> bytes:
    found: list[str] = []
    for line in text.splitlines():
        payload, _, times = line.rpartition(" * ")
        found += [payload] * int(times) if payload and times.isdigit() else [line] if line.strip() else []
    return sse(*found) if as_sse else "".join(f"{line}\n" for line in found).encode()


LONG = sse(
    started(), *message("m1", *["word "] * 1200), *message("m2", "a" * 70_000, "b"), {"type": "CUSTOM"}, finished()
)  # fmt: skip
ODD = [
    pytest.param(LONG, id="more than a burst, more than a checkpoint"),
    pytest.param(sse(started(), *message("m", "x"), finished())[:-40], id="cut inside its last line"),
    pytest.param(sse(started(), *message("m", "x"), finished()).replace(b"\n", b"\r\n"), id="CR LF"),
    pytest.param(sse(started(), *message("m", "x"), finished()).replace(b"\n", b"\r"), id="CR alone"),
    pytest.param(b"\xef\xbb\xbf" + sse(started(), finished()), id="byte order mark"),
    pytest.param(b"\n\n  \n" + sse(started(), finished()), id="blank lines first"),
    pytest.param(sse(started(), finished()).replace(b"\n\n", b"\n"), id="blank lines lost"),
    pytest.param(b": hi\n\nretry: 5\n\n" + sse(started(), finished()), id="comments and fields"),
    pytest.param(b'data: {"type":\ndata: "CUSTOM"}\n\n' * 5, id="events of several lines"),
    pytest.param(lines(good()), id="Teams"),
    pytest.param(lines(broken()) + b"{}\nnonsense\n", id="Teams with strays"),
    pytest.param(b"\0\0\n\xff\xfe{}\n", id="no text at all"),
    pytest.param(b" \n\n", id="only white space"),
    pytest.param(sse(started(), {"type": "CUSTOM", "name": "a\0b", "value": "\ud800"}, finished()), id="NUL"),
    pytest.param(b'{"a":1}\n' * 30 + lines(good()), id="says late what it is"),
    pytest.param(
        sse(started(), *message("m", 'my "api_key": "sk-ant-api03-0123456789abcdefghijklmnop"'), finished()),
        id="a credential",
    ),
]  # fmt: skip


@pytest.mark.parametrize("data", ODD)
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_an_odd_recording_is_as_if_uploaded(pair: Pair, data: bytes, size: int) -> None:
    """Line ends, marks, strays and ends in the middle, at any chunk boundary."""
    size = max(size, len(data) // 400)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    pair.same(data, pieces, every=max(3, len(pieces) // 8))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), most=st.integers(1, 900), every=st.integers(1, 9))
def test_any_split_of_a_recording_leaves_the_same(pair: Pair, seed: int, most: int, every: int) -> None:
    """Random streams of the cases one after the other, in random pieces, with rounds in between."""
    random = Random(seed)
    files = sorted((TESTS / "cases" / "streams").iterdir())
    texts = [
        tomllib.loads(path.read_text(encoding="utf-8"))["trace"]["stream"] for path in random.sample(files, 2)
    ]
    data = _stream("\n".join(texts), as_sse=random.random() < 0.7)
    if random.random() < 0.3:
        data = data[: random.randrange(len(data))] or data
    pair.same(data, cut(data, random, max(most, len(data) // 60)), every, protocol="ag-ui")


@pytest.mark.parametrize("path", SAMPLES[:6] + SAMPLES[-3:], ids=lambda path: path.name)
def test_after_each_round_the_tables_are_what_the_engine_says_so_far(pair: Pair, path: Path) -> None:
    """Events, segments, items, lanes, runs and findings, in the middle of a recording."""
    _step_by_step(pair.taking, path.read_bytes(), 5)


@pytest.mark.parametrize("name", ["chunks-after-their-subagent", "call-streamed-again", "end-before-start"])
def test_after_each_round_a_broken_stream_is_told_as_far_as_it_is(pair: Pair, name: str) -> None:
    """Findings that change afterwards, items that end late."""
    path = TESTS / "cases" / "streams" / f"{name}.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8"))["trace"]
    _step_by_step(pair.taking, _stream(told["stream"], as_sse=True), 40)


def test_a_finding_stays_with_the_newest_item_of_its_name(pair: Pair) -> None:
    """An item of an earlier run that is written again does not take over a finding about its namesake."""

    def call(args: str) -> list[dict[str, Any]]:
        start = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "refund"}
        grows = {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": args}
        return [start, grows, {"type": "TOOL_CALL_END", "toolCallId": "c"}]

    result = {"type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": "done"}
    data = sse(
        started(), *call("{}"), finished(), started(run="r2"), *call("{}"), call("")[2], result, *message("n", *"cde"),
        finished(run="r2"),
    )  # fmt: skip
    live = _step_by_step(pair.taking, data, 40)
    items = taking.table_rows(pair.taking.database, live, taking.DERIVED[3])
    calls = [row for row in items if row[1] == "tool"]
    assert len({row[-1] for row in calls}) == 2  # else nothing could be mistaken


def _step_by_step(taking_: Taking, data: bytes, steps: int) -> str:
    live = taking_.begin()
    capture = taking_.capture(live.id)
    size = max(1, len(data) // steps)
    for at in range(0, len(data), size):
        live.write(data[at : at + size], 1000.0 + at)
        taking_.round()
        _consistent(taking_, live.id, capture.form, capture.protocol)
    taking_.end(live)
    return live.id


def _consistent(taking_: Taking, public: str, form: str, protocol: str) -> None:
    database = taking_.database
    text = taking_.text(public)
    with database.session() as session:
        trace = repository.get(session, public)
        assert trace is not None
        arrivals = Arrivals(captures.arrivals(session, trace.pk))
    assert arrivals.end == len(text)
    reader = reading(form, protocol, Limits(), Cleaner(True))
    records = list(arrivals.stamped(reader.feed(text)))
    assert trace.records == len(records)
    if not records:
        return
    expected = taking.expected(trace.protocol, records)
    stored = taking.derived(database, public, {"trace"})
    for name, rows in expected.items():
        assert sorted(stored[name], key=repr) == sorted(rows, key=repr), name
