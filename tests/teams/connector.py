"""A stand-in for the Bot Framework connector on loopback: real HTTP, the documented contract, and a recording.

Rules of this file: the wire and the recording; what is answered is decided in `contract.py`, when in `clock.py`. Built
from the documented contract only and nothing of Lanescope. One request per connection.

A recorded line is an exchange in Lanescope's own form, ordered by request time; times are the clock's seconds, the
first request being 0, and the address is written as the real service's, so that nothing tells it from a real one.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from tests.teams.clock import Clock
from tests.teams.contract import TOO_FAST, Answer, Call, Limits, Service

ON_WIRE = "x-on-wire"  # header that names a request to the clock; never recorded
HOST = "https://smba.trafficmanager.net"
REGION = "/amer"

Line = dict[str, Any]


@dataclass
class Trouble:
    """What goes wrong or slow, by number of the request in order of arrival, from 0.

    latency: seconds from request to answer, for the requests not named in `slow`
    lost:    requests that are carried out but never answered: the connection closes
    forced:  answers given instead of the contract's, to requests that are not carried out
    retry_after: header sent with every 429, in seconds
    """

    latency: float = 0.1
    slow: dict[int, float] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    forced: dict[int, Answer] = field(default_factory=dict)
    retry_after: int | None = None


class Connector:
    """`async with Connector(clock) as connector:` listens at `connector.url`, on a free port.

    lines: the recording so far.
    """

    def __init__(self, clock: Clock, limits: Limits | None = None, trouble: Trouble | None = None) -> None:
        self.service = Service(limits or Limits())
        self.trouble = trouble or Trouble()
        self.lines: list[Line] = []
        self.url = ""
        self._clock = clock
        self._first = 0.0

    async def __aenter__(self) -> Connector:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{REGION}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._exchange(reader, writer)
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
        method, path, _ = head.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        name = headers[ON_WIRE]
        self._clock.arrived(name)

        call = read(method, path, body, self._clock.now)
        number = len(self.lines)
        self._first = self._first if self.lines else call.at
        line: Line = {
            "at": round(call.at - self._first, 6),
            "method": method,
            "url": HOST + path,
            "request": call.body,
            "response": None,
            "took": None,
        }
        self.lines.append(line)
        answer = self.trouble.forced.get(number) or self.service.admit(call)
        await asyncio.sleep(self.trouble.slow.get(number, self.trouble.latency))
        answer = answer or self.service.decide(call, self._clock.now)

        self._clock.answering(name)
        if number in self.trouble.lost or answer.status is None:
            return
        sent = {"Content-Type": "application/json; charset=utf-8", "MS-CV": f"zzExample{number:05}.0"}
        if answer.status == TOO_FAST.status and self.trouble.retry_after is not None:
            sent["Retry-After"] = str(self.trouble.retry_after)
        line["response"] = {"status": answer.status, "headers": sent, "body": answer.body}
        line["took"] = round(self._clock.now - call.at, 6)
        payload = b"" if answer.body is None else json.dumps(answer.body).encode()
        sent = {**sent, "Content-Length": str(len(payload)), "Connection": "close"}
        lines = [
            f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
            *(f"{key}: {value}" for key, value in sent.items()),
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + payload)
        await writer.drain()


def read(method: str, path: str, body: bytes, at: float) -> Call:
    """A request as the contract sees it: `/amer/v3/conversations/{conversation}/activities[/{activity}]`."""
    text = body.decode()
    try:
        decoded = json.loads(text)
    except ValueError:
        decoded = text
    parts = path.removeprefix(REGION).split("/")
    conversation = unquote(parts[3]) if len(parts) > 3 else ""
    activity = unquote(parts[5]) if len(parts) > 5 else None
    return Call(method, conversation, activity, decoded, len(text.encode("utf-16-le")), at)


def record(lines: list[Line], path: Path) -> Path:
    """A recording as a file that Lanescope opens, for a look at a scenario."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
