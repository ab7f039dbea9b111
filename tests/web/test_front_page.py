"""The list of traces, its search, and changing and deleting one."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

AddTrace = Callable[..., str]


class Names(HTMLParser):
    """Collects the text of links with class `name`: one a row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = ("class", "name") in attrs
        if self.inside:
            self.found.append("")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = False


def names(client: TestClient, url: str) -> list[str]:
    answer = client.get(url)
    assert answer.status_code == 200
    return Names(answer.text).found


def test_before_the_first_trace_the_page_says_what_to_do(client: TestClient) -> None:
    """Not an empty table: how to begin, and samples to look at."""
    html = client.get("/").text
    assert "No trace yet" in html
    assert 'action="/samples"' in html
    assert "<table" not in html


def test_newest_first_with_verdict_cause_and_side(client: TestClient, add_trace: AddTrace) -> None:
    """A row says the verdict in a word, the first cause with its number, and whose side it is."""
    add_trace(name="older")
    trace = add_trace(
        name="newer",
        verdict="rejected",
        headline="more arguments",
        headline_event=12,
        headline_party="producer",
        events=1305,
    )
    html = client.get("/").text
    assert Names(html).found == ["newer", "older"]
    assert "Rejected" in html
    assert f'href="/traces/{trace}?event=12">#12</a> More arguments.' in html
    assert "1,305" in html
    assert ">Agent<" in html


def test_what_was_uploaded_is_shown_as_data(client: TestClient, add_trace: AddTrace) -> None:
    """Markup in a name, a headline or a ticket is text."""
    evil = "<script>alert(1)</script>"
    trace = add_trace(name=evil, headline=evil, ticket=evil, note=evil, verdict="rejected", headline_event=1)
    for path in ("/", f"/traces/{trace}/edit", f"/traces/{trace}/delete", f"/?q={evil}"):
        html = client.get(path).text
        assert evil not in html
        assert "&lt;script&gt;" in html


def test_facets_narrow_the_list_and_keep_their_counts(client: TestClient, add_trace: AddTrace) -> None:
    """A verdict's link shows its traces only; the counts are those of all traces."""
    add_trace(name="good")
    add_trace(name="bad", verdict="rejected")
    assert names(client, "/?verdict=rejected") == ["bad"]
    assert names(client, "/?verdict=conformant") == ["good"]
    assert names(client, "/?protocol=teams") == []
    html = client.get("/?verdict=rejected").text
    assert "All <b>2</b>" in html
    assert 'href="/" aria-current="true"' not in html
    assert 'href="/?verdict=rejected" aria-current="true"' in html


@pytest.mark.parametrize("q", ["refund", "REFUND", "ACME-7", "warnings", "login page", "2023-11-14"])
def test_search_finds_by_what_is_known_of_a_trace(client: TestClient, add_trace: AddTrace, q: str) -> None:
    """Name in any case, ticket, verdict, note and day."""
    add_trace(name="other", created=1_600_000_000.0)
    add_trace(name="refund-desk", ticket="ACME-7", verdict="warnings", note="customer sent a login page")
    assert names(client, f"/?q={q}") == ["refund-desk"]


def test_nothing_found_says_how_much_is_hidden(client: TestClient, add_trace: AddTrace) -> None:
    """A search without a result says what exists and how to get back."""
    add_trace()
    html = client.get("/?q=nowhere").text
    assert "No trace matches." in html
    assert "1 not shown" in html
    assert 'value="nowhere"' in html


def test_pages_of_25(client: TestClient, add_trace: AddTrace) -> None:
    """The list is paged, and each page says which part it is."""
    for _ in range(30):
        add_trace()
    assert len(names(client, "/")) == 25
    assert names(client, "/?page=2") == [f"run-{number}.sse" for number in (5, 4, 3, 2, 1)]
    assert "1–25 of 30 shown" in client.get("/").text
    assert names(client, "/?page=99") == []


