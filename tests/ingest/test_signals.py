"""Live signals reach every worker, the newest position of each trace, and never stop a recorder."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

import pytest

from tests.postgres import Server
from webapp.ingest.signals import CHECK, InProcess, Signal, Signals, Waiting, signals_for
from webapp.ingest.signals_postgres import PostgresSignals

PATIENCE = 30  # seconds until a test that hears nothing fails
postgresql = pytest.mark.databases("postgresql")


class Ear:
    """What one worker's callback was told, in order."""

    def __init__(self) -> None:
        self.heard: list[Signal] = []
        self._more = asyncio.Event()

    def hear(self, signal: Signal) -> None:
        self.heard.append(signal)
        self._more.set()

    async def until(self, signal: Signal, times: int = 1) -> None:
        """Wait until it was told so often."""
        async with asyncio.timeout(PATIENCE):
            while self.heard.count(signal) < times:
                self._more.clear()
                await self._more.wait()


@contextmanager
def started(signals: Signals) -> Iterator[Ear]:
    ear = Ear()
    signals.start(asyncio.get_running_loop(), ear.hear)
    try:
        yield ear
    finally:
        signals.stop()


def from_a_thread(*calls: Callable[[], None]) -> None:
    thread = Thread(target=lambda: [call() for call in calls])
    thread.start()
    thread.join()


# ── one process ──────────────────────────────────────────────


def test_the_database_chooses_the_way() -> None:
    """SQLite has one process; PostgreSQL may have several."""
    assert isinstance(signals_for("sqlite:////x/y.db"), InProcess)
    assert isinstance(signals_for("postgresql+psycopg://db/lanescope"), PostgresSignals)


def test_the_newest_of_each_trace_is_told_in_the_loop() -> None:
    """Positions that come while the loop is busy are told once, by the newest; each status is told for itself."""

    async def run() -> list[Signal]:
        signals = InProcess()
        with started(signals) as ear:
            told = (("a", 1, "live"), ("b", 1, "live"), ("a", 2, "raw"), ("a", 3, "live"), ("a", 3, "ready"))
            given = [Signal(*each) for each in told]
            from_a_thread(*(lambda signal=signal: signals.publish(signal) for signal in given))  # type: ignore[misc]
            assert ear.heard == []
            await ear.until(given[-1])
            signals.publish(Signal("a", 4, "ready"))
            await ear.until(Signal("a", 4, "ready"))
            return ear.heard

    told = [("a", 3, "live"), ("b", 1, "live"), ("a", 2, "raw"), ("a", 3, "ready"), ("a", 4, "ready")]
    assert asyncio.run(run()) == [Signal(*each) for each in told]


def test_nobody_is_told_before_the_start_or_after_the_end() -> None:
    """What came before the start is told then; what comes after the end is not, and raises nothing."""

    async def run() -> tuple[InProcess, list[Signal]]:
        signals = InProcess()
        signals.publish(Signal("early", 1, "live"))
        with started(signals) as ear:
            await ear.until(Signal("early", 1, "live"))
            signals.publish(Signal("late", 1, "live"))
        await asyncio.sleep(0)
        return signals, ear.heard

    signals, heard = asyncio.run(run())
    assert heard == [Signal("early", 1, "live")]
    signals.publish(Signal("later", 1, "live"))


def test_a_closed_loop_does_not_stop_a_recorder() -> None:
    """A server that ends closes its loop while a recorder may still publish."""
    signals = InProcess()
    loop = asyncio.new_event_loop()
    signals.start(loop, lambda _signal: None)
    loop.close()
    signals.publish(Signal("a", 1, "live"))


