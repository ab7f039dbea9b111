"""Addresses as people and attackers type them: one spelling of a host is taken, every other is refused in words."""

from __future__ import annotations

import pytest

from webapp.errors import BadInput
from webapp.ingest.call.url import parse, without_user

TAKEN = [
    ("http://127.0.0.1:8000/agent", ("http", "127.0.0.1", 8000, "/agent"), "127.0.0.1:8000"),
    ("http://127.0.0.1", ("http", "127.0.0.1", 80, "/"), "127.0.0.1"),
    (
        "https://Agent.Example.COM/a/b?x=1#part",
        ("https", "agent.example.com", 443, "/a/b?x=1"),
        "agent.example.com",
    ),
    ("https://agent.example.com:443/", ("https", "agent.example.com", 443, "/"), "agent.example.com"),
    ("http://agent.example.com?x", ("http", "agent.example.com", 80, "/?x"), "agent.example.com"),
    ("HTTP://[::1]:9000/run", ("http", "::1", 9000, "/run"), "[::1]:9000"),
    ("http://[0:0:0:0:0:0:0:1]/", ("http", "::1", 80, "/"), "[::1]"),
    ("  http://localhost:8000/  ", ("http", "localhost", 8000, "/"), "localhost:8000"),
    ("http://xn--gent-bdc.example/", ("http", "xn--gent-bdc.example", 80, "/"), "xn--gent-bdc.example"),
    ("http://my_agent:80/", ("http", "my_agent", 80, "/"), "my_agent"),
]

REFUSED = [
    # other schemes, and what only looks like one of ours
    "", "   ", "127.0.0.1:8000/agent", "//127.0.0.1/", "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/",
    "javascript:alert(1)", "data:text/plain,x", "unix:/run/x.sock", "http+unix://%2Frun%2Fx/", "http:/127.0.0.1/",
    "http:127.0.0.1", "http:\\\\127.0.0.1\\", "ht\ntp://127.0.0.1/", "http://", "https:///agent", "http://?x", "http://#x",
    # numbers that a resolver reads as an address
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://017700000001/",
    "http://127.1/", "http://127.0.1/", "http://127.00.0.1/", "http://127.0.0.01/", "http://0x7f.0.0.0x1/",
    "http://256.1.1.1/", "http://1.2.3.4.5/", "http://127.0.0.1.0x/", "http://127.0.0.0x1/", "http://agent.1/",
    "http://1/", "http://0/", "http://a.0x1f/",
    # dots, escapes, letters that look like others
    "http://127.0.0.1./", "http://localhost./", "http://agent.example.com./", "http://.example.com/", "http://a..b/",
    "http://127%2e0%2e0%2e1/", "http://%31%32%37.0.0.1/", "http://localhost%00.example.com/", "http://loc%61lhost/",
    "http://ⓛocalhost/", "http://lоcalhost/", "http://127。0。0。1/", "http://１２７.0.0.1/", "http://bücher.example/",
    "http://localhost\u200b/", "http://ex\u00adample.com/",
    # a user name, a backslash, white space, line ends: what two parsers read in two ways
    "http://user@127.0.0.1/", "http://user:secretpass@127.0.0.1/", "http://127.0.0.1@evil.example/",
    "http://127.0.0.1:80@evil.example/", "http://127.0.0.1\\@evil.example/", "http://evil.example\\.localhost/",
    "http://127.0.0.1 .evil.example/", "http://127.0.0.1\t/", "http://127.0.0.1\r\nHost: x/", "http://127.0.0.1/a b",
    "http://127.0.0.1/a\r\nX-Header: 1", "http://127.0.0.1/\x00", "http://127.0.0.1/é", "http://127.0.0.1/a\\b",
    "http://-agent.example/", "http://agent-.example/", "http://a&b/", "http://a,b/", "http://*/", "http://$host/",
    # ports
    "http://127.0.0.1:/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:-1/",
    "http://127.0.0.1:80:80/", "http://127.0.0.1:8O/", "http://127.0.0.1:+80/", "http://127.0.0.1:٨٠/", "http://:80/",
    # IPv6
    "http://::1/", "http://[::1/", "http://::1]/", "http://[]/", "http://[::1]x/", "http://[::1%25eth0]/",
    "http://[fe80::1%eth0]/", "http://[::g]/", "http://[127.0.0.1]/", "http://[::1].example/", "http://[[::1]]/",
    "http://[1:2:3]/", "http://" + "a" * 64 + ".example/", "http://" + "a." * 127 + "a/",
    "http://127.0.0.1/" + "a" * 2048,
]  # fmt: skip


@pytest.mark.parametrize(("text", "parts", "authority"), TAKEN)
def test_a_plain_address_is_taken_apart(text: str, parts: tuple[str, str, int, str], authority: str) -> None:
    """Scheme, host, port and path, and the host as the `Host` header has it."""
    address = parse(text)
    assert (address.scheme, address.host, address.port, address.path) == parts
    assert address.authority == authority
    assert (address.literal is not None) is (address.host in ("127.0.0.1", "::1"))


@pytest.mark.parametrize("text", REFUSED)
def test_every_other_spelling_is_refused(text: str) -> None:
    """In one sentence that repeats nothing of what was typed but names what to write."""
    with pytest.raises(BadInput) as caught:
        parse(text)
    sentence = caught.value.sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "secretpass" not in sentence
    assert "evil" not in sentence


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("http://me:secret@h/a@b", "http://h/a@b"),
        ("https://me@h:80/?a=@", "https://h:80/?a=@"),
        ("http://a:b@c:d@h/", "http://h/"),
        (" HTTP://me:se%40cret@h", " HTTP://h"),
        ("http:\\\\me:secret@h\\", "http:\\\\h\\"),
        ("http://h/a@b", "http://h/a@b"),
        ("nothing at all", "nothing at all"),
    ],
)
def test_a_password_in_an_address_is_not_shown_again(typed: str, shown: str) -> None:
    """The form comes back with the address, without the user name and the password that stood in it."""
    assert without_user(typed) == shown


def test_what_is_shown_of_an_address_has_no_query() -> None:
    """A query may hold a credential."""
    assert parse("https://h.example:8443/a?token=x").shown == "https://h.example:8443/a"
