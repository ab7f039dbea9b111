"""The runs of `wrapping` and `wrapping_teams` as redacted files: texts out, sealed by the engine of today.

Rules of this file: written without the maker of such files (`ingest/redacted_file.py`), so that what is read does not
depend on what is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from webapp.core import Replay
from webapp.core.records import Step
from webapp.core.seal import Seal, written
from webapp.redact import redactor

BEGUN = b'{"lanescope":"redacted","version":1,"level":"structure","protocol":"ag-ui","engine":"2",'
SEAL = BEGUN + b'"verdict":"unchecked","records":2,"events":0}\n'
REDACTED_PIECES: list[bytes] = [
    b"\n", b"\r\n", b"\r", b" ", b"prose", b"\xff", b"\xef\xbb\xbf", b"{", b"}", b'"', b"",
    b'{"seq":0,"record":{"type":"A"}}\n', b'{"seq":1,"at":1.5,"raw":"x"}\n', b'{"seq":1,"raw":"\\ud83d"}\n',
    b'{"seq":0,"reached":"after","new":3,"record":{"delta":"' + b"x" * 60 + b'"}}\n', b'{"seq":"0"}\n',
    b'{"seq":1,"record":[]}\n', b'{"seq":2e0,"record":1}\n', b'{"seq":0}\n', SEAL,
]  # fmt: skip
REDACTED_BEGINNINGS: list[bytes] = [SEAL, b"\xef\xbb\xbf" + SEAL, BEGUN + b"\n", b""]


def redacted(records: Iterable[dict[str, Any]], protocol: str) -> bytes:
    """The file of a recording."""
    red, replay = redactor(protocol, "structure"), Replay(protocol)
    out = []
    for seq, record in enumerate(records):
        raw = json.dumps(record, ensure_ascii=False).encode()
        step: Step = replay.feed(raw)
        made = red.record(raw) or b"{}"
        about = json.dumps({"seq": seq, "size": len(raw), "reached": step.reached})[:-1]
        out.append(about.encode() + b',"record":' + made + b"}\n")
    report = replay.finish()
    for finding in report.findings:
        finding.title, finding.why = red.words(finding.title), red.words(finding.why)
    told = {name: getattr(report, name) for name in Seal.__struct_fields__ if hasattr(report, name)}
    sealed = Seal(level="structure", removed=dict(red.removed), **told)
    return written(sealed) + b"\n" + b"".join(out)


def wrap_redacted(events: list[dict[str, Any]]) -> bytes:
    return redacted(events, "ag-ui")


def wrap_redacted_teams(exchanges: list[dict[str, Any]]) -> bytes:
    return redacted(exchanges, "teams")
