"""Connections to upstreams: HTTP/1.1 as it is, nothing added, nothing held back.

Rules of this file: sockets and bytes; nothing is known of recordings. A client library would write the path anew, add
headers of its own and read no answer before the request is whole; this passes bytes both ways at once, and tells an
answer that ended from one that was cut. There is a time limit for connecting and for a request that is not taken, and
none for a stream.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import cache
from socket import gaierror

import h11

from webapp.ingest.proxy.headers import Headers
from webapp.ingest.proxy.targets import Target

CONNECT_SECONDS = 10.0
TAKE_SECONDS = (
    60.0  # that an upstream may take nothing of a request; a client that leaves meanwhile goes unseen
)
IDLE_SECONDS = 4.0  # a connection is kept for the next request; servers close theirs after five, mostly
MOST_IDLE = 32  # of one target
READ_BYTES = 64 * 1024
HEAD_BYTES = 256 * 1024  # of an answer's head
EAGER_SECONDS = 0.25  # until the next address of a name is tried beside the first


class Failed(Exception):
    """There is no answer. sentence: why, for the client; stale: a kept connection had gone, and nothing was read."""

    def __init__(self, sentence: str, stale: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.stale = stale


class Cut(Exception):
    """The answer broke off."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Connection:
    """One request at a time. After an exception: `abort`."""

    def __init__(self, target: Target, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.target = target
        self.reused = False
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
        self._heard = False  # anything came since the request
        self._stuck = False  # the upstream took nothing of the request for too long
        self._sending: asyncio.Task[None] | None = None
        self._idle: asyncio.Task[None] | None = None

    async def ask(
        self, method: str, path: bytes, headers: Headers, body: AsyncIterator[bytes] | None
    ) -> tuple[int, Headers]:
        """Send a request; status and headers of the answer, which may come before the body is through.

        Raises Failed.
        """
        try:
            self._send(h11.Request(method=method, target=path, headers=headers))
        except h11.LocalProtocolError:
            raise Failed("the request has a head that cannot be passed on") from None
        if body is None:
            self._send(h11.EndOfMessage())
        else:
            self._sending = asyncio.create_task(self._send_body(body))
        self._heard = False
        try:
            while True:
                event = await self._event()
                if isinstance(event, h11.Response):
                    return event.status_code, list(event.headers.raw_items())
        except h11.RemoteProtocolError:
            if self._stuck:
                raise Failed(f"it took nothing of the request for {TAKE_SECONDS:.0f} seconds") from None
            if self._heard:
                raise Failed("what it sent is no HTTP") from None
            raise Failed("it closed the connection without an answer", self.reused) from None
        except OSError:
            raise Failed(
                "the connection broke before an answer came", self.reused and not self._heard
            ) from None

    async def chunks(self) -> AsyncIterator[bytes]:
        """The answer's body, as it comes. Raises Cut."""
        while True:
            try:
                event = await self._event()
            except (h11.RemoteProtocolError, OSError):
                raise Cut("The upstream broke off its answer") from None
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            data = await self._reader.read(READ_BYTES)
            self._heard = self._heard or bool(data)
            self._http.receive_data(data)
        return event

    def _send(self, event: h11.Request | h11.Data | h11.EndOfMessage) -> None:
        if data := self._http.send(event):
            self._writer.write(data)

    async def _send_body(self, body: AsyncIterator[bytes]) -> None:
        """An upstream that will not take it may still answer, so a fault here is told by the answer's side."""
        try:
            async for chunk in body:
                if self._stuck:
                    continue  # the client is read on, so that its going is seen
                self._send(h11.Data(data=chunk))
                await self._taken()
            if not self._stuck:
                self._send(h11.EndOfMessage())
        except (OSError, h11.LocalProtocolError, ClientGone):
            pass

    async def _taken(self) -> None:
        try:
            async with asyncio.timeout(TAKE_SECONDS):
                await self._writer.drain()
        except TimeoutError:
            self._stuck = True
            if not self._heard:  # one that answers meanwhile need not read the rest
                self._writer.transport.abort()

    # ── between two requests ─────────────────────────────────

    def rest(self) -> bool:
        """Get ready for another request; False: it cannot take one. Needs a running loop."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self.abort()
            return False
        self._http.start_next_cycle()
        self._sending = None
        self._idle = asyncio.create_task(self._watch())
        return True

    async def wake(self) -> bool:
        """Whether it can be used; it is not watched any more then."""
        idle, self._idle = self._idle, None
        if idle is None or idle.done():
            self.abort()
            return False
        idle.cancel()
        await asyncio.wait([idle])
        self.reused = True
        return not self._writer.is_closing()

    async def _watch(self) -> None:
        """An upstream that speaks unasked or closes is done with, and so is one that was idle for long."""
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                await self._reader.read(1)
        except OSError:  # TimeoutError is one
            pass
        self.abort()

    def abort(self) -> None:
        """The upstream sees at once that nobody is there any more."""
        if self._sending is not None:
            self._sending.cancel()
        if self._idle is not None:
            self._idle.cancel()
        self._writer.transport.abort()

    @property
    def usable(self) -> bool:
        return self._idle is not None and not self._idle.done()


class ClientGone(Exception):
    """Raised by a request's body: the client left in the middle of it."""


async def connect(target: Target) -> Connection:
    """A new connection. Raises Failed."""
    secure = target.scheme == "https"
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(
                target.host,
                target.port,
                ssl=_tls() if secure else None,
                server_hostname=target.host if secure else None,
                happy_eyeballs_delay=EAGER_SECONDS,
            )
    except TimeoutError:
        raise Failed(f"no connection within {CONNECT_SECONDS:.0f} seconds") from None
    except gaierror:
        raise Failed(f"there is no host {target.host}") from None
    except ssl.SSLCertVerificationError as error:
        raise Failed(f"its certificate is not trusted ({error.verify_message})") from None
    except ssl.SSLError:
        raise Failed("no secure connection could be agreed on") from None
    except ConnectionRefusedError:
        raise Failed("the connection was refused") from None
    except OSError:
        raise Failed("no connection could be made") from None
    return Connection(target, reader, writer)


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class Pool:
    """Connections that wait for another request of the same target."""

    def __init__(self) -> None:
        self._idle: dict[str, list[Connection]] = {}

    async def take(self, target: Target) -> Connection:
        """A kept connection or a new one. Raises Failed."""
        idle = self._idle.get(target.name, [])
        while idle:
            connection = idle.pop()
            if await connection.wake():
                return connection
        return await connect(target)

    def keep(self, connection: Connection) -> None:
        """It has had its whole answer."""
        idle = self._idle.setdefault(connection.target.name, [])
        idle[:] = [each for each in idle if each.usable]
        if len(idle) >= MOST_IDLE:
            connection.abort()
        elif connection.rest():
            idle.append(connection)

    def close(self) -> None:
        for idle in self._idle.values():
            for connection in idle:
                connection.abort()
        self._idle.clear()
