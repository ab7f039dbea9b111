"""Calls of agents that run: begun, recorded as the answer comes, ended by themselves, by a person or by a limit.

Rules of this file: the life of a call. What may be called is `addresses`, how it is sent `sending`; what is kept goes
through the recorder and nowhere else. The credential of a call lives in its request and in the overwriter of what
comes back, and in nothing that outlives them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from webapp.core.evidence import ResponseHead
from webapp.errors import Busy, NotFound, UserError
from webapp.ingest.call import description
from webapp.ingest.call.addresses import Allowed, Resolve
from webapp.ingest.call.asked import read_input
from webapp.ingest.call.faults import CallFailed
from webapp.ingest.call.secret import Overwriter, authorization
from webapp.ingest.call.sending import ANSWER_SECONDS, Answer, send
from webapp.ingest.call.url import Address, parse
from webapp.ingest.live.transactions import BROKE_OFF
from webapp.settings import Settings
from webapp.storage.audit import By

log = logging.getLogger("lanescope")

MAX_CALLS = 20  # at once in this process
MAX_SECONDS = 30 * 60  # a call may last
CALL = "call"  # kind of the recording
BY_HAND = "The call was stopped here, by hand; the agent may have had more to say."
SHUT_DOWN = "Lanescope was stopped while the agent was still sending."
BEHIND = (
    "The answer could not be stored as fast as it came, so the call was ended; the agent had more to say."
)
TOO_LONG = f"The call was ended after {MAX_SECONDS // 60} minutes, the longest that one may last."


class Recording(Protocol):
    """What is used of `ingest.live.handle.Live`."""

    id: str

    async def push(self, data: bytes, at: float | None = None) -> None: ...

    def note(self, kind: str, sentence: str) -> None: ...

    async def end(self, reason: str = "") -> None: ...


class Recorder(Protocol):
    """What is used of `ingest.live.recorder.Recorder`."""

    async def begin(
        self,
        *,
        name: str,
        source: str,
        kind: str,
        form: str = "",
        protocol: str = "",
        run_input: dict[str, Any] | None = None,
        head: ResponseHead | None = None,
        by: By | None = None,
    ) -> Recording: ...


@dataclass(frozen=True, slots=True)
class Running:
    """A call that runs. id: of its trace; shown: the address without its query; since: unix seconds."""

    id: str
    shown: str
    since: float


@dataclass(slots=True)
class _Call:
    running: Running
    stopped: asyncio.Event
    reason: str = ""
    task: asyncio.Task[None] | None = None


class Calls:
    """Every call of this process; used from its event loop only."""

    def __init__(self, settings: Settings, recorder: Recorder, resolve: Resolve | None = None) -> None:
        self.allowed = Allowed(settings.call_hosts, resolve)
        self._settings = settings
        self._recorder = recorder
        self._calls: dict[str, _Call] = {}
        self._beginning = 0
        self._closed = False

    async def start(
        self, url: str, run_input: str, secret: str = "", name: str = "", by: By | None = None
    ) -> str:
        """Call an agent and record what it answers; gives the trace's id as soon as there is something to record.

        url, run_input, secret: as typed; name: of the trace, "" = the agent's address; by: who calls.
        Raises BadInput, Refused, Busy, CallFailed; then nothing was stored.
        """
        address = parse(url)
        value, body = read_input(run_input)
        credential = authorization(secret)
        if self._closed or len(self._calls) + self._beginning >= MAX_CALLS:
            raise Busy(
                f"{MAX_CALLS} agents are being called, as many as go at once; stop one, or wait for its end."
            )
        self._beginning += 1
        try:
            checked = await self.allowed.check(address)
            answer = await send(checked, body, credential)
            try:
                first = None if answer.streams else await _something(answer)
                live = await self._begin(address, name, value, answer, first, by)
            except BaseException:
                await answer.close()
                raise
            return self._run(live, address, answer, first, Overwriter(credential))
        finally:
            self._beginning -= 1

    def stop(self, trace_id: str, reason: str = BY_HAND) -> bool:
        """End a call; False: none of this process records that trace."""
        call = self._calls.get(trace_id)
        if call is None:
            return False
        call.reason = call.reason or reason
        call.stopped.set()
        return True

    def running(self) -> Sequence[Running]:
        """Oldest first."""
        return [call.running for call in self._calls.values()]

    async def close(self) -> None:
        """End every call, with the reason; no further one begins."""
        self._closed = True
        tasks = [call.task for call in self._calls.values() if call.task is not None]
        for id_ in list(self._calls):
            self.stop(id_, SHUT_DOWN)
        if tasks:
            await asyncio.wait(tasks, timeout=10)

    # ── one call ─────────────────────────────────────────────

    async def _begin(
        self,
        address: Address,
        name: str,
        value: dict[str, Any],
        answer: Answer,
        first: bytes | None,
        by: By | None,
    ) -> Recording:
        live = await self._recorder.begin(
            name=description.name_of(name, address),
            source=description.source_of(address),
            kind=CALL,
            form=description.form_of(answer.streams, first),
            protocol="ag-ui",
            run_input=value,
            head=answer.head,
            by=by,
        )
        for kind, sentence in description.notes_of(answer):
            live.note(kind, sentence)
        return live

    def _run(
        self, live: Recording, address: Address, answer: Answer, first: bytes | None, clean: Overwriter
    ) -> str:
        call = _Call(Running(live.id, address.shown, time.time()), asyncio.Event())
        self._calls[live.id] = call
        call.task = asyncio.create_task(
            self._record(call, live, answer, first, clean), name=f"call {live.id}"
        )
        return live.id

    async def _record(
        self, call: _Call, live: Recording, answer: Answer, first: bytes | None, clean: Overwriter
    ) -> None:
        reason = ""
        try:
            reason = await self._receive(call, live, answer, first, clean)
        except CallFailed as error:  # the agent's own stream broke off
            live.note(BROKE_OFF, error.sentence)
        except Busy:
            reason = BEHIND
        except UserError as error:  # the recording is over: full, or deleted
            reason = error.sentence
        except asyncio.CancelledError:
            reason = call.reason or SHUT_DOWN
        except Exception:
            log.exception("the recording of call %s failed", live.id)
            reason = "Lanescope failed while it recorded this call; its log says where."
        finally:
            await self._finish(call, live, answer, clean, reason)

    async def _receive(
        self, call: _Call, live: Recording, answer: Answer, first: bytes | None, clean: Overwriter
    ) -> str:
        """Record until the end; the reason, "" when the agent ended it."""
        deadline = time.monotonic() + MAX_SECONDS
        limit = room = self._settings.max_upload_bytes
        stopped = asyncio.create_task(call.stopped.wait())
        piece = first
        try:
            while True:
                if piece is None:
                    coming = asyncio.create_task(answer.next())
                    done, _ = await asyncio.wait(
                        {coming, stopped},
                        timeout=max(0.0, deadline - time.monotonic()),
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                    if coming not in done:
                        coming.cancel()
                        await asyncio.wait({coming})
                        return call.reason if stopped in done else TOO_LONG
                    piece = coming.result()
                    if piece is None:
                        return ""
                at = time.time()
                cut = len(piece) > room
                if held := clean.feed(piece[:room]):
                    await live.push(held, at)
                room -= min(len(piece), room)
                if cut:
                    return (
                        f"The recording stops at {limit:,} bytes, the limit set by LANESCOPE_MAX_UPLOAD_BYTES; "
                        "the agent had more to say."
                    )
                piece = None
        finally:
            stopped.cancel()

    async def _finish(
        self, call: _Call, live: Recording, answer: Answer, clean: Overwriter, reason: str
    ) -> None:
        try:
            await answer.close()
        except Exception as error:  # the connection is of no more use, whatever state it is in
            log.info("call %s: the connection did not close: %s", live.id, type(error).__name__)
        try:
            if rest := clean.close():
                await live.push(rest)
        except UserError:
            reason = reason or BEHIND
        if clean.count:
            live.note(*description.SECRET_SENT_BACK)
        try:
            await live.end(reason)
        except NotFound:
            log.info("call %s was ended: its trace was deleted", live.id)
        except UserError as error:
            log.warning("the end of call %s could not be stored: %s", live.id, error.sentence)
        finally:
            self._calls.pop(live.id, None)


async def _something(answer: Answer) -> bytes:
    """The first bytes of an answer that is no event stream: without any there is nothing to record."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            first = await answer.next()
    except TimeoutError:
        raise CallFailed(
            f"The agent answered {answer.told} and then sent nothing for {ANSWER_SECONDS} seconds."
        ) from None
    if first is None:
        raise CallFailed(
            f"The agent answered {answer.told} without a body, so there is nothing to record."
            + (" Does it want an Authorization value?" if answer.head.status in (401, 403) else "")
        )
    return first
