"""Pages of a Teams trace as a browser gets them."""

from __future__ import annotations

import re
from collections import Counter

from fastapi.testclient import TestClient

from tests.core.teams.script import lines

# the repeated final breaks three rules at #2
EXPIRED = """
+0.0    informative 1 "Working…" -> 201 S
+131.0  final "Here." @S -> E403-TIME
+131.5  final "Here." @S -> E403-TIME
+132.0  edit "Here." @S -> 200
"""


def test_each_id_stands_once_on_a_page_with_several_findings_at_one_call(client: TestClient) -> None:
    """An id that two elements share is none for a screen reader or a link."""
    stored = client.post("/api/traces?name=expired.jsonl", content=b"\n".join(lines(EXPIRED)))
    page = client.get(f"/traces/{stored.json()['id']}?event=2").text
    ids = Counter(re.findall(r'\bid="([^"]+)"', page))
    assert {name for name in ids if name.startswith("finding-")} == {"finding-1", "finding-2"}
    assert [name for name, times in ids.items() if times > 1] == []
