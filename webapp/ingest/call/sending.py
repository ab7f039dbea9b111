"""One request to an agent, to an address that was checked: sent, and its answer opened.

Rules of this file: HTTP alone; nothing is recorded. The connection goes to the address that was judged, while the name
stays in `Host` and in TLS; no proxy of the environment, no redirect, no cookie, no second look-up. What fails is told
in one sentence that holds nothing of what was sent.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx

from webapp.core.evidence import ResponseHead
from webapp.ingest.call.addresses import Checked
from webapp.ingest.call.faults import CallFailed
from webapp.ingest.call.url import Address, parse

CONNECT_SECONDS = 10
WRITE_SECONDS = 30
ANSWER_SECONDS = (
    60  # until the head of the answer is there, and then its first byte where that is no event stream
)
MAX_HEADERS = 100
SSE = "text/event-stream"
_USER_AGENT = "lanescope"

for _name in (
    "httpx",
    "httpcore",
):  # they would write the whole address of a call, and what is sent, into the log
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(slots=True)
class Answer:
    """What an agent answers. head: for the trace; packed: the content coding that is undone, "" = none."""

    head: ResponseHead
    packed: str
    _response: httpx.Response
    _client: httpx.AsyncClient
    _pieces: AsyncIterator[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._pieces = self._response.aiter_bytes() if self.packed else self._response.aiter_raw()

    @property
    def streams(self) -> bool:
        """It is what was asked for."""
        return self.head.status == 200 and self.head.media_type == SSE

    @property
    def told(self) -> str:
        """`401 Unauthorized`."""
        return status_words(self.head.status or 0)

    async def next(self) -> bytes | None:
        """The next bytes as they come, None at the end. Raises CallFailed when the connection breaks."""
        try:
            while True:
                piece = await anext(self._pieces, None)
                if piece is None or piece:
                    return piece
        except httpx.DecodingError:
            raise CallFailed(
                "The agent says that its answer is compressed, but it cannot be unpacked."
            ) from None
        except (httpx.HTTPError, httpx.StreamError):
            raise CallFailed("The connection to the agent broke before the answer was complete.") from None

    async def close(self) -> None:
        await self._response.aclose()
        await self._client.aclose()


async def send(checked: Checked, body: bytes, authorization: str = "") -> Answer:
    """Send a run input and wait for the head of the answer. Raises CallFailed; then nothing is left open."""
    headers = {
        "Host": checked.address.authority,
        "Accept": SSE,
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": _USER_AGENT,
    }
    if authorization:
        headers["Authorization"] = authorization
    client = httpx.AsyncClient(
        trust_env=False,
        verify=_trusted() if checked.address.scheme == "https" else False,
        follow_redirects=False,
        timeout=httpx.Timeout(CONNECT_SECONDS, read=None, write=WRITE_SECONDS),
        limits=httpx.Limits(max_connections=1, max_keepalive_connections=0),
    )
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            response = await _first(client, checked, body, headers)
    except BaseException as error:
        await client.aclose()
        if isinstance(error, TimeoutError):
            raise CallFailed(
                f"{checked.address.place} took the request but answered nothing within {ANSWER_SECONDS} seconds."
            ) from None
        raise
    return Answer(_head(response), _packed(response), response, client)


async def _first(
    client: httpx.AsyncClient, checked: Checked, body: bytes, headers: dict[str, str]
) -> httpx.Response:
    """Try the checked addresses in order; the next one only where no connection came about."""
    address = checked.address
    for number, ip in enumerate(checked.ips):
        url = httpx.URL(scheme=address.scheme, host=ip, port=address.port, raw_path=address.path.encode())
        request = client.build_request(
            "POST", url, content=body, headers=headers, extensions={"sni_hostname": address.host}
        )
        try:
            response = await client.send(request, stream=True)
        except httpx.TransportError as error:
            again = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)) and not _tls(error)
            if again and number + 1 < len(checked.ips):
                continue
            raise CallFailed(_sentence(error, address)) from None
        client.cookies.clear()
        if 300 <= response.status_code < 400:
            await response.aclose()
            raise CallFailed(_pointed(response))
        return response
    raise CallFailed(f"There is no address to call for {address.host}.")


def _trusted() -> ssl.SSLContext:
    """The authorities this machine trusts, and the usual ones, for machines that have none."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


# ── the answer ───────────────────────────────────────────────


def _head(response: httpx.Response) -> ResponseHead:
    """Only the content type's value is kept."""
    names = dict.fromkeys(name.lower()[:100] for name in response.headers if name.lower() != "content-type")
    kind = response.headers.get("content-type")
    return ResponseHead(
        response.status_code, None if kind is None else kind[:200], tuple(names)[:MAX_HEADERS]
    )


def _packed(response: httpx.Response) -> str:
    coding = response.headers.get("content-encoding", "").strip().lower()
    return coding if coding in ("gzip", "deflate") else ""


def _pointed(response: httpx.Response) -> str:
    """A redirect. The place it names is shown without its query, which may hold a credential."""
    told = f"The agent answered {status_words(response.status_code)}"
    place = response.headers.get("location", "")
    if not place:
        return f"{told} and named no address; redirects are not followed."
    try:
        shown = parse(place).shown
    except Exception:
        path = place.partition("?")[0].partition("#")[0]
        shown = (
            path[:200] if path.startswith("/") and not path.startswith("//") and path.isprintable() else ""
        )
    where = f"and points to {shown}" if shown else "and points to an address that cannot be called"
    return f"{told} {where}; redirects are not followed. If the agent is there, call it there."


def status_words(status: int) -> str:
    """`404 Not Found`; the standard's words, not the server's."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


# ── what went wrong ──────────────────────────────────────────


def _sentence(error: httpx.TransportError, address: Address) -> str:
    place = address.place
    if isinstance(error, httpx.ConnectError) and (tls := _tls(error)) is not None:
        return _tls_sentence(tls, address)
    if isinstance(error, httpx.ConnectTimeout):
        return f"{place} did not take the connection within {CONNECT_SECONDS} seconds."
    if isinstance(error, httpx.ConnectError):
        numbers = {each.errno for each in _chain(error) if isinstance(each, OSError)}
        if errno.ECONNREFUSED in numbers:
            return f"Nothing listens at {place}: the connection was refused. Is the agent running?"
        if numbers & {errno.ENETUNREACH, errno.EHOSTUNREACH}:
            return f"{place} cannot be reached from here: there is no way to that network."
        return f"No connection to {place} came about."
    if isinstance(error, httpx.WriteTimeout):
        return f"{place} did not take the request within {WRITE_SECONDS} seconds."
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error).lower():
        perhaps = "; perhaps the address begins with https://" if address.scheme == "http" else ""
        return f"What {place} answered is no HTTP{perhaps}."
    return f"{place} closed the connection without an answer."


def _tls_sentence(error: ssl.SSLError, address: Address) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = str(error.verify_message or "it could not be verified").rstrip(".")
        return f"The certificate of {address.host} is not trusted: {reason}. Nothing was sent."
    if error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"):
        return f"{address.place} does not speak TLS; perhaps the address begins with http://."
    words = str(error.reason or "no reason given").replace("_", " ").lower()
    return f"No secure connection to {address.place} came about: {words}."


def _tls(error: BaseException) -> ssl.SSLError | None:
    return next((each for each in _chain(error) if isinstance(each, ssl.SSLError)), None)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that led to it, members of groups too."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
        waiting += [inside for inside in (each.__cause__, each.__context__) if inside is not None]
