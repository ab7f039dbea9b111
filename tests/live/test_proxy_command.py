"""`lanescope proxy URL`: one command in front of an agent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench.proxy import serving
from tests.live.proxied import ROOT, agent, call, run


def test_one_command_records_an_agent(tmp_path: Path) -> None:
    """The run goes through, and the list of traces shows it."""
    with agent() as there, serving(tmp_path, there) as url:
        assert b"RUN_FINISHED" in run(f"{url}/proxy/agent/agent").read()
        assert b"agent: run r-1 of thread t-1" in call(url).read()


def test_an_address_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    """One sentence, before anything listens."""
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "proxy", "nowhere", "--data-dir", str(tmp_path / "data")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "lanescope: LANESCOPE_TARGETS cannot be used: 'nowhere' must look like http://127.0.0.1:8000 or "
        "https://agent.example.com/path.\n"
    )
