"""One request to an upstream, and its answer back: bytes both ways as they come.

Rules of this file: order only. What is sent where is in `headers`, the wire in `upstream`, what is recorded in the
watch, which is told before the other side is, and is never waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from webapp.ingest.proxy import headers
from webapp.ingest.proxy.headers import Headers
from webapp.ingest.proxy.targets import Target
from webapp.ingest.proxy.upstream import ClientGone, Connection, Cut, Failed, Pool
from webapp.ingest.proxy.watch import Watch
from webapp.storage.audit import By

REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
HEAR_BYTES = 4 * 1024 * 1024  # of a request that cannot be passed on
HEAR_SECONDS = 2.0
STATUSES = range(200, 600)


@dataclass(slots=True)
class Asked:
    """A request. path: with its query, as the upstream gets it; by: who makes it; left: why the client is gone, set
    before `forward` is cancelled."""

    method: str
    path: bytes
    headers: Headers
    body: AsyncIterator[bytes]
    by: By | None = None
    left: str = "Passing it on was broken off."


class Answer(Protocol):
    """Where the answer goes; each call waits while the client is slow."""

    async def start(self, status: int, headers: Headers) -> None: ...

    async def data(self, chunk: bytes) -> None: ...

    async def end(self) -> None: ...


async def forward(pool: Pool, target: Target, asked: Asked, watch: Watch, answer: Answer) -> None:
    """Raises Failed when nothing was answered, Cut when the answer broke off after its head."""
    connection: Connection | None = None
    try:
        connection, status, head = await _ask(pool, target, asked, watch)
        head = headers.to_client(head)
        watch.answered(status, head, time.time())
        await answer.start(status, head)
        async for chunk in connection.chunks():
            watch.data(chunk, time.time())
            await answer.data(chunk)
        watch.ended("", time.time())
    except BaseException as error:
        if connection is not None:
            connection.abort()
        reason = f"{error.sentence}." if isinstance(error, Cut | Failed) else asked.left
        watch.ended(reason, time.time())
        raise
    pool.keep(connection)
    await answer.end()


async def _ask(pool: Pool, target: Target, asked: Asked, watch: Watch) -> tuple[Connection, int, Headers]:
    """Of requests that change nothing, one that met a kept connection which had just gone is made again."""
    sent = headers.to_upstream(asked.headers, target.authority)
    body = _watched(asked.body, watch) if headers.has_body(asked.headers) else None
    while True:
        try:
            connection = await pool.take(target)
        except Failed as error:
            await _heard(body)
            raise Failed(_words(target, error)) from None
        try:
            status, head = await connection.ask(asked.method, asked.path, sent, body)
            if status not in STATUSES:
                raise Failed(f"it answered with the status {status}, which does not exist")
        except Failed as error:
            connection.abort()
            if error.stale and body is None and asked.method in REPEATABLE:
                continue
            raise Failed(_words(target, error)) from None
        except BaseException:
            connection.abort()
            raise
        return connection, status, head


async def _heard(body: AsyncIterator[bytes] | None) -> None:
    """Take in a request that nobody is there for: the trace shows it, and the client reads the answer."""
    size = 0
    if body is None:
        return
    with suppress(TimeoutError, ClientGone):
        async with asyncio.timeout(HEAR_SECONDS):
            async for chunk in body:
                size += len(chunk)
                if size > HEAR_BYTES:
                    return


async def _watched(body: AsyncIterator[bytes], watch: Watch) -> AsyncIterator[bytes]:
    async for chunk in body:
        watch.asked(chunk)
        yield chunk


def _words(target: Target, error: Failed) -> str:
    return f"The upstream of {target.name} did not answer: {error.sentence}"
