"""Files that hold several streams, for tests of picking: made, read and judged.

Rules of this file: no assertion.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from tests.readers.wrapping import (
    CLEAN,
    FAULT,
    Event,
    copilotkit_rows,
    devtools_header,
    devtools_lines,
    entry,
    envelope,
    exchange,
    har,
    line,
    sse,
)
from webapp.readers.limits import Limits
from webapp.readers.parts import look, picked, plain_file, streams
from webapp.readers.several import Part, Refused

CANARY = "zzCANARY"


def run(number: int, text: str = CANARY) -> list[Event]:
    """A clean run of its own, with a text that is found again wherever it was stored."""
    own = json.loads(json.dumps(CLEAN).replace("t-1", f"t-{number}").replace("r-1", f"r-{number}"))
    own[2]["delta"] = f"{text}{number}"
    return list(own)


def parts(source: Iterable[bytes], limits: Limits | None = None) -> list[Part]:
    """The streams of a file, without the notes."""
    return streams(source, limits)[0]


def take(source: Iterable[bytes], id: str) -> bytes:
    """The sifted original of one stream, which holds nothing of the others."""
    file = plain_file(source, Limits())
    if file is None:
        raise Refused("The file holds one stream only.")
    with file:
        several = look(file, Limits())
        part = None if several is None else picked(several, id)
        assert several is not None
        assert part is not None
        return b"".join(several.take(part.id).pieces)


def zipped(files: Mapping[str, bytes | str], **options: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def two_in_a_zip() -> bytes:
    return zipped({"logs/first.sse": sse(run(1)), "logs/second.sse": sse(run(2)), "readme.txt": "hello"})


def three_in_a_har(**more: Any) -> bytes:
    """Three streams of an agent, one of them faulty, a page and another stream."""
    return har(
        entry("https://x.example/page", {"mimeType": "text/html", "text": f"<html>{CANARY}9"}),
        entry("https://x.example/agent", {"text": sse(run(1))}),
        entry("https://x.example/agent", {"text": sse(FAULT)}),
        entry("https://x.example/other", {"text": sse(run(3))}),
        entry("https://x.example/prices", {"text": f'data: {{"price":"{CANARY}8"}}\n\n'}),
        **more,
    )


def two_connections() -> bytes:
    """Lines of two connections, one after the other in turn."""
    first, second = devtools_lines(run(1), "c1"), devtools_lines(run(2), "c2")
    turns = [each for pair in zip(first, second, strict=True) for each in pair]
    return "".join(f"{each}\n" for each in [devtools_header(), *turns]).encode()


def two_exchanges() -> bytes:
    (call, frames), (other, more) = exchange(1, run(1)), exchange(2, run(2))
    turns = [each for pair in zip(frames, more, strict=True) for each in pair]
    session = {"id": "s", "exchanges": [call, other], "frames": turns}
    return json.dumps({"version": 0, "session": session}, indent=1, ensure_ascii=False).encode()


def two_agents() -> bytes:
    return json.dumps(
        [*copilotkit_rows(run(1), "a"), *copilotkit_rows(run(2), "b")], ensure_ascii=False
    ).encode()


def two_runs_enveloped() -> bytes:
    turns = [
        envelope(event, n, f"r-{number}")
        for n, pair in enumerate(zip(run(1), run(2), strict=True))
        for number, event in enumerate(pair, 1)
    ]
    return sse(turns).encode()


# name -> (file, titles of its streams)
FILES: dict[str, tuple[bytes, list[str]]] = {
    "zip": (two_in_a_zip(), ["logs/first.sse", "logs/second.sse"]),
    "har": (three_in_a_har(), ["POST /agent", "POST /agent #2", "POST /other"]),
    "connections": (two_connections(), ["POST /agent", "POST /agent #2"]),
    "exchanges": (two_exchanges(), ["POST /agent/1", "POST /agent/2"]),
    "agents": (two_agents(), ["agent a", "agent b"]),
    "runs": (two_runs_enveloped(), ["agent a, run r-1", "agent a, run r-2"]),
    "zip of files with several": (
        zipped({"one.agui.jsonl": two_connections(), "two.sse": line(CLEAN[0])}),
        ["one.agui.jsonl › POST /agent", "one.agui.jsonl › POST /agent #2", "two.sse"],
    ),
}
