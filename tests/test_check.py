"""The `lanescope check` command as a shell sees it: output, one sentence for a fault, exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = (
    b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n'
)
BAD = GOOD.replace(
    b"\n", b'\n{"type":"TEXT_MESSAGE_CONTENT","messageId":"\\ud800\\u202e\\u001b[31m","delta":"x"}\n', 1
)


def run(*args: str, cwd: Path, given: bytes = b"", **env: str) -> tuple[int, str, str]:
    """Exit code, output, errors."""
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "check", *args],
        cwd=cwd,
        input=given,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **env},
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize(("body", "code"), [(GOOD, 0), (BAD, 1), (b"", 2), (b"Hello", 2)])
def test_the_exit_code_tells_the_verdict(tmp_path: Path, body: bytes, code: int) -> None:
    """0: nothing at or above the limit, 1: something, 2: nothing was checked."""
    assert run("-", cwd=tmp_path, given=body)[0] == code


def test_a_terminal_obeys_nothing_from_a_recording(tmp_path: Path) -> None:
    """Escape sequences and characters that turn a line around are replaced."""
    _, out, _ = run("-", cwd=tmp_path, given=BAD)
    assert "REJECTED" in out
    assert not set("\x1b\u202e") & set(out)


def test_a_terminal_without_our_signs_shows_question_marks(tmp_path: Path) -> None:
    """An encoding that has no ✖ is no reason to fail."""
    code, out, err = run("-", cwd=tmp_path, given=BAD, PYTHONIOENCODING="ascii")
    assert (code, err) == (1, "")
    assert "? fatal #1 AGUI-TXT-02" in out


def test_a_disk_that_is_full_is_a_sentence(tmp_path: Path) -> None:
    """A report that could not be written is not a verdict."""
    (tmp_path / "a.ndjson").write_bytes(GOOD)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "webapp", "check", "a.ndjson"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.decode() == "lanescope: The report could not be written: no space left on device.\n"


def test_one_unreadable_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    """The worst code wins, and every readable recording has its line."""
    (tmp_path / "a.ndjson").write_bytes(GOOD)
    code, out, err = run("gone.sse", "a.ndjson", "--format", "json", cwd=tmp_path)
    assert code == 2
    assert json.loads(out)["verdict"] == "conformant"
    assert err == "lanescope: gone.sse: It cannot be read: no such file or directory.\n"
