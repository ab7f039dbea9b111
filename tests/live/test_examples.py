"""The few lines of the documentation that tee an agent's stream do what they say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.serving import ROOT, WAIT, Serving, serving
from tests.streams import finished, message, sse, started

WHOLE = sse(started(), *message("m", "Hello", " world"), finished())
TYPES = re.compile(r": (?:ReadableStream<Uint8Array>|string)| as RequestInit")
NOWHERE = "http://127.0.0.1:9"  # nobody listens there


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


def _example(language: str) -> str:
    text = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    (found,) = [block for block in blocks if "teed(" in block]
    return str(found)


def _python(data: bytes, live: str) -> bytes:
    names: dict[str, Any] = {}
    exec(_example("python"), names)
    out = b"".join(names["teed"](iter([data[:9], data[9:100], data[100:]]), live))
    for thread in threading.enumerate():
        if thread.name.endswith("(send)"):
            thread.join(WAIT)
    return out


def _typescript(data: bytes, live: str) -> bytes:
    node = shutil.which("node")
    assert node is not None, "the example in TypeScript needs Node.js (apt-get install nodejs)"
    feed = "new ReadableStream({ start(to) { for (const part of parts) to.enqueue(part); to.close(); } })"
    script = (
        f"{TYPES.sub('', _example('ts'))}\n"
        f"const bytes = new TextEncoder().encode({json.dumps(data.decode())});\n"
        "const parts = [bytes.slice(0, 9), bytes.slice(9, 100), bytes.slice(100)];\n"
        f"for await (const chunk of teed({feed}, {json.dumps(live)})) process.stdout.write(chunk);\n"
    )
    command = [node, "--input-type=module", "-e", script]
    return subprocess.run(command, capture_output=True, check=True, timeout=WAIT).stdout


@pytest.mark.parametrize("tee", [_python, _typescript], ids=["Python", "TypeScript"])
def test_an_agents_stream_is_teed(server: Serving, tee: Any) -> None:
    """The client gets its bytes, Lanescope a copy."""
    name = tee.__name__.strip("_")
    assert tee(WHOLE, f"{server.url}/api/live?name={name}") == WHOLE
    assert server.original(server.found(name)) == WHOLE


@pytest.mark.parametrize("tee", [_python, _typescript], ids=["Python", "TypeScript"])
def test_without_lanescope_the_stream_goes_on(tee: Any) -> None:
    """A recorder that is not there is no fault of the agent."""
    assert tee(WHOLE, f"{NOWHERE}/api/live") == WHOLE
