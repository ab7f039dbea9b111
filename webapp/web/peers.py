"""Who is at the other end of a connection, whether it is a proxy that is believed, and how people address this server.

Rules of this file: addresses only. The server itself believes no `X-Forwarded-…` header: whoever connects could write
one.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from fastapi import Request

from webapp.settings import Network, Settings, listed_networks

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_networks = lru_cache(maxsize=8)(listed_networks)


def is_proxy(request: Request, settings: Settings) -> bool:
    """Whether the connection comes from one of LANESCOPE_TRUSTED_PROXIES."""
    peer = _address(request.client.host if request.client else "")
    return peer is not None and _among(peer, _networks(settings.trusted_proxies))


def address_of(request: Request, settings: Settings) -> str:
    """Where a request comes from, to count tries by: the peer, or whom a proxy in front of us names last.

    A proxy is believed only where the settings say that one is there.
    """
    peer = request.client.host if request.client else ""
    if (settings.trusted_header or settings.public_url) and is_proxy(request, settings):
        named = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
        if _address(named) is not None:
            return named
    return peer


def _address(text: str) -> Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _among(peer: Address, networks: tuple[Network, ...]) -> bool:
    return any(peer in network for network in networks)


def link_base(request: Request, settings: Settings) -> str:
    """What links to this server begin with: PUBLIC_URL, or the address this request came to (it is checked)."""
    return settings.public_url or str(request.base_url).rstrip("/")