def test_the_list_alone_for_a_search_while_typing(client: TestClient, add_trace: AddTrace) -> None:
    """htmx gets the list without the page around it; Back gets the whole page."""
    add_trace(name="only")
    part = client.get("/", headers={"HX-Request": "true"})
    assert Names(part.text).found == ["only"]
    assert "<html" not in part.text
    assert part.text.strip() in client.get("/").text
    assert "HX-Request" in part.headers["vary"]
    back = client.get("/", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert "<html" in back.text


def test_name_ticket_and_note_can_be_changed(client: TestClient, add_trace: AddTrace) -> None:
    """What was typed is kept, with the space around it taken away."""
    trace = add_trace()
    sent = {"name": "  refund   desk ", "ticket": " ACME-7 ", "note": "one\ntwo\n"}
    answer = client.post(f"/traces/{trace}/edit", data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?notice=saved")
    html = client.get(f"/traces/{trace}/edit").text
    assert 'value="refund desk"' in html
    assert 'value="ACME-7"' in html
    assert ">one\ntwo</textarea>" in html


def test_a_change_from_the_trace_leads_back_to_it(client: TestClient, add_trace: AddTrace) -> None:
    """One is not thrown out of the trace one was reading."""
    trace = add_trace()
    assert 'name="back" value="trace"' in client.get(f"/traces/{trace}/edit?back=trace").text
    answer = client.post(f"/traces/{trace}/edit", data={"name": "x", "back": "trace"})
    assert answer.headers["location"] == f"/traces/{trace}"
    answer = client.post(f"/traces/{trace}/edit", data={"name": "x", "back": "//evil.example"})
    assert answer.headers["location"] == "/?notice=saved"


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"name": "  "}, "needs a name"),
        ({}, "needs a name"),
        ({"name": "x" * 201}, "The name has 201 characters"),
        ({"name": "x", "ticket": "x" * 101}, "The ticket has 101"),
        ({"name": "x", "note": "x" * 20_001}, "The note has 20,001"),
    ],
)
def test_a_change_that_cannot_be_kept_is_refused_whole(
    client: TestClient, add_trace: AddTrace, sent: dict[str, str], why: str
) -> None:
    """Nothing is cut short in silence."""
    trace = add_trace(name="before")
    answer = client.post(f"/traces/{trace}/edit", data=sent)
    assert answer.status_code == 400
    assert why in answer.text
    assert names(client, "/") == ["before"]


def test_deleting_asks_first(client: TestClient, add_trace: AddTrace) -> None:
    """The link leads to a question; only its answer deletes, and only that trace."""
    keep, gone = add_trace(name="keep"), add_trace(name="gone")
    assert "Delete gone?" in client.get(f"/traces/{gone}/delete").text
    assert names(client, "/") == ["gone", "keep"]
    answer = client.post(f"/traces/{gone}/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?notice=deleted")
    assert names(client, "/?notice=deleted") == ["keep"]
    assert "is deleted" in client.get("/?notice=deleted").text
    assert client.get(f"/traces/{keep}/edit").status_code == 200


@pytest.mark.parametrize("path", ["/traces/none/edit", "/traces/none/delete"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_trace_that_is_not_there(client: TestClient, method: str, path: str) -> None:
    """A link to a deleted trace says so."""
    answer = client.request(method, path, data={"name": "x"} if method == "POST" else None)
    assert answer.status_code == 404
    assert "There is no such trace" in answer.text


def test_a_notice_cannot_be_made_up(client: TestClient, add_trace: AddTrace) -> None:
    """Only the notices we know are shown."""
    add_trace()
    assert "call this number" not in client.get("/?notice=call this number").text


def test_the_samples_can_be_loaded_again(client: TestClient) -> None:
    """After everything was deleted, the samples come back, once."""
    assert client.post("/samples").status_code == 303
    loaded = names(client, "/")
    assert len(loaded) >= 2
    client.post("/samples")
    assert names(client, "/") == loaded
