"""After signing in one goes to a page of this server and nowhere else."""

from __future__ import annotations

import pytest

from webapp.accounts.next import local


@pytest.mark.parametrize(
    "address", ["/", "/traces/abc", "/traces/abc/events?event=3&q=a%20b", "/?q=https://x.example", "/signals"]
)
def test_an_address_of_ours_is_followed(address: str) -> None:
    """With its query."""
    assert local(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "traces",
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/a\\..\\..",
        "/\t/evil.example",
        "/\n/evil.example",
        "/a\r\nSet-Cookie: x=1",
        " /traces",
        "/ /evil.example",
        "javascript:alert(1)",
        "/é",
        "/" + "a" * 3000,
        "/sign-in?next=/sign-in",
        "/sign-out",
    ],
)
def test_any_other_leads_to_the_front_page(address: str) -> None:
    """Whatever a browser might make of it."""
    assert local(address) == "/"
