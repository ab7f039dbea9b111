"""What the documents promise: names, links and pictures that exist, and none that is missing.

The members of the report are taken from real output of `lanescope check`, not from the code that writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

from webapp.cli import app
from webapp.core.findings import OUTCOMES, PARTIES, ROLES, SEVERITIES, VERDICTS
from webapp.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
REPORT = ROOT / "docs" / "report.md"
DOCUMENTS = (README, ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
MAX_PICTURE = 250_000  # bytes
# what the protocol names, not the report: lists of its events and messages, and the application's own state
PROTOCOL_OWN = ("delivered", "messages", "state")

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_VARIABLE = re.compile(r"LANESCOPE_[A-Z_]+")
_ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What `check --format json --assembled` prints for recordings that fill every list of a report."""
    folder = tmp_path_factory.mktemp("recordings")
    (folder / "unclosed.json").write_text('[{"type":"RUN_STARTED","threadId":"t","runId":"r"},')
    paths = [ROOT / "tests" / "samples", ROOT / "webapp" / "samples", folder]
    result = CliRunner().invoke(
        app, ["check", "--format", "json", "--assembled", *(str(path) for path in paths)]
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


def members(value: Any, own: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all members inside a value, except inside those that are not the report's."""
    if isinstance(value, dict):
        for name, inside in value.items():
            yield name
            if name not in own:
                yield from members(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from members(inside)


def words(markdown: str) -> set[str]:
    """The words set as code: `{kind, id}` names two, `runs[]` one."""
    return {word for code in _CODE.findall(markdown) for word in re.findall(r"[\w-]+", code)}


def test_the_recordings_fill_every_list_of_a_report(printed: list[dict[str, Any]]) -> None:
    """Otherwise the tests below would look at less than they say."""
    for name in ("runs", "findings", "artefacts", "skipped_rules", "delivered", "messages"):
        assert any(report[name] for report in printed), name
    found = [finding for report in printed for finding in report["findings"]]
    assert any(finding["related"] for finding in found)
    assert any(finding["item"] for finding in found)


def test_every_member_of_the_report_is_documented(printed: list[dict[str, Any]]) -> None:
    """Each member that is printed is named in docs/report.md."""
    present = {name for report in printed for name in members(report, PROTOCOL_OWN)}
    assert sorted(present - words(REPORT.read_text())) == []


def test_every_documented_member_is_printed(printed: list[dict[str, Any]]) -> None:
    """The first column of the tables of members names nothing that is not there."""
    present = {name for report in printed for name in members(report, PROTOCOL_OWN)}
    tables = REPORT.read_text().split("| member | meaning |")[1:]
    named = {
        word for table in tables for cell in _ROW.findall(table.split("\n\n")[0]) for word in words(cell)
    }
    assert len(named) > 20
    assert sorted(named - present) == []


@pytest.mark.parametrize("values", [VERDICTS, OUTCOMES, SEVERITIES, PARTIES, ROLES])
def test_every_fixed_word_is_documented(values: tuple[str, ...]) -> None:
    """Verdicts, outcomes, severities, parties and roles are listed in docs/report.md."""
    assert sorted(set(values) - words(REPORT.read_text())) == []


def test_the_readme_names_every_setting_and_no_other() -> None:
    """The table of settings and the class agree, both ways."""
    real = {f"LANESCOPE_{name.upper()}" for name in Settings.model_fields}
    assert set(_VARIABLE.findall(README.read_text())) == real


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_relative_links_lead_somewhere(document: Path) -> None:
    """Every link that is no web address names a file of the repository."""
    links = [link for link in _LINK.findall(document.read_text()) if not re.match(r"[a-z]+:|#", link)]
    gone = [link for link in links if not (document.parent / unquote(link.partition("#")[0])).is_file()]
    assert gone == []


def test_the_readme_shows_pictures_that_are_not_heavy() -> None:
    """Every screenshot is shown, a PNG file, and below a quarter of a megabyte."""
    pictures = [ROOT / link for link in _LINK.findall(README.read_text()) if link.endswith(".png")]
    assert {path.name for path in pictures} == {path.name for path in (ROOT / "docs" / "img").iterdir()}
    for path in pictures:
        assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n"), path.name
        assert path.stat().st_size < MAX_PICTURE, path.name


def test_paths_in_the_text_exist() -> None:
    """Files and folders the documents name, such as `webapp/core/replay.py`, are there."""
    gone = [
        f"{document.name}: {code}"
        for document in DOCUMENTS
        for code in _CODE.findall(document.read_text())
        if re.fullmatch(r"(webapp|tests|templates|static|docs)(/[\w.]+)+", code)
        and not re.search(r"\b[A-Z]{3,}\b", code)  # a placeholder such as RULE.toml
        and not (ROOT / code).exists()
    ]
    assert gone == []


def test_make_targets_in_the_readme_exist() -> None:
    """`make run` and its kin are targets of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", " ".join(README.read_text().split("## Reading")[0].split())))
    assert {"run", "test"} <= named
    assert sorted(named - targets) == []


def test_the_architecture_names_files_that_exist() -> None:
    """Each module the document names is there, so that the table leads somewhere."""
    named = re.findall(r"`([a-z_/]+\.py)`", (ROOT / "docs" / "architecture.md").read_text())
    places = (ROOT, ROOT / "webapp", ROOT / "webapp" / "core")
    assert named
    assert [name for name in named if not any((place / name).is_file() for place in places)] == []


def test_every_promise_of_security_names_a_test_that_exists() -> None:
    """docs/security.md says by which test each promise is held."""
    text = (ROOT / "docs" / "security.md").read_text()
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", text)
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (file := ROOT / "tests" / path).is_file() or f"\ndef {name}(" not in file.read_text()
    ]
    assert missing == []
    promises = [
        line for line in text.partition("## What is not promised")[0].splitlines() if line.startswith("| ")
    ]
    bare = [line for line in promises if "::" not in line and not re.match(r"\| (promise|what) \|", line)]
    assert len(promises) > 40
    assert bare == []
