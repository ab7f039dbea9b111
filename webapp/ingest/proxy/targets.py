"""The upstreams that traffic may be passed on to, and where in them an address leads.

Rules of this file: pure. Scheme, host and port come from the settings alone; of a request only the path behind the
target's name and the query are used, byte for byte, and never to leave the target's own path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from webapp.errors import BadInput, NotFound

PREFIX = "/proxy/"
_PORTS = {"http": 80, "https": 443}
_SLASHES = re.compile(rb"[/\\]")
CLIMBS = "The path climbs with “..” out of what the target is allowed to serve, so it was not passed on."


@dataclass(frozen=True, slots=True)
class Target:
    """base: the path every request's path is put behind, without a final slash; authority: what Host says."""

    name: str
    scheme: str
    host: str
    port: int
    authority: str
    base: str

    def path(self, rest: bytes, query: bytes = b"") -> bytes:
        """What is asked of the upstream. rest: the raw path behind the target's name. Raises BadInput."""
        if climbs(rest):
            raise BadInput(CLIMBS)
        path = self.base.encode("ascii") + rest or b"/"
        return path + b"?" + query if query else path

    def address(self, rest: bytes) -> str:
        """The URL that is called, without its query: that may hold credentials."""
        path = self.base + rest.decode("ascii", "replace")
        return f"{self.scheme}://{self.authority}{path or '/'}"


def targets_of(listed: Mapping[str, str]) -> dict[str, Target]:
    """The targets of the setting: name -> checked URL."""
    return {name: _target(name, url) for name, url in listed.items()}


def _target(name: str, url: str) -> Target:
    parts = urlsplit(url)
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    port = parts.port or _PORTS[parts.scheme]
    authority = shown if port == _PORTS[parts.scheme] else f"{shown}:{port}"
    return Target(name, parts.scheme, host, port, authority, parts.path.rstrip("/"))


def found(targets: Mapping[str, Target], raw_path: bytes) -> tuple[Target, bytes]:
    """`/proxy/shop/a%20b` -> the target `shop` and `/a%20b`. Raises NotFound, with the names there are."""
    prefix = PREFIX.encode("ascii")
    name, slash, rest = raw_path.removeprefix(prefix).partition(b"/")
    target = targets.get(name.decode("ascii", "replace")) if raw_path.startswith(prefix) else None
    if target is not None:
        return target, slash + rest
    if not targets:
        raise NotFound(
            "No target is configured, so nothing is passed on: start with lanescope proxy URL, or set "
            "LANESCOPE_TARGETS to name=url."
        )
    known = ", ".join(targets)
    raise NotFound(f"There is no target of that name; configured in LANESCOPE_TARGETS: {known}.")


def climbs(path: bytes) -> bool:
    """Whether `..` leads above where the path begins, however it is written."""
    depth = 0
    for part in _SLASHES.split(unquote_to_bytes(unquote_to_bytes(path))):
        if part.partition(b";")[0] == b"..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in (b"", b"."):
            depth += 1
    return False
