"""The installation's secret: made once, for its owner's eyes only, and never told."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webapp.accounts import cookies, secret
from webapp.errors import StartError
from webapp.server import prepare
from webapp.settings import Settings, load_settings
from webapp.storage import users
from webapp.storage.db import Database

CANARY = "canary-of-a-secret-0123456789-abcdefgh"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """As in a process that just started."""
    forget()
    yield
    forget()


def forget() -> None:
    secret._own.cache_clear()
    secret._told.cache_clear()


def test_it_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    """The next process finds it, and nothing else is left in the folder."""
    settings = load_settings(data_dir=tmp_path / "new")
    made = secret.secret(settings)
    path = tmp_path / "new" / "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == made
    forget()
    assert secret.secret(settings) == made
    assert list((tmp_path / "new").iterdir()) == [path]
    assert secret.secret(load_settings(data_dir=tmp_path / "other")) != made


def test_workers_that_start_together_have_the_same(tmp_path: Path) -> None:
    """Whoever is quickest makes it; none overwrites another's."""
    path = tmp_path / "secret"
    with ThreadPoolExecutor(8) as pool:
        for _ in range(40):
            pool.submit(secret._make, path)
    made = path.read_bytes()
    secret._make(path)
    assert path.read_bytes() == made
    assert list(tmp_path.iterdir()) == [path]


def test_the_environment_wins_over_a_file_and_a_file_over_the_folder(tmp_path: Path) -> None:
    """So that several machines can share one."""
    file = tmp_path / "mounted"
    file.write_text("f" * 40 + "\n")
    told = load_settings(data_dir=tmp_path, secret_file=str(file))
    assert secret.secret(told) == b"f" * 40
    assert (
        secret.secret(load_settings(data_dir=tmp_path, secret_file=str(file), secret=CANARY))
        == CANARY.encode()
    )
    assert not (tmp_path / "secret").exists()


@pytest.mark.parametrize("content", [None, "short"])
def test_a_file_that_is_of_no_use_stops_the_start(tmp_path: Path, content: str | None) -> None:
    """Rather than another secret being made, which would sign everybody out."""
    file = tmp_path / "mounted"
    if content is not None:
        file.write_text(content)
    with pytest.raises(StartError, match="LANESCOPE_SECRET_FILE"):
        secret.secret(load_settings(data_dir=tmp_path, secret_file=str(file)))


def test_a_damaged_secret_stops_the_start(tmp_path: Path) -> None:
    """It could be guessed."""
    (tmp_path / "secret").write_text("")
    with pytest.raises(StartError, match="damaged"):
        secret.secret(load_settings(data_dir=tmp_path))


def test_a_short_secret_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the variable, never its value."""
    monkeypatch.setenv("LANESCOPE_SECRET", "short-canary")
    with pytest.raises(StartError, match="LANESCOPE_SECRET cannot be used") as refused:
        load_settings()
    assert "short-canary" not in str(refused.value)


def test_settings_that_are_printed_or_logged_do_not_tell_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever writes `log.info(settings)` gives nothing away."""
    monkeypatch.setenv("LANESCOPE_SECRET", CANARY)
    settings = load_settings()
    with caplog.at_level(logging.INFO):
        logging.getLogger("lanescope").info("%s %r %s", settings, settings, settings.model_dump())
    assert caplog.text
    assert CANARY not in caplog.text + str(settings.model_dump_json())
    assert secret.secret(settings) == CANARY.encode()


def test_a_server_with_accounts_does_not_start_without_it(tmp_path: Path, database: Database) -> None:
    """It is told when it starts, not to whoever signs in first; an open installation needs none."""
    settings = load_settings(data_dir=tmp_path, secret_file=str(tmp_path / "missing"))
    prepare(settings).close()
    with database.session() as session:
        users.add(session, name="Ada", role="admin", now=1.0)
    with pytest.raises(StartError, match="LANESCOPE_SECRET_FILE"):
        prepare(settings)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


def test_a_cookie_gives_its_token_back(settings: Settings) -> None:
    """Signed, and read again."""
    assert cookies.token_of(cookies.signed("token.with.dots", settings), settings) == "token.with.dots"


def test_a_cookie_that_was_not_made_here_is_none(settings: Settings, tmp_path: Path) -> None:
    """Changed, unsigned, signed by another installation or for another purpose, endless, or odd."""
    made = cookies.signed("token", settings)
    others = load_settings(data_dir=tmp_path / "other")
    for forged in (
        None,
        "",
        "token",
        "tokem" + made[5:],
        made[:-1],
        made + "a",
        cookies.signed("token", others),
        secret.signer(settings, "another purpose").sign("token").decode(),
        "x" * 100_000,
        "tökén.\udcff",
    ):
        assert cookies.token_of(forged, settings) is None, forged


def test_over_https_the_cookie_is_bound_to_its_host(tmp_path: Path) -> None:
    """No script reads it, no other site sends it along, no http request carries it."""
    plain = cookies.attributes(load_settings(data_dir=tmp_path))
    assert plain == {
        "key": "lanescope_session", "path": "/", "secure": False, "httponly": True, "samesite": "lax",
    }  # fmt: skip
    bound = cookies.attributes(load_settings(data_dir=tmp_path, public_url="https://lanescope.example.com"))
    assert bound == {**plain, "key": "__Host-lanescope_session", "secure": True}
