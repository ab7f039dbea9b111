"""HTTP with the provider: a few small answers, each a JSON object.

Rules of this file: bounds on time and size, no redirect, and exceptions without a word of what was sent or answered.
"""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import httpx

SECONDS = 10.0  # for each answer, whole
MAX_BYTES = 512 * 1024

for _name in ("httpx", "httpcore"):  # they would write codes and tokens into the log
    logging.getLogger(_name).setLevel(logging.WARNING)


class Unreachable(Exception):
    """Nobody answered, or only that it cannot be done now."""


class Odd(Exception):
    """What came back is not what a provider says. Its text is a reason for the log: fixed words."""


def client(*, here: bool) -> httpx.AsyncClient:
    """here: the provider is on this machine, where no proxy of the environment leads."""
    return httpx.AsyncClient(
        verify=_trusted(),
        trust_env=not here,
        follow_redirects=False,
        timeout=httpx.Timeout(SECONDS),
        headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "lanescope"},
    )


async def ask(
    http: httpx.AsyncClient,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
) -> tuple[int, dict[str, Any]]:
    """Status and members of an answer. Raises Unreachable and Odd."""
    found = b""
    try:
        async with http.stream(method, url, headers=dict(headers or {}), content=body) as answer:
            if answer.status_code >= 500 or answer.status_code == 429:
                raise Unreachable
            async for piece in answer.aiter_bytes():
                found += piece
                if len(found) > MAX_BYTES:
                    raise Odd("an answer is too large")
    except httpx.DecodingError:
        raise Odd("an answer cannot be unpacked") from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        raise Unreachable from None
    try:
        told = json.loads(found)
    except (ValueError, RecursionError):
        raise Odd(f"an answer is no JSON (status {answer.status_code})") from None
    if not isinstance(told, dict):
        raise Odd("an answer is no JSON object")
    return answer.status_code, told


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """The authorities this machine trusts, and the usual ones, for machines that have none."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context
