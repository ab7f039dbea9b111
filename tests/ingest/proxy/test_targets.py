"""Where a request may go: to the configured origins, and nowhere else."""

from __future__ import annotations

import pytest

from webapp.errors import BadInput, NotFound
from webapp.ingest.proxy.targets import climbs, found, targets_of

TARGETS = targets_of(
    {
        "shop": "http://127.0.0.1:8000",
        "desk": "https://agent.example.com/v1/agent",
        "six": "http://[::1]:9000",
        "plain": "http://host.example:80",
    }
)


@pytest.mark.parametrize(
    ("raw", "query", "address", "asked"),
    [
        (b"/proxy/shop", b"", "http://127.0.0.1:8000/", b"/"),
        (b"/proxy/shop/", b"", "http://127.0.0.1:8000/", b"/"),
        (b"/proxy/shop/a%2Fb/./c", b"k=%41", "http://127.0.0.1:8000/a%2Fb/./c", b"/a%2Fb/./c?k=%41"),
        (b"/proxy/shop//evil.example/x", b"", "http://127.0.0.1:8000//evil.example/x", b"//evil.example/x"),
        (b"/proxy/shop/http://evil.example", b"", "http://127.0.0.1:8000/http://evil.example",
         b"/http://evil.example"),
        (b"/proxy/desk", b"a", "https://agent.example.com/v1/agent", b"/v1/agent?a"),
        (b"/proxy/desk/run", b"", "https://agent.example.com/v1/agent/run", b"/v1/agent/run"),
        (b"/proxy/desk/a/../b", b"", "https://agent.example.com/v1/agent/a/../b", b"/v1/agent/a/../b"),
        (b"/proxy/six/x", b"", "http://[::1]:9000/x", b"/x"),
        (b"/proxy/plain/x", b"", "http://host.example/x", b"/x"),
    ],
)  # fmt: skip
def test_an_address_leads_to_its_target(raw: bytes, query: bytes, address: str, asked: bytes) -> None:
    """The rest of the path goes behind the target's own, as it was written."""
    target, rest = found(TARGETS, raw)
    assert target.address(rest) == address
    assert target.path(rest, query) == asked


@pytest.mark.parametrize(
    "raw",
    [b"/proxy/", b"/proxy/none/x", b"/proxy/SHOP/x", b"/proxy/shop@evil.example/x", b"/proxy/sh%6Fp/x",
     b"/%70roxy/shop/x", b"/proxy//shop", b"/proxy/\xff/x"],
)  # fmt: skip
def test_other_names_are_refused_with_those_there_are(raw: bytes) -> None:
    """Whoever mistypes a name sees what can be typed."""
    with pytest.raises(NotFound) as told:
        found(TARGETS, raw)
    assert "shop, desk, six, plain" in told.value.sentence


def test_without_targets_it_is_said_how_to_configure_one() -> None:
    """The sentence names the setting and the command."""
    with pytest.raises(NotFound) as told:
        found({}, b"/proxy/shop/x")
    assert "LANESCOPE_TARGETS" in told.value.sentence
    assert "lanescope proxy URL" in told.value.sentence


@pytest.mark.parametrize(
    "path",
    [b"/..", b"/../admin", b"/a/../../b", b"/%2e%2e/admin", b"/.%2E", b"/a/..%2f../b", b"/..%5cadmin",
     b"/%252e%252e/x", b"/..;x=1/admin", b"/a/./../../b", b"/a//../../b"],
)  # fmt: skip
def test_a_path_that_climbs_out_is_refused(path: bytes) -> None:
    """However the dots and slashes are written."""
    assert climbs(path)
    with pytest.raises(BadInput):
        TARGETS["desk"].path(path)


@pytest.mark.parametrize(
    "path", [b"", b"/", b"/a/..", b"/a/b/../../c", b"/...", b"/..a/b", b"/a..b", b"/.well-known"]
)
def test_a_path_that_stays_inside_goes_through(path: bytes) -> None:
    """Dots that lead nowhere are nobody's business."""
    assert not climbs(path)
