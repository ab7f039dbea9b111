"""Files with their hash in the address, and the verdict in the tab's icon."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from webapp.core.findings import VERDICTS
from webapp.errors import NotFound
from webapp.web.static import Assets


def test_every_file_of_a_page_is_there_and_kept_for_ever(client: TestClient) -> None:
    """The addresses a page gives can be fetched, and never need to be asked for again."""
    addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get("/").text)
    assert len(addresses) >= 3
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"].split(";")[0] in ("text/css", "text/javascript")


def test_a_changed_file_has_another_address(tmp_path: Path) -> None:
    """A browser that kept the old file asks for the new one."""
    file = tmp_path / "app.css"
    file.write_text("a {}")
    assets = Assets(tmp_path)
    before = assets.url("app.css")
    file.write_text("b {}")
    import os

    os.utime(file, ns=(1, 1))
    after = assets.url("app.css")
    assert before != after
    old = assets.response(before.split("/")[2], "app.css")
    assert old.body == b"b {}"
    assert old.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "nothing.css", "", "."])
def test_nothing_outside_the_folder_is_served(tmp_path: Path, name: str) -> None:
    """No address leads out of the folder of static files."""
    (tmp_path / "static").mkdir()
    (tmp_path / "secret").write_text("x")
    with pytest.raises(NotFound):
        Assets(tmp_path / "static").response("0", name)


@pytest.mark.parametrize("path", ["/static/0/%2e%2e/pyproject.toml", "/static/0/..%2fpyproject.toml"])
def test_encoded_dots_lead_nowhere_either(client: TestClient, path: str) -> None:
    """The same, as a request."""
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("verdict", [*VERDICTS, "none"])
def test_each_verdict_has_an_icon(client: TestClient, verdict: str) -> None:
    """The tab shows the verdict as a shape and a colour."""
    answer = client.get(f"/favicon/{verdict}.svg")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ElementTree.fromstring(answer.text).tag.endswith("svg")


def test_icons_differ_and_others_do_not_exist(client: TestClient) -> None:
    """Six icons, no two alike; an unknown verdict has none."""
    assert len({client.get(f"/favicon/{verdict}.svg").text for verdict in [*VERDICTS, "none"]}) == 6
    assert client.get("/favicon/perfect.svg").status_code == 404
    assert client.get("/favicon.ico").headers["location"] == "/favicon/none.svg"