def test_a_fault_of_one_callback_keeps_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged, and the next signal is told."""

    async def run() -> list[Signal]:
        signals, ear = InProcess(), Ear()

        def hear(signal: Signal) -> None:
            ear.hear(signal)
            if signal.trace == "bad":
                raise RuntimeError("a viewer's fault")

        signals.start(asyncio.get_running_loop(), hear)
        signals.publish(Signal("bad", 1, "live"))
        signals.publish(Signal("good", 1, "live"))
        await ear.until(Signal("good", 1, "live"))
        return ear.heard

    assert len(asyncio.run(run())) == 2
    assert "a live signal of bad was not taken" in caplog.text


def test_a_position_never_goes_back() -> None:
    """Two threads may publish in the wrong order."""
    waiting = Waiting()
    assert waiting.add(Signal("a", 7, "live")) is True
    assert waiting.add(Signal("a", 5, "live")) is False
    assert waiting.take() == [Signal("a", 7, "live")]
    assert waiting.take() == []


def test_too_many_that_wait_become_one() -> None:
    """Memory is bounded: instead of forgetting one trace, everybody looks at all."""
    waiting = Waiting(most=3)
    for number in range(4):
        waiting.add(Signal(f"t{number}", 1, "live"))
    assert waiting.take() == [CHECK, Signal("t3", 1, "live")]


def test_what_could_not_be_told_gives_way_to_the_newer() -> None:
    """After a failed sending the newest position waits, not the one that failed."""
    waiting = Waiting()
    waiting.add(Signal("a", 1, "live"))
    waiting.add(Signal("b", 1, "live"))
    failed = waiting.take()
    waiting.add(Signal("a", 9, "live"))
    waiting.put_back(failed)
    assert waiting.take() == [Signal("a", 9, "live"), Signal("b", 1, "live")]


# ── several processes ────────────────────────────────────────

Story = Callable[[PostgresSignals, Ear, PostgresSignals, Ear], Awaitable[None]]


def between_two(url: str, story: Story) -> None:
    """Run a story with two workers on one database, both listening."""

    async def run() -> None:
        one, two = PostgresSignals(url), PostgresSignals(url)
        with ExitStack() as stack:
            first, second = stack.enter_context(started(one)), stack.enter_context(started(two))
            await first.until(CHECK)
            await second.until(CHECK)
            await story(one, first, two, second)

    asyncio.run(run())


def end_connections(url: str, server: Server, doing: str) -> None:
    """Have the server end the live connections whose newest statement is like this."""
    name = url.partition("@/")[2].partition("?")[0]
    ended = server.ask(
        "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 20000)) FROM pg_stat_activity "
        f"WHERE datname = '{name}' AND application_name = 'lanescope live' AND query LIKE '{doing}%'"
    )
    assert ended > 0


@postgresql
def test_a_signal_reaches_the_other_worker_and_ones_own_once(database_url: str) -> None:
    """Each worker is told each signal once, whoever published it."""

    async def story(one: PostgresSignals, first: Ear, two: PostgresSignals, second: Ear) -> None:
        for number in range(3):
            for signals, name in ((one, "one"), (two, "two")):
                signal = Signal(name, number, "live")
                signals.publish(signal)
                await first.until(signal)
                await second.until(signal)
        for ear in (first, second):
            assert len(ear.heard) == len(set(ear.heard)) == 7

    between_two(database_url, story)


@postgresql
def test_waiting_positions_of_a_trace_are_sent_as_the_newest(database_url: str) -> None:
    """A recorder may publish thousands of positions; the other worker is told the newest that waits."""

    async def run() -> None:
        one, two = PostgresSignals(database_url), PostgresSignals(database_url)
        for number in range(2000):
            one.publish(Signal("busy", number, "live"))
        with started(two) as second:
            await second.until(CHECK)
            with started(one):
                await second.until(Signal("busy", 1999, "live"))
            assert second.heard == [CHECK, Signal("busy", 1999, "live")]

    asyncio.run(run())


@postgresql
def test_a_listener_that_was_cut_off_checks_everything(
    database_url: str, postgres_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """The connection is made anew, `CHECK` stands for what was missed, and the next signal is heard."""

    async def story(one: PostgresSignals, first: Ear, two: PostgresSignals, second: Ear) -> None:
        end_connections(database_url, postgres_server, "LISTEN")
        await first.until(CHECK, 2)
        await second.until(CHECK, 2)
        one.publish(Signal("a", 1, "live"))
        await second.until(Signal("a", 1, "live"))

    between_two(database_url, story)
    assert "Live signals cannot be heard, trying again" in caplog.text


@postgresql
def test_a_sender_that_was_cut_off_sends_again(
    database_url: str, postgres_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """A signal published into a dead connection arrives all the same."""

    async def story(one: PostgresSignals, first: Ear, two: PostgresSignals, second: Ear) -> None:
        one.publish(Signal("a", 1, "live"))
        await second.until(Signal("a", 1, "live"))
        end_connections(database_url, postgres_server, "SELECT pg_notify")
        one.publish(Signal("a", 2, "ready"))
        await second.until(Signal("a", 2, "ready"))

    between_two(database_url, story)
    assert "Live signals cannot be sent, trying again" in caplog.text
    assert "Live signals are sent again" in caplog.text


@postgresql
def test_the_last_signal_before_the_end_is_sent(database_url: str) -> None:
    """A worker that stops tells the others how it left its recordings."""

    async def story(one: PostgresSignals, first: Ear, two: PostgresSignals, second: Ear) -> None:
        one.publish(Signal("a", 1, "failed"))
        one.stop()
        await second.until(Signal("a", 1, "failed"))

    between_two(database_url, story)


@postgresql
def test_strangers_on_the_channel_are_passed_over(database_url: str, postgres_server: Server) -> None:
    """Another program's words are no signal, and the next signal is told."""
    name = database_url.partition("@/")[2].partition("?")[0]

    async def story(one: PostgresSignals, first: Ear, two: PostgresSignals, second: Ear) -> None:
        with postgres_server.connect(name) as other:
            for said in ("", "hello", "a 1 live\nb", "a x live", f"{'a' * 99} 1 live"):
                other.execute("SELECT pg_notify('lanescope_live', %s)", (said,))
            other.execute("SELECT pg_notify('lanescope_live', 'a 1 live')")
        await first.until(Signal("a", 1, "live"))
        assert first.heard == [CHECK, Signal("a", 1, "live")]

    between_two(database_url, story)


def test_what_cannot_be_sent_is_logged_and_told_at_home(caplog: pytest.LogCaptureFixture) -> None:
    """Neither a signal that is none nor a database that cannot be reached raises into a recorder."""
    caplog.set_level(logging.WARNING)

    async def run() -> None:
        signals = PostgresSignals("postgresql+psycopg://nobody@/nothing?host=/nowhere")
        odd, good = Signal("two words", 1, "live"), Signal("a", 1, "live")
        with started(signals) as ear:
            signals.publish(odd)
            signals.publish(good)
            await ear.until(good)
            assert ear.heard == [odd, good]

    asyncio.run(run())
    assert "a live signal that cannot be sent" in caplog.text
