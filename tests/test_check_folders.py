"""`lanescope check FOLDER`: recordings are judged, what lies beside them is skipped and told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import lanescope
from webapp.check_files import BESIDE as KINDS
from webapp.check_files import NAMED_SO
from webapp.core.foreign import BY_SLUG

GOOD = (
    b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n'
)
README = b"# Recordings\n\nHow these were made, and who may see them.\n"
BESIDE = {
    "README.md": README,
    "make.py": b"import json\nfrom pathlib import Path\n\ndef main():\n    pass\n",
    "package.json": b'{"name": "recordings", "private": true}\n',
    "shot.png": b"\x89PNG\r\n\x1a\n\0\0\0",
    "table.bin": bytes(range(256)),
}


def folder(at: Path, **files: bytes) -> Path:
    made = at / "rec"
    made.mkdir()
    for name, body in files.items():
        (made / name).write_bytes(body)
    return made


@pytest.mark.parametrize("name", BESIDE)
def test_what_lies_beside_recordings_is_skipped(tmp_path: Path, name: str) -> None:
    """One line on standard error; reports and exit code are those of the recordings."""
    folder(tmp_path, **{"a.ndjson": GOOD, name: BESIDE[name]})
    code, out, err = lanescope("check", "rec", "--format", "json", cwd=tmp_path)
    assert code == 0
    assert [json.loads(line)["source"] for line in out.splitlines()] == ["rec/a.ndjson"]
    assert err.startswith(f"lanescope: rec/{name}: Skipped, since it is no recording: this is ")
    assert err.count("\n") == 1


def test_a_file_that_was_named_is_not_skipped(tmp_path: Path) -> None:
    """Who names a file wants it judged: that it holds nothing is an error."""
    folder(tmp_path, **{"README.md": README})
    code, out, err = lanescope("check", "rec/README.md", cwd=tmp_path)
    assert (code, err) == (2, "")
    assert out.startswith("UNCHECKED  rec/README.md\n")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("run.sse", README),
        ("run.log.gz", README),
        ("run.txt", b""),
        ("notes.txt", b'data: {"type":"keepalive"}\n\n'),
    ],
)
def test_a_recording_that_went_wrong_is_not_skipped(tmp_path: Path, name: str, body: bytes) -> None:
    """Its name or its content says that something was recorded: nothing read is never a pass."""
    folder(tmp_path, **{"a.ndjson": GOOD, name: body})
    code, out, err = lanescope("check", "rec", cwd=tmp_path)
    assert (code, err) == (2, "")
    assert f"UNCHECKED  rec/{name}\n" in out


def test_a_folder_without_a_recording_is_an_error(tmp_path: Path) -> None:
    """Skipping everything is no pass; another folder does not make up for it."""
    folder(tmp_path, **{"README.md": README})
    (tmp_path / "a.ndjson").write_bytes(GOOD)
    code, out, err = lanescope("check", "rec", "a.ndjson", cwd=tmp_path)
    assert code == 2
    assert err.splitlines() == [
        "lanescope: rec/README.md: Skipped, since it is no recording: this is plain text.",
        "lanescope: The folder rec holds no recording.",
    ]
    assert out.startswith("CONFORMANT  a.ndjson\n")


def test_each_kind_that_is_skipped_is_one_that_is_known() -> None:
    """A slug that the catalogue does not have would never be met, and its files would fail the check."""
    assert set(BY_SLUG) >= KINDS


def test_the_names_of_recordings_are_in_the_reference() -> None:
    """docs/report.md lists the endings that keep a file from being skipped."""
    told = (Path(__file__).parents[1] / "docs" / "report.md").read_text(encoding="utf-8")
    assert [ending for ending in sorted(NAMED_SO) if f"`{ending}`" not in told] == []
