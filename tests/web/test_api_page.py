"""The page of the interface for programs: from files of ours, under the policy of every page but for one thing."""

from __future__ import annotations

import re

from fastapi.testclient import TestClient

from webapp.web.security import CONTENT_POLICY


def test_the_page_loads_nothing_from_another_host(client: TestClient) -> None:
    """Scripts and styles are our own copies; none stands in the page itself."""
    answer = client.get("/docs")
    assert answer.status_code == 200
    sources = re.findall(r'(?:src|href)="([^"]+)"', answer.text)
    assert any("swagger-ui-bundle.js" in each for each in sources)
    assert [each for each in sources if not each.startswith(("/", "#"))] == []
    assert "<script>" not in answer.text


def test_only_pictures_may_come_from_the_stylesheet(client: TestClient) -> None:
    """The policy differs from that of other pages in its images alone."""
    policy = client.get("/docs").headers["content-security-policy"]
    assert policy.replace(" data:", "") == CONTENT_POLICY
    assert "img-src 'self' data:" in policy


def test_every_operation_has_a_name_a_summary_and_a_subject(client: TestClient) -> None:
    """What the page lists can be read by people."""
    paths = client.get("/api/openapi.json").json()["paths"]
    told = [operation for methods in paths.values() for operation in methods.values()]
    assert len({operation["operationId"] for operation in told}) == len(told)
    assert all(operation["summary"] and operation["tags"] for operation in told)


def test_the_page_leaves_its_main_part_to_the_script(client: TestClient) -> None:
    """Which makes one of its own; a reader without scripts has that of the note."""
    html = client.get("/docs").text
    note = html[html.index("<noscript>") : html.index("</noscript>")]
    assert (html.count("<main"), note.count("<main")) == (1, 1)
    assert 'id="main"' in html
