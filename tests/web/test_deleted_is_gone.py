"""A deleted trace is gone: no byte of its texts is left in any file of the database."""

from __future__ import annotations

import json
from pathlib import Path

from fastapi.testclient import TestClient

from tests.streams import finished, message, sse, started
from webapp.settings import Settings

CANARY = "canary-of-a-deleted-trace"


def found(folder: Path) -> list[str]:
    """The files that hold the word, as UTF-8."""
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and CANARY.encode() in path.read_bytes()
    ]


def test_deleting_leaves_no_byte_of_a_trace(client: TestClient, settings: Settings) -> None:
    """Recording, events, findings, state, names, note, links and copies: the files say nothing of them afterwards."""
    run = sse(
        started(run=f"r-{CANARY}"), *message(f"m-{CANARY}", f"Hello {CANARY}"),
        {"type": "STATE_SNAPSHOT", "snapshot": {CANARY: CANARY}},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"none-{CANARY}", "delta": CANARY}, finished(run=f"r-{CANARY}"),
    )  # fmt: skip
    trace = client.post(f"/api/traces?name={CANARY}", content=run).json()["id"]
    form = {"name": f"{CANARY} name", "ticket": CANARY, "note": f"{CANARY} note"}
    assert client.post(f"/traces/{trace}/edit", data=form).status_code == 303
    share = {"name": f"{CANARY} link", "days": "7", "panel": "events", "event": ""}
    for level in ("structure", "everything"):
        made = client.post(f"/traces/{trace}/share", data={**share, "level": level, "sure": "1"})
        assert "/s/" in made.text
    assert CANARY in json.dumps(client.get(f"/api/traces/{trace}").json())
    assert found(settings.data_dir)
    assert client.post(f"/traces/{trace}/delete").status_code == 303
    assert client.get(f"/traces/{trace}").status_code == 404
    assert found(settings.data_dir) == []
