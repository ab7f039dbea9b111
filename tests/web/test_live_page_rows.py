"""What a page that follows a live trace is given: its view, with as many rows as its screen has room for."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.streams import message, sse, started

SENT = sse(started(), *(event for n in range(60) for event in message(f"m{n}", "text")))  # 181 records
ROW = re.compile(r'<tr id="e(\d+)"')


@pytest.fixture
def live(client: TestClient) -> Iterator[str]:
    """The address of a trace that is being recorded."""
    begun = client.post("/api/traces?live=1").json()
    client.post(f"{begun['events']}?seq=1", content=SENT)
    with client.stream("GET", f"{begun['url']}/live") as answer:
        next(line for line in answer.iter_lines() if '"seq": 181' in line)  # judged
    yield begun["url"]
    client.post(begun["end"])


def _shown(client: TestClient, address: str, rows: str = "", **headers: str) -> list[int]:
    given = {"hx-request": "true", **({"lanescope-rows": rows} if rows else {}), **headers}
    return [int(number) for number in ROW.findall(client.get(address, headers=given).text)]


@pytest.mark.parametrize(
    ("told", "rows"),
    [("47", 50), ("50", 50), ("3", 20), ("900", 100), ("", 100), ("many", 100), ("-5", 100)],
)
def test_a_page_that_follows_has_the_newest_rows_its_screen_has_room_for(
    client: TestClient, live: str, told: str, rows: int
) -> None:
    """In steps of ten; what cannot be right is bounded; a page that says nothing has all."""
    assert _shown(client, live, told) == list(range(181 - rows, 181))


@pytest.mark.parametrize("place", ["?start=20", "?event=60"])
def test_a_page_that_stays_somewhere_has_all_its_rows(client: TestClient, live: str, place: str) -> None:
    """Who chose an event or scrolled away reads there."""
    assert len(_shown(client, live + place, "30")) == 100


def test_fewer_rows_than_there_is_room_for_are_all_there_are(client: TestClient, live: str) -> None:
    """A filter that few events pass: the newest of them, and no empty window."""
    assert _shown(client, f"{live}?q=item:m59", "30") == [178, 179, 180]


def test_what_stands_around_the_view_is_not_sent_again(client: TestClient, live: str) -> None:
    """A page that follows is given its view alone, any other reader the whole page."""
    part = client.get(live, headers={"hx-request": "true"})
    whole = client.get(live)
    assert (part.text.lstrip()[:14], "<html" in part.text) == ('<div id="view"', False)
    assert "<html" in whole.text
    assert {"HX-Request", "Lanescope-Rows"} <= set(part.headers["vary"].split(", "))


def test_back_and_forward_are_given_the_whole_page(client: TestClient, live: str) -> None:
    """What htmx asks for when the browser's history leads here is a page of its own."""
    headers = {"hx-request": "true", "hx-history-restore-request": "true"}
    assert "<html" in client.get(live, headers=headers).text
