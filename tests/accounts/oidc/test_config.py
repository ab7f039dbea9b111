"""What may be set about a provider, and the sentence when it cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webapp.accounts.oidc.config import config_of, is_safe
from webapp.errors import StartError
from webapp.settings import load_settings

ISSUER = "https://login.example.com/realms/staff"


def settings(**given: Any) -> Any:
    return load_settings(**{"oidc_issuer": ISSUER, "oidc_client_id": "lanescope", **given})


def test_without_an_issuer_there_is_no_provider() -> None:
    """The other settings alone mean nothing."""
    assert config_of(load_settings()) is None
    assert config_of(load_settings(oidc_name="Example", oidc_role="viewer")) is None


def test_what_was_set_is_taken_over() -> None:
    """With the defaults: called "your organisation", named by user name, no account is made."""
    config = config_of(settings())
    assert config is not None
    assert (config.issuer, config.client_id, config.secret) == (ISSUER, "lanescope", "")
    assert (config.name, config.claim, config.role, config.here) == (
        "your organisation",
        "preferred_username",
        "",
        False,
    )
    config = config_of(settings(oidc_issuer="http://127.0.0.1:9000", oidc_claim="email", oidc_role="editor"))
    assert config is not None
    assert (config.claim, config.role, config.here) == ("email", "editor", True)


def test_the_secret_may_be_in_a_file(tmp_path: Path) -> None:
    """Without what an editor puts at the end; it is in no text of the settings or of the provider."""
    file = tmp_path / "oidc"
    file.write_text("canary-secret\n")
    for given in (
        settings(oidc_client_secret_file=str(file)),
        settings(oidc_client_secret="canary-secret"),
    ):
        config = config_of(given)
        assert config is not None
        assert config.secret == "canary-secret"
        assert "canary-secret" not in f"{config!r} {given!r}"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"oidc_client_id": ""}, "needs LANESCOPE_OIDC_CLIENT_ID too"),
        ({"oidc_issuer": ""}, "needs LANESCOPE_OIDC_ISSUER too"),
        ({"oidc_issuer": "http://login.example.com"}, "http is for a provider on this machine"),
        ({"oidc_issuer": "login.example.com"}, "LANESCOPE_OIDC_ISSUER cannot be used"),
        ({"oidc_issuer": "https://ada:word@login.example.com"}, "LANESCOPE_OIDC_ISSUER cannot be used"),
        ({"oidc_issuer": f"{ISSUER}?realm=x"}, "LANESCOPE_OIDC_ISSUER cannot be used"),
        ({"oidc_issuer": f"{ISSUER}/{'x' * 200}"}, "LANESCOPE_OIDC_ISSUER cannot be used"),
        ({"oidc_client_id": "two words"}, "LANESCOPE_OIDC_CLIENT_ID cannot be used"),
        ({"oidc_name": " "}, "LANESCOPE_OIDC_NAME cannot be used"),
        ({"oidc_name": "x" * 61}, "LANESCOPE_OIDC_NAME cannot be used"),
        ({"oidc_client_secret": "canary ü"}, "is damaged"),
        ({"oidc_client_secret": "canary", "oidc_client_secret_file": "/x"}, "keep one of them"),
        ({"oidc_client_secret_file": "/nowhere/canary"}, "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_told(given: dict[str, str], words: str) -> None:
    """In one sentence that names the setting and holds no secret."""
    with pytest.raises(StartError, match=words) as caught:
        config_of(settings(**given))
    assert caught.value.sentence.endswith(".")
    assert "canary" not in caught.value.sentence


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe"])
def test_a_file_without_a_secret_is_told(tmp_path: Path, content: bytes) -> None:
    """Empty, or no text."""
    file = tmp_path / "oidc"
    file.write_bytes(content)
    with pytest.raises(StartError, match="LANESCOPE_OIDC_CLIENT_SECRET_FILE"):
        config_of(settings(oidc_client_secret_file=str(file)))


@pytest.mark.parametrize("value", ["admin", "owner"])
def test_nobody_is_made_admin_by_signing_in(value: str) -> None:
    """The setting does not take it."""
    with pytest.raises(StartError, match="LANESCOPE_OIDC_ROLE cannot be used"):
        settings(oidc_role=value)


@pytest.mark.parametrize(
    ("url", "there", "here"),
    [
        ("https://login.example.com/a?b=c", True, True),
        ("http://127.0.0.1:9000/a", False, True),
        ("http://[::1]/a", False, True),
        ("http://login.example.com/a", False, False),
        ("http://localhost.evil.example/a", False, False),
        ("https://user@login.example.com/", False, False),
        ("https:///a", False, False),
        ("https://a/#b", False, False),
        ("https://a:x/", False, False),
        ("//login.example.com/", False, False),
        ("javascript:alert(1)", False, False),
        ("https://a/\r\nb", False, False),
    ],
)
def test_addresses_that_others_cannot_read_on_the_way(url: str, there: bool, here: bool) -> None:
    """https; http to this machine, and only when the whole provider is there."""
    assert (is_safe(url, here=False), is_safe(url, here=True)) == (there, here)
