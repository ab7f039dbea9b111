"""Addresses of the connector keep their shape."""

from __future__ import annotations

import pytest

from webapp.core.teams import addresses
from webapp.redact import marker, redactor
from webapp.redact.addresses import address


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://smba.trafficmanager.net/amer/v3/conversations/a%3A1zz/activities/17", None),
        ("/v3/conversations/19:abc@thread.v2;messageid=1/activities", None),
        ("http://[::1]:3978/v3/conversations/a/activities", None),
        ("https://h.example/contoso/v3/conversations/a/activities",
         f"https://h.example/{marker(7)}/v3/conversations/a/activities"),
        ("https://jane:pw@h.example/v3", f"https://{marker(7)}@h.example/v3"),
        ("https://h.example/v3/conversations/a/activities?token=abc",
         f"https://h.example/v3/conversations/a/activities?{marker(9)}"),
        ("https://h.example/v3/conversations/two%20words/activities",
         f"https://h.example/v3/conversations/{marker(11)}/activities"),
        ("https://a b/v3", f"https://{marker(3)}/v3"),
        ("mail jane", marker(9)),
        ("", ""),
    ],
)  # fmt: skip
def test_host_contract_and_ids_stay(url: str, kept: str | None) -> None:
    """Credentials, query strings and other parts of the path do not; twice is once."""
    red = redactor("teams", "structure")
    out = address(red, url)
    assert out == (url if kept is None else kept)
    assert address(red, out) == out


def test_the_engine_reads_the_same_parts() -> None:
    """Conversation and target of an address are found again."""
    url = "https://jane@h.example/x/v3/conversations/a%3A1/activities/17?q=1"
    assert addresses.read(str(address(redactor("teams", "structure"), url))) == addresses.read(url)
