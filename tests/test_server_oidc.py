"""Starting with an OpenID provider: only where somebody can get in, and only when it can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webapp.errors import StartError
from webapp.server import check_access, check_start, is_open_to_all, prepare
from webapp.settings import load_settings
from webapp.storage import users
from webapp.storage.db import Database


def settings(**given: Any) -> Any:
    return load_settings(
        **{"oidc_issuer": "https://login.example.com", "oidc_client_id": "lanescope", **given}
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_it_starts_only_where_somebody_can_get_in(database: Database, host: str) -> None:
    """An account, or a role for those who have none; on this machine too, since nothing is open then."""
    with pytest.raises(StartError, match="Nobody could sign in") as caught:
        check_access(settings(host=host), database)
    assert "lanescope user add NAME --role admin --no-password" in caught.value.sentence
    check_access(settings(host=host, oidc_role="viewer"), database)
    with database.session() as session:
        users.add(session, name="ada", role="admin", now=1.0)
    check_access(settings(host=host), database)


def test_with_a_provider_nothing_is_open_to_all(database: Database) -> None:
    """Behind a proxy of one's own and without accounts: people still have to sign in."""
    public = "https://lanescope.example.com"
    assert is_open_to_all(load_settings(public_url=public), database)
    assert not is_open_to_all(settings(public_url=public, oidc_role="viewer"), database)


def test_what_cannot_be_used_is_told_before_anything_is_made(tmp_path: Path) -> None:
    """From the settings alone."""
    with pytest.raises(StartError, match="LANESCOPE_OIDC_ISSUER cannot be used"):
        check_start(settings(data_dir=tmp_path / "data", oidc_issuer="http://login.example.com"))
    assert not (tmp_path / "data").exists()


def test_a_secret_that_cannot_be_read_is_told_at_the_start(tmp_path: Path) -> None:
    """And not to whoever signs in first: it signs what a browser keeps meanwhile."""
    with pytest.raises(StartError, match="LANESCOPE_SECRET_FILE cannot be read"):
        prepare(settings(data_dir=tmp_path, oidc_role="viewer", secret_file=str(tmp_path / "nowhere")))
