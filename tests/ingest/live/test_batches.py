"""Numbered batches: each is stored once, in order, byte for byte, and any of them can be sent again."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from tests.exchanges import good
from tests.exchanges import lines as exchange_lines
from tests.ingest.live import taking
from tests.ingest.live.taking import Taking
from tests.streams import finished, message, sse, started
from webapp.errors import BadInput, NotFound, OutOfOrder, TooLarge
from webapp.ingest.live import batches, transactions
from webapp.ingest.live.batches import Added
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import captures
from webapp.storage import traces as repository
from webapp.storage.db import Database

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
EVENT = b'{"type":"CUSTOM","name":"n","value":1}'


class Batches:
    """A recording in batches, and the process that looks after it."""

    def __init__(self, taking_: Taking) -> None:
        self.taking = taking_
        self.id = taking_.begin(kind="batch").id

    def add(self, number: int, data: bytes = b"", events: list[bytes] | None = None) -> Added:
        owner = self.taking.recorder.owner
        added = batches.add(self.taking.database, self.id, number, data, self.taking.settings, owner, events)
        self.taking.recorder.wake(added.pk, self.id)
        return added

    def end(self) -> Added:
        added = batches.end(self.taking.database, self.id, self.taking.recorder.owner)
        self.taking.recorder.wake(added.pk)
        return added

    @property
    def text(self) -> bytes:
        return self.taking.text(self.id)


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Taking:
    return Taking(database, load_settings(data_dir=tmp_path, max_upload_bytes=1_000_000))


@pytest.fixture
def one(take: Taking) -> Batches:
    return Batches(take)


def test_a_batch_is_stored_once(one: Batches) -> None:
    """The same number again changes nothing, whatever it holds; also after the end."""
    assert one.add(1, WHOLE).new
    assert one.add(2, WHOLE).new
    for number, data in ((1, WHOLE), (2, b"something else\n"), (1, b"")):
        added = one.add(number, data)
        assert (added.new, added.last) == (False, 2)
    assert one.end().new
    assert not one.end().new
    assert not one.add(2, WHOLE).new
    with pytest.raises(BadInput, match="over"):
        one.add(3, WHOLE)
    one.taking.round()
    assert not one.end().new
    assert (one.text, one.taking.trace(one.id).status) == (WHOLE * 2, "ready")


def test_a_batch_out_of_order_is_refused_with_the_newest_number(one: Batches) -> None:
    """Nothing of it is stored."""
    one.add(1, WHOLE)
    with pytest.raises(OutOfOrder) as refused:
        one.add(3, WHOLE)
    assert refused.value.last == 1
    assert one.text == WHOLE


def test_what_cannot_be_added_to_is_told(one: Batches, take: Taking) -> None:
    """A trace that was uploaded, pushed or deleted, or never was."""
    uploaded = ingest(take.database, [WHOLE], name="n", settings=take.settings).id
    pushed = take.begin().id
    with take.database.session() as session:
        trace = repository.get(session, one.id)
        assert trace is not None
        repository.delete(session, trace.pk)
    for public, fault in ((uploaded, BadInput), (pushed, BadInput), (one.id, NotFound), ("none", NotFound)):
        one.id = public
        with pytest.raises(fault):
            one.add(1, WHOLE)
        with pytest.raises(fault):
            one.end()


@pytest.mark.parametrize("reason", [*transactions.RESUMABLE])
@pytest.mark.parametrize("judged", [True, False])
def test_a_recording_that_was_left_goes_on(one: Batches, take: Taking, reason: str, judged: bool) -> None:
    """With its next batch, also on another process, whether or not its end was judged."""
    half = WHOLE.index(b"\n\n", 150) + 2
    one.add(1, WHOLE[:half])
    take.round()
    with take.database.session() as session:
        capture = captures.locked(session, take.capture(one.id).trace)
        assert capture is not None
        transactions.end_now(capture, reason, 0.0)
    if judged:
        take.recorder._bench.add(take.capture(one.id).trace)
        take.round()
        assert (take.trace(one.id).status, one.text) == ("ready", WHOLE[:half])
        assert take.trace(one.id).upload_notes
    other = Taking(take.database, take.settings)
    one.taking = other
    assert one.add(1).last == 1
    assert one.add(2, WHOLE[half:]).new
    other.round()
    assert take.trace(one.id).status == "live"
    take.round()  # the one that had it looks no more
    one.end()
    other.round()
    trace = take.trace(one.id)
    assert (trace.status, trace.verdict, trace.upload_notes) == ("ready", "conformant", None)
    assert (one.text, len(taking.derived(take.database, one.id)["events"])) == (WHOLE, 6)
    assert not [note for note in trace.artefacts if note["kind"] == transactions.CUT]


def test_the_end_of_a_recording_that_was_left_makes_it_whole(one: Batches, take: Taking) -> None:
    """Somebody says that nothing is missing: the reason goes."""
    one.add(1, WHOLE)
    take.recorder._closing = False
    for pk in transactions.stop_batches(take.database, take.recorder.owner):
        take.recorder.wake(pk)
    take.round()
    assert take.trace(one.id).upload_notes
    assert one.end().new
    take.round()
    assert (take.trace(one.id).status, take.trace(one.id).upload_notes) == ("ready", None)


def test_a_recording_that_nobody_goes_on_with_is_closed(
    one: Batches, take: Taking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a long silence, with the reason."""
    one.add(1, WHOLE)
    take.round()
    monkeypatch.setattr(transactions, "IDLE_SECONDS", -1.0)
    take.recorder._beaten = float("-inf")
    take.round()
    trace = take.trace(one.id)
    assert (trace.status, [note["message"] for note in trace.upload_notes or []]) == (
        "ready",
        [transactions.IDLE],
    )


