"""Which headers go through: all but those between two neighbours.

Rules of this file: pure. Order, repetition and values stay as they were; nothing is added but what the next hop needs.

Source: RFC 9110, 7.6.1.
"""

from __future__ import annotations

from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

# trailers are not passed on, so nor is their announcement
HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
)
_NEVER = frozenset({b"content-length", b"host"})  # without them a message has no end, or no place


def value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The header's values, joined by commas; None: it is not there. name: in lower case."""
    found = [content.decode("latin-1").strip() for key, content in headers if key.lower() == name]
    return ", ".join(found) if found else None


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Without those that end here, the ones that Connection names among them."""
    headers = list(headers)
    named = (value(headers, b"connection") or "").lower().encode("latin-1").split(b",")
    dropped = HOP | ({name.strip() for name in named} - _NEVER)
    return [(name, content) for name, content in headers if name.lower() not in dropped]


def to_upstream(headers: Iterable[tuple[bytes, bytes]], authority: str) -> Headers:
    """Of a request: with the upstream's Host, and framed in chunks where the client did so."""
    headers = list(headers)
    passed = [(name, content) for name, content in end_to_end(headers) if name.lower() != b"host"]
    framed = in_chunks(headers)
    if framed:
        passed = [(name, content) for name, content in passed if name.lower() != b"content-length"]
        passed.append((b"Transfer-Encoding", b"chunked"))
    return [(b"Host", authority.encode("ascii")), *passed]


def to_client(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Of an answer. Our own server writes the Date, and there is one only."""
    return [(name, content) for name, content in end_to_end(headers) if name.lower() != b"date"]


def in_chunks(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return "chunked" in (value(headers, b"transfer-encoding") or "").lower()


def has_body(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request says that it has a body."""
    headers = list(headers)
    return in_chunks(headers) or (value(headers, b"content-length") or "0") != "0"
