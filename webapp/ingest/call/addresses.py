"""Which hosts may be called, decided on the addresses that a connection will be made to.

Rules of this file: nothing is sent here. A name is looked up once, every address it leads to is judged, and the caller
connects to exactly those. What is not listed is refused; some addresses are, listed or not. The list is the setting
`call_hosts`; docs/live.md says what an entry opens.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from webapp.errors import Refused
from webapp.ingest.call.faults import CallFailed
from webapp.ingest.call.url import IP, Address
from webapp.settings import ListedHost, listed_hosts

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

RESOLVE_SECONDS = 10
MAX_ADDRESSES = 8  # of one name that are tried

# where clouds hand credentials to whoever asks; some lie in networks that an operator may well list
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        (
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
        ),
    )
)
# an IPv4 address inside an IPv6 one: who forwards the packet decides where it goes
_CARRIERS = tuple(
    map(
        ipaddress.IPv6Network,
        ("::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"),
    )
)
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)  # the upper half of its interface id
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
# beyond what `is_global` of every Python we run on knows
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "100.64.0.0/10",
            "2001::/23",
            "3fff::/20",
            "2001:db8::/32",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Checked:
    """An address that may be called. ips: what to connect to, in order; nothing else, and no second look-up."""

    address: Address
    ips: tuple[str, ...]


class Allowed:
    """The hosts that may be called. Raises ValueError when the list cannot be read."""

    def __init__(self, call_hosts: str, resolve: Resolve | None = None) -> None:
        self._listed = listed_hosts(call_hosts)
        self._resolve = resolve or system_resolver
        self.told = ", ".join(entry.strip() for entry in call_hosts.split(",") if entry.strip())

    async def check(self, address: Address) -> Checked:
        """Look the host up and judge where it leads. Raises Refused, or CallFailed when there is no such host."""
        if address.literal is not None:
            reason = _never(address.literal)
            if reason:
                raise Refused(f"{address.host} is never called: it is {reason}.")
            if not self._opens(address.literal, address.port):
                raise Refused(self._unlisted(address))
            return Checked(address, (str(address.literal),))
        if not any(self._names(entry, address) for entry in self._listed):
            raise Refused(self._unlisted(address))
        found = await self._looked_up(address)
        for ip in found:
            self._judge(address, ip)
        return Checked(address, tuple(str(ip) for ip in found[:MAX_ADDRESSES]))

    async def _looked_up(self, address: Address) -> list[IP]:
        nowhere = CallFailed(f"There is no host named {address.host}: its address was not found.")
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                answers = await self._resolve(address.host, address.port)
        except TimeoutError:
            raise CallFailed(
                f"The address of {address.host} was not found within {RESOLVE_SECONDS} seconds."
            ) from None
        except (OSError, UnicodeError):
            raise nowhere from None
        try:
            found = [ipaddress.ip_address(answer) for answer in dict.fromkeys(answers)]
        except ValueError:
            raise nowhere from None
        if not found:
            raise nowhere
        return found

    def _judge(self, address: Address, ip: IP) -> None:
        """A listed name leads to public addresses; to others only where those are listed themselves."""
        reason = _never(ip)
        if reason:
            raise Refused(f"{address.host} leads to {ip}, which is never called: it is {reason}.")
        if not is_public(ip) and not self._opens(ip, address.port):
            raise Refused(
                f"{address.host} may be called, but leads to {ip}, {_kind(ip)}; that address has to be listed "
                "in LANESCOPE_CALL_HOSTS as well."
            )

    def _opens(self, ip: IP, port: int) -> bool:
        return any(
            entry.network is not None and ip in entry.network and entry.port in (None, port)
            for entry in self._listed
        )

    @staticmethod
    def _names(entry: ListedHost, address: Address) -> bool:
        return entry.name == address.host and entry.port in (None, address.port)

    def _unlisted(self, address: Address) -> str:
        listed = f"listed are {self.told}" if self.told else "none is listed"
        return f"{address.place} is not among the hosts that may be called (LANESCOPE_CALL_HOSTS): {listed}."


def is_public(ip: IP) -> bool:
    """Whether the address is one of the open internet, and reached there and nowhere else."""
    if _never(ip) or not ip.is_global or any(ip in network for network in _NOT_PUBLIC):
        return False
    return ip.version == 4 or ip in _GLOBAL_6


def _never(ip: IP) -> str:
    """Why no list opens this address, in words; "" where one may."""
    if ip.is_unspecified or (ip.version == 4 and ip in ipaddress.IPv4Network("0.0.0.0/8")):
        return "no address of a host"
    if ip in _METADATA:
        return "where a cloud keeps credentials"
    if ip.is_link_local or (isinstance(ip, ipaddress.IPv6Address) and ip.scope_id is not None):
        return "a link-local address"
    if ip.is_multicast:
        return "a multicast address"
    if isinstance(ip, ipaddress.IPv4Address):
        return "a reserved address" if ip.is_reserved else ""
    carries = any(ip in network for network in _CARRIERS) or (ip in _COMPATIBLE and not ip.is_loopback)
    if carries or int(ip) >> 32 & 0xFFFFFFFF in _ISATAP:
        return "an IPv4 address inside an IPv6 one"
    return "a retired kind of address" if ip.is_site_local else ""


def _kind(ip: IP) -> str:
    if ip.is_loopback:
        return "this machine"
    return "a private address" if ip.is_private else "not a public address"


async def system_resolver(host: str, port: int) -> list[str]:
    """Every address the system knows for a name, in its order. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in found]