@pytest.mark.parametrize(
    ("data", "form", "stored"),
    [
        (b"", "", b""),
        (b"\n", "", b"\n"),
        (EVENT, "ndjson", EVENT + b"\n"),
        (EVENT + b"\n" + EVENT, "ndjson", EVENT + b"\n" + EVENT + b"\n"),
        (EVENT + b"\r\n", "ndjson", EVENT + b"\r\n"),
        (b"data: " + EVENT, "sse", b"data: " + EVENT + b"\n\n"),
        (b"data: " + EVENT + b"\n", "sse", b"data: " + EVENT + b"\n\n"),
        (b"data: " + EVENT + b"\r\n\r\n", "sse", b"data: " + EVENT + b"\r\n\r\n"),
        (b"data: [DONE]", "sse", b"data: [DONE]\n\n"),
        (b": ping", "sse", b": ping\n\n"),
        (b"event: x\n", "sse", b"event: x\n"),
        (b"data: {\n", "sse", b"data: {\n"),
    ],
)
def test_a_batch_gets_the_line_ends_that_its_last_event_lacks(data: bytes, form: str, stored: bytes) -> None:
    """And no other byte: what is cut between the lines of an event goes on with the next batch."""
    assert batches.whole(data, form) == stored


@pytest.mark.parametrize("form", ["sse", "ndjson"])
def test_a_stream_cut_after_any_line_is_stored_byte_for_byte(take: Taking, form: str) -> None:
    """Whoever numbers what comes off the wire, line by line."""
    text = b"event: x\ndata: {\ndata: }\n\n" + WHOLE if form == "sse" else exchange_lines(good())
    one = Batches(take)
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        one.add(number, line)
    one.end()
    take.round()
    other = ingest(take.database, [text], name="n", settings=take.settings)
    mine = taking.derived(take.database, one.id, {*taking.CLOCKS, "line", "offset"})
    assert mine == taking.derived(take.database, other.id, {*taking.CLOCKS, "line", "offset"})
    assert one.text.replace(b"\n", b"") == text.replace(b"\n", b"")


