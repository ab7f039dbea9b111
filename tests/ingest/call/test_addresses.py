"""Which hosts may be called: the list decides, on the addresses a connection goes to, which are looked up once."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

import pytest

from webapp.errors import Refused
from webapp.ingest.call.addresses import Allowed, Checked, is_public
from webapp.ingest.call.faults import CallFailed
from webapp.ingest.call.url import parse
from webapp.settings import Settings

DEFAULT = str(Settings.model_fields["call_hosts"].default)
EVERYWHERE = "0.0.0.0/0, ::/0"


class Names:
    """A resolver from a table; each look-up of a name takes its next answer. asked: names in order."""

    def __init__(self, **table: Sequence[Sequence[str]]) -> None:
        self.table = {name.replace("_", "."): list(answers) for name, answers in table.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.table.get(host)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def check(url: str, hosts: str = DEFAULT, names: Names | None = None) -> Checked:
    return asyncio.run(Allowed(hosts, names or Names(localhost=[["127.0.0.1", "::1"]])).check(parse(url)))


@pytest.mark.parametrize(
    ("url", "ips"),
    [
        ("http://127.0.0.1:8000/", ("127.0.0.1",)),
        ("http://127.9.9.9/", ("127.9.9.9",)),
        ("http://[::1]:9/", ("::1",)),
        ("https://localhost/agent", ("127.0.0.1", "::1")),
    ],
)
def test_without_a_setting_this_machine_may_be_called(url: str, ips: tuple[str, ...]) -> None:
    """Loopback in its plain spellings, at every port."""
    assert check(url).ips == ips


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "169.254.170.2", "100.100.100.200",
        "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.250", "240.0.0.1",
        "255.255.255.255", "198.18.0.1", "192.0.2.1", "8.8.8.8", "[::]", "[::2]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]", "[fe80::5efe:7f00:1]",
        "[2001:db8::5efe:127.0.0.1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]",
        "[2001:4860:4860::8888]",
        "agent.example.com", "localhost.example.com", "app.localhost", "ip6-localhost", "metadata.google.internal",
    ],
)  # fmt: skip
def test_without_a_setting_nothing_else_may_be_called(host: str) -> None:
    """Private, link-local, metadata, multicast, unspecified and public addresses, IPv4 inside IPv6, other names."""
    names = Names(app_localhost=[["127.0.0.1"]])
    with pytest.raises(Refused):
        check(f"http://{host}/", names=names)
    assert names.asked == []  # a name that is not listed is not even looked up


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.1.1", "100.100.100.200", "168.63.129.16", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::8.8.8.8]",
        "[64:ff9b::a00:1]", "[64:ff9b:1::a00:1]", "[2002:a00:1::]", "[2001:0:a00:1::]", "[fe80::1]", "[ff02::1]",
        "[fec0::1]", "[fd00:ec2::254]", "[2001:db8::5efe:10.0.0.1]", "[2001:db8::200:5efe:a00:1]",
    ],
)  # fmt: skip
def test_some_addresses_no_list_opens(host: str) -> None:
    """They are refused though all of both families is listed, and when a listed name leads there."""
    with pytest.raises(Refused, match="never called"):
        check(f"http://{host}/", EVERYWHERE)
    ip = host.strip("[]")
    with pytest.raises(Refused, match="never called"):
        check("http://a.example/", f"a.example, {EVERYWHERE}", Names(a_example=[[ip]]))
    with pytest.raises(Refused, match="never called"):
        check("http://a.example/", f"a.example, {EVERYWHERE}", Names(a_example=[["93.184.216.34", ip]]))


@pytest.mark.parametrize(
    ("hosts", "url", "taken"),
    [
        ("10.0.0.0/8", "http://10.1.2.3/", True),
        ("10.0.0.0/8", "http://11.1.2.3/", False),
        ("10.0.0.5", "http://10.0.0.5:99/", True),
        ("10.0.0.5:8000", "http://10.0.0.5:8000/", True),
        ("10.0.0.5:8000", "http://10.0.0.5:8001/", False),
        ("10.0.0.5:443", "https://10.0.0.5/", True),
        ("10.0.0.5:443", "http://10.0.0.5/", False),
        ("[fd00::/8]:80", "http://[fd00::1]/", True),
        ("fd00::/8", "http://[fd00::1]:81/", True),
        ("[fd00::/8]:80", "http://[fd00::1]:81/", False),
        ("8.8.8.8", "http://8.8.8.8/", True),
        ("", "http://127.0.0.1/", False),
        ("agent.example", "http://127.0.0.1/", False),
        ("agent.example:8000", "http://agent.example:8000/", True),
        ("agent.example:8000", "http://agent.example/", False),
        ("AGENT.example", "http://agent.EXAMPLE/", True),
        ("agent.example", "http://x.agent.example/", False),
        ("agent.example", "http://agent.example.evil.example/", False),
    ],
)
def test_an_entry_opens_what_it_names(hosts: str, url: str, taken: bool) -> None:
    """A name is that name alone, a network its addresses; a port narrows either."""
    names = Names(agent_example=[["93.184.216.34"]], x_agent_example=[["93.184.216.34"]])
    if taken:
        assert check(url, hosts, names).ips
    else:
        with pytest.raises(Refused, match="LANESCOPE_CALL_HOSTS"):
            check(url, hosts, names)


@pytest.mark.parametrize(
    "ip", ["127.0.0.1", "::1", "10.0.0.1", "192.168.0.1", "100.64.0.9", "fd12::1", "198.18.0.1"]
)
def test_a_listed_name_leads_to_this_machine_or_a_private_network_only_where_that_is_listed(ip: str) -> None:
    """Listing a name opens the public addresses behind it; who changes its record gets nowhere else with it."""
    with pytest.raises(Refused, match="listed in LANESCOPE_CALL_HOSTS as well"):
        check("http://a.example/", "a.example", Names(a_example=[[ip]]))
    entry = f"[{ip}]" if ":" in ip else ip
    assert check("http://a.example/", f"a.example, {entry}", Names(a_example=[[ip]])).ips == (ip,)
    with pytest.raises(Refused):
        check("http://a.example/", f"a.example, {entry}:81", Names(a_example=[[ip]]))


def test_one_bad_address_among_good_ones_refuses_the_name() -> None:
    """All addresses of a name are judged, wherever they stand in the answer."""
    for answer in (["93.184.216.34", "10.0.0.1"], ["10.0.0.1", "93.184.216.34"]):
        with pytest.raises(Refused, match=r"10\.0\.0\.1"):
            check("http://a.example/", "a.example", Names(a_example=[answer]))


def test_a_name_is_looked_up_once_and_its_second_answer_counts_for_nothing() -> None:
    """A resolver that answers well once and badly after: what was checked is what will be connected to."""
    names = Names(a_example=[["93.184.216.34"], ["169.254.169.254"], ["127.0.0.1"]])
    assert check("http://a.example/", "a.example", names).ips == ("93.184.216.34",)
    assert names.asked == ["a.example"]
    with pytest.raises(Refused):
        check("http://a.example/", "a.example", names)


def test_a_name_that_is_nowhere_is_a_failed_call() -> None:
    """No such host, no address at all, and an answer that is none."""
    for names in (Names(), Names(a_example=[[]]), Names(a_example=[["fe80::1%eth0x", "nonsense"]])):
        with pytest.raises(CallFailed, match=r"no host named a\.example"):
            check("http://a.example/", "a.example", names)


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("8.8.8.8", True),
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("192.0.0.9", False),
        ("192.88.99.1", False),
        ("198.19.255.255", False),
        ("203.0.113.1", False),
        ("2001:db8::1", False),
        ("3fff::1", False),
        ("2001:20::1", False),
        ("fd00::1", False),
        ("4000::1", False),
        ("100::1", False),
        ("5f00::1", False),
    ],
)
def test_public_means_reached_over_the_internet(ip: str, public: bool) -> None:
    """Registries' special-purpose blocks are not, whatever the Python version knows of them."""
    assert is_public(ipaddress.ip_address(ip)) is public
