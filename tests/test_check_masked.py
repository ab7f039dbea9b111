"""`lanescope check` prints no credential of what it judges, and changes no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.web.test_masked import INPUT, UPLOADS, found_in
from webapp.cli import app


@pytest.mark.parametrize("name", UPLOADS)
def test_nothing_printed_holds_a_credential(name: str, tmp_path: Path) -> None:
    """As text and as JSON, with all that was delivered; the file stays as it is."""
    path = tmp_path / "run.sse"
    path.write_bytes(UPLOADS[name])
    (tmp_path / "run.input.json").write_text(json.dumps(INPUT))
    for more in ([], ["--format", "json", "--assembled"]):
        done = CliRunner().invoke(app, ["check", str(path), *more])
        assert done.exit_code in (0, 1, 2), done.output
        assert found_in(done.output.encode()) == []
    assert path.read_bytes() == UPLOADS[name]


def test_the_count_is_told_and_the_setting_is_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`masked` in JSON; null, and everything as it is, where it is turned off."""
    path = tmp_path / "run.sse"
    path.write_bytes(UPLOADS["plain"])
    told = json.loads(CliRunner().invoke(app, ["check", str(path), "--format", "json"]).output)
    assert told["masked"] > 40
    monkeypatch.setenv("LANESCOPE_MASK_SECRETS", "0")
    done = CliRunner().invoke(app, ["check", str(path), "--format", "json", "--assembled"])
    assert json.loads(done.output)["masked"] is None
    assert found_in(done.output.encode())