@pytest.mark.parametrize("seed", range(6))
def test_a_batch_cut_anywhere_is_stored_whole_or_refused(take: Taking, seed: int) -> None:
    """A torn line is never stored as if it were two: the sender is told and sends the rest with it."""
    random = Random(seed)
    one, rest, number = Batches(take), WHOLE, 1
    while rest:
        size = random.randint(1, 70)
        try:
            one.add(number, rest[:size])
        except BadInput:
            size = rest.index(b"\n") + 1
            one.add(number, rest[:size])
        rest, number = rest[size:], number + 1
    one.end()
    take.round()
    trace = take.trace(one.id)
    assert (trace.verdict, trace.records, trace.not_understood) == ("conformant", 6, 0)


def test_json_events_take_the_form_of_the_recording(one: Batches, take: Taking) -> None:
    """Events of a list beside events of a stream are told apart like those."""
    one.add(1, sse(started()))
    one.add(2, events=[EVENT, EVENT])
    one.add(3, events=[])
    one.end()
    take.round()
    assert one.text == sse(started()) + (b"data: " + EVENT + b"\n\n") * 2
    assert take.trace(one.id).records == 3
    other = Batches(take)
    other.add(1, events=[EVENT])
    assert other.text == EVENT + b"\n"


@pytest.mark.parametrize(
    "data", [b"\0\n", b'{"a":"\0"}\n', b"\xff\xfe\n", b"\r\r\r", b" \t\n", b"x" * 10 + b"\n"]
)
def test_bytes_of_any_kind_are_stored(one: Batches, take: Taking, data: bytes) -> None:
    """They are what was sent."""
    one.add(1, data)
    take.round()
    one.end()
    take.round()
    assert (one.text, take.trace(one.id).status) == (data, "ready")


def test_credentials_are_overwritten_in_every_batch(one: Batches, take: Taking) -> None:
    """And counted together."""
    line = b'{"authorization":"Bearer abcdefghijklmnopqrstuvwxyz0123456789"}\n'
    for number in (1, 2):
        one.add(number, line)
    one.end()
    take.round()
    assert b"abcdefgh" not in one.text
    assert (len(one.text), take.trace(one.id).masked) == (2 * len(line), 2)


def test_a_recording_too_large_takes_no_more(one: Batches) -> None:
    """What is stored stays, and the number is free for a smaller one."""
    one.add(1, EVENT + b"\n")
    with pytest.raises(TooLarge):
        one.add(2, b"x" * 1_000_000 + b"\n")
    assert one.add(2, EVENT + b"\n").new
    assert one.text == (EVENT + b"\n") * 2


def test_the_same_batch_at_the_same_time_is_stored_once(one: Batches, take: Taking) -> None:
    """Senders that race for a number: one of them stores it, the others are told that it is there."""
    told: list[bool] = []
    for number in range(1, 6):
        barrier = threading.Barrier(6)

        def send(number: int = number, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            told.append(one.add(number, b'{"n":%d}\n' % number).new)

        threads = [threading.Thread(target=send) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(told) == [False] * 25 + [True] * 5
    assert one.text == b"".join(b'{"n":%d}\n' % number for number in range(1, 6))


def test_a_batch_that_comes_while_the_recording_is_closed_is_not_lost(one: Batches, take: Taking) -> None:
    """Between the look at its row and its closing, the next batch took it up again."""
    one.add(1, WHOLE[: WHOLE.index(b"\n\n") + 2])
    pk = take.capture(one.id).trace
    with take.database.session() as session:
        capture = captures.locked(session, pk)
        assert capture is not None
        transactions.end_now(capture, transactions.IDLE, 0.0)
    real = captures.of

    def of(session: object, pks: list[int]) -> object:
        rows = real(session, pks)  # type: ignore[arg-type]
        captures.of = real
        one.add(2, WHOLE[WHOLE.index(b"\n\n") + 2 :])
        return rows

    captures.of = of  # type: ignore[assignment]
    take.round()
    assert take.trace(one.id).status == "live"
    one.end()
    take.round()
    assert (take.trace(one.id).status, take.trace(one.id).verdict, one.text) == ("ready", "conformant", WHOLE)
    with take.database.session() as session:
        parts = session.scalars(sa.select(captures.Original.part).where(captures.Original.trace == pk)).all()
    assert sorted(parts) == list(range(len(parts)))
