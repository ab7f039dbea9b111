"""The address of an agent as a person types it, taken apart strictly.

Rules of this file: pure. One spelling of every host: what two programs could read in two ways (odd numbers, escapes,
a dot at the end, letters beyond ASCII, a user name) is refused in words and never repaired. No sentence repeats what
was typed: it may hold a credential.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from webapp.errors import BadInput
from webapp.settings import is_host_name

IP = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL = 2_048  # characters
PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(https?)://([^/?#\\]*)([^#]*)(?:#.*)?", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:\[(?P<six>[^\[\]]*)\]|(?P<plain>[^\[\]:]*))(?::(?P<port>.*))?", re.DOTALL)
_PORT = re.compile(r"[0-9]{1,5}")
_USER = re.compile(r"^(\s*[a-z][a-z0-9+.-]*:[/\\]{2,})[^/?#\\]*@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """scheme: http or https; host: lower case, without brackets; literal: the host as an address, None = it is a name;
    path: with its query, begins with `/`; explicit: the port was typed."""

    scheme: str
    host: str
    port: int
    path: str
    literal: IP | None
    explicit: bool = False

    @property
    def authority(self) -> str:
        """The host as the `Host` header has it: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def place(self) -> str:
        """For sentences: `127.0.0.1 port 8000`."""
        return f"{self.host} port {self.port}"

    @property
    def shown(self) -> str:
        """The address without its query, which may hold a credential."""
        return f"{self.scheme}://{self.authority}{self.path.partition('?')[0]}"


def without_user(text: str) -> str:
    """What was typed, without a user name and password before the host: it may be shown again."""
    return _USER.sub(r"\1", text)


def parse(text: str) -> Address:
    """Take an address apart. Raises BadInput."""
    text = text.strip(" \t\r\n")
    if not text:
        raise BadInput("Give the address of the agent: it begins with http:// or https://.")
    if len(text) > MAX_URL:
        raise BadInput(f"The address is longer than {MAX_URL:,} characters.")
    found = _URL.fullmatch(text)
    if found is None:
        raise BadInput("The address of an agent begins with http:// or https://; nothing else is called.")
    scheme, authority, path = found[1].lower(), found[2], found[3]
    host, port = _authority(authority)
    if not path.isascii() or not path.isprintable() or " " in path or "\\" in path:
        raise BadInput(
            "The path of the address holds a character that has to be written with a percent sign (%20)."
        )
    literal = _literal(host)
    return Address(
        scheme,
        str(literal) if literal is not None else host,
        port if port is not None else PORTS[scheme],
        path if path.startswith("/") else f"/{path}",
        literal,
        port is not None,
    )


def _authority(text: str) -> tuple[str, int | None]:
    """Host, `[…]` for IPv6, and port."""
    if "@" in text:
        raise BadInput(
            "A user name or password in an address is not sent: take it out. "
            "There is a field for an Authorization value."
        )
    if not text.isascii():
        raise BadInput(
            "The host name has letters beyond ASCII, which may only look like others: write it in its xn-- form."
        )
    found = _HOST.fullmatch(text.lower())
    if found is None or not (found["six"] or found["plain"]):
        raise BadInput("The address names no host.")
    port = found["port"]
    if port is not None and not (_PORT.fullmatch(port) and 0 < int(port) < 65536):
        raise BadInput("The port of the address is no number from 1 to 65535.")
    host = f"[{found['six']}]" if found["six"] is not None else found["plain"]
    return host, None if port is None else int(port)


def _literal(host: str) -> IP | None:
    """The address that a host is; None: it is a name."""
    if host.startswith("["):
        try:
            six = ipaddress.IPv6Address(host[1:-1])
        except ValueError:
            six = None
        if six is None or six.scope_id is not None:
            raise BadInput("What stands in square brackets is no plain IPv6 address.")
        return six
    if host.endswith("."):
        raise BadInput("The host name ends with a dot: write it without.")
    try:
        return ipaddress.IPv4Address(host)
    except ValueError:
        pass
    if not is_host_name(host):
        raise BadInput(
            "The host is neither a host name nor a plain address: an address is four numbers from 0 to 255 with "
            "dots (127.0.0.1), or IPv6 in square brackets."
        )
    return None
