"""The stops of a page's play-back, of a trace and through a link, and the bar that asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from tests.exchanges import good, lines
from tests.streams import finished, message, sse, started
from webapp.ingest.upload import ingest
from webapp.storage.db import Database


@pytest.fixture
def trace(database: Database) -> str:
    return ingest(database, [sse(started(), *message("m", "a"), finished())], name="x").id


def shared(client: TestClient, trace: str) -> str:
    form = {"name": "x", "days": "7", "panel": "events", "event": ""}
    found = re.search(r"/s/[A-Za-z0-9_-]{20,}", client.post(f"/traces/{trace}/share", data=form).text)
    assert found is not None
    return found[0]


def test_the_page_is_told_where_to_stop(client: TestClient, trace: str) -> None:
    """Record numbers and the milliseconds before each, then how the recording ends."""
    assert client.get(f"/traces/{trace}/play?from=1&count=2").json() == {
        "stops": [[2, 100], [3, 100]],
        "next": 3,
        "end": "",
        "note": "no times recorded, 100 ms for each record",
    }
    rest = client.get(f"/traces/{trace}/play?from=3").json()
    assert (rest["stops"], rest["next"], rest["end"]) == ([[4, 100]], None, "End of the recording: finished")


def test_a_shared_page_plays_too(client: TestClient, trace: str) -> None:
    """The same stops under the link, and a link that opens nothing has none."""
    link = shared(client, trace)
    assert client.get(f"{link}/play?from=0").json() == client.get(f"/traces/{trace}/play?from=0").json()
    assert f'data-play="{link}/play"' in client.get(link).text
    assert client.get("/s/nothing/play").status_code == 404
    assert client.get("/traces/nosuchtrace1/play").status_code == 404


def test_a_teams_recording_plays_in_the_page(client: TestClient, database: Database) -> None:
    """Its exchanges are stops, by the times of the requests."""
    id_ = ingest(database, [lines(good())], name="x").id
    told = client.get(f"/traces/{id_}/play?from=0").json()
    assert [seq for seq, _ in told["stops"]] == list(range(1, len(good())))
    assert "End of the recording: finished" in told["end"]


def test_a_recording_that_goes_on_has_no_outcome_yet(
    client: TestClient, add_trace: Callable[..., str]
) -> None:
    """It plays to where it is by now."""
    told = client.get(f"/traces/{add_trace(status='live', records=0)}/play").json()
    assert (told["next"], told["end"]) == (None, "End of what is recorded so far")


@pytest.mark.parametrize("query", ["from=-1", "from=x", "count=0", "count=501", "from=9999999999"])
def test_numbers_out_of_bounds_are_refused(client: TestClient, trace: str, query: str) -> None:
    """As everywhere."""
    assert client.get(f"/traces/{trace}/play?{query}").status_code == 422


def test_the_bar_has_what_the_script_needs(client: TestClient, database: Database, trace: str) -> None:
    """Buttons that keep their state when the view is swapped; none where there is nothing to play."""
    page = client.get(f"/traces/{trace}?panel=state&event=2").text
    assert f'data-play="/traces/{trace}/play"' in page
    for part in ("play", "speeds", "play-said"):
        assert re.search(rf'id="{part}"[^>]*hx-morph-skip', page), part
    assert page.count("data-speed=") == 4
    assert 'aria-label="Previous event"' in page
    single = ingest(database, [sse(started())], name="x").id
    assert 'id="play"' not in client.get(f"/traces/{single}").text
