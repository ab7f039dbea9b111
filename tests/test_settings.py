"""Settings: what the environment may say, and the sentence when it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.errors import StartError
from webapp.settings import is_loopback, listed_hosts, load_settings


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("LANESCOPE_"):
            monkeypatch.delenv(name)


def test_the_defaults_serve_this_machine_only() -> None:
    """Without any setting: loopback, the documented port, a SQLite file in data/, a week for a share link."""
    settings = load_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8321)
    assert settings.data_dir == Path("data")
    assert settings.database_url == f"sqlite:///{Path('data/lanescope.db').resolve()}"
    assert settings.max_upload_bytes == 256 * 1024**2
    assert settings.max_expanded_bytes == 1024**3
    assert (settings.max_records, settings.max_depth, settings.max_findings) == (2_000_000, 200, 10_000)
    assert settings.max_record_bytes == 16 * 1024**2
    assert settings.share_days == 7


def test_the_environment_is_read_and_an_option_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`LANESCOPE_PORT` is read; what the command line says wins over it; what it leaves open does not."""
    monkeypatch.setenv("LANESCOPE_PORT", "9000")
    monkeypatch.setenv("LANESCOPE_DATA_DIR", str(tmp_path))
    assert load_settings(port=None).port == 9000
    assert load_settings(port=9001).port == 9001
    assert load_settings().database_url == f"sqlite:///{tmp_path / 'lanescope.db'}"


def test_a_database_url_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A URL that was given is not replaced by the file in the data folder."""
    monkeypatch.setenv("LANESCOPE_DATABASE_URL", "postgresql+psycopg://db/lanescope")
    settings = load_settings()
    assert settings.database_url == "postgresql+psycopg://db/lanescope"
    assert not settings.uses_sqlite


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("MAX_UPLOAD_BYTES", "0"),
        ("MAX_DEPTH", "-1"),
        ("SHARE_DAYS", "never"),
        ("CALL_HOSTS", "*.example.com"),
        ("CALL_HOSTS", "localhost, http://agent.example.com/"),
        ("CALL_HOSTS", "localhost, 127.1"),
        ("CALL_HOSTS", "0x7f000001"),
        ("CALL_HOSTS", "agent.example.com."),
        ("CALL_HOSTS", "agent.example.com:0"),
        ("CALL_HOSTS", "10.0.0.1/8"),
        ("CALL_HOSTS", "[fe80::1%eth0]"),
        ("PUBLIC_URL", "lanescope.example.com"),
        ("PUBLIC_URL", "https://example.com/lanescope"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """The sentence names the variable, so that one knows what to change."""
    monkeypatch.setenv(f"LANESCOPE_{name}", value)
    with pytest.raises(StartError) as caught:
        load_settings()
    assert caught.value.sentence.startswith(f"LANESCOPE_{name} cannot be used: ")
    assert caught.value.sentence.count("\n") == 0


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ({}, "http://127.0.0.1:8321"),
        ({"host": "::1", "port": 9000}, "http://[::1]:9000"),
        ({"public_url": "https://scope.example.com/"}, "https://scope.example.com"),
    ],
)
def test_links_for_others_begin_with_the_public_address(given: dict[str, object], base: str) -> None:
    """Share links use the address people use, or the one listened on."""
    assert load_settings(**given).base_url == base


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("app.localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.4", False),
        ("::", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_loopback_names(host: str, loopback: bool) -> None:
    """Only what cannot be reached from another machine counts as loopback."""
    assert is_loopback(host) is loopback


def test_hosts_that_may_be_called_are_names_addresses_and_networks() -> None:
    """Each with a port or without; IPv6 in brackets, or bare where there is no port."""
    listed = listed_hosts("Agent.example:8000, 10.0.0.0/8, 10.0.0.5:1,, ::1 , [fd00::/8]:443")
    assert [(entry.name, str(entry.network or ""), entry.port) for entry in listed] == [
        ("agent.example", "", 8000),
        ("", "10.0.0.0/8", None),
        ("", "10.0.0.5/32", 1),
        ("", "::1/128", None),
        ("", "fd00::/8", 443),
    ]
    assert listed_hosts("") == ()
