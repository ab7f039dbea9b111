"""The trace page: verdict, rows, inspector, scrubber, filters, windows, and what it costs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from webapp.ingest.upload import ingest
from webapp.settings import Settings
from webapp.storage.db import Database

Upload = Callable[..., str]
MAX_QUERIES = 34
MAX_NODES = 2_500

PARALLEL = [
    {"type": "RUN_STARTED", "threadId": "th", "runId": "run", "protocolVersion": "1.0"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "Checking two cities."},
    {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    {"type": "TOOL_CALL_START", "toolCallId": "p0", "toolCallName": "weather"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "p0", "delta": '{"ci'},
    {"type": "TOOL_CALL_END", "toolCallId": "p0"},
    {"type": "TOOL_CALL_START", "toolCallId": "p1", "toolCallName": "weather"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "p0", "delta": 'ty":"Oslo"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "p1"},
    {"type": "TOOL_CALL_RESULT", "messageId": "r0", "toolCallId": "p0", "content": "Sunny"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m2", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": "It is sunny."},
    {"type": "TEXT_MESSAGE_END", "messageId": "m2"},
    {"type": "RUN_FINISHED", "threadId": "th", "runId": "run"},
]


def long_stream(messages: int, pieces: int = 20) -> list[dict[str, object]]:
    """A conformant run of many messages, each in many pieces, with a tool call between."""
    out: list[dict[str, object]] = [PARALLEL[0]]
    for number in range(messages):
        out.append({"type": "TEXT_MESSAGE_START", "messageId": f"m{number}", "role": "assistant"})
        out += [
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{number}", "delta": f" w{number}-{piece}"}
            for piece in range(pieces)
        ]
        out.append({"type": "TEXT_MESSAGE_END", "messageId": f"m{number}"})
    return [*out, PARALLEL[-1]]


@pytest.fixture
def upload(database: Database, settings: Settings) -> Upload:
    """Store a stream given as events or bytes; returns the trace's id."""

    def store(stream: list[dict[str, object]] | bytes, name: str = "bot.ndjson") -> str:
        body = stream if isinstance(stream, bytes) else "\n".join(map(json.dumps, stream)).encode()
        return ingest(database, [body], name=name, settings=settings).id

    return store


@pytest.fixture
def queries(database: Database) -> Iterator[list[str]]:
    """The statements sent since the list was last cleared."""
    sent: list[str] = []

    def note(_c: object, _k: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield sent
    event.remove(database.engine, "before_cursor_execute", note)


def nodes(html: str) -> int:
    return len(re.findall(r"<[a-zA-Z]", html))


def text_of(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)))


def row(html: str, number: str) -> str:
    found = re.search(rf'<tr id="e{number}".*?</tr>', html, re.S)
    assert found, f"no row {number}"
    return found[0]


def test_the_page_opens_on_the_first_cause(client: TestClient, upload: Upload) -> None:
    """The verdict, the sentence, the selected row and the inspector speak of the same event."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    assert "<title>✖ Rejected at #8 · bot.ndjson · Lanescope</title>" in html
    assert "/favicon/rejected.svg" in html
    assert "A client stops at #8: " in text_of(html)
    assert 'aria-selected="true"' in row(html, "8")
    assert html.count('aria-selected="true"') == 1
    assert 'aria-label="Event 8"' in html


def test_a_stop_line_stands_under_the_refused_row_and_the_rest_is_faded(
    client: TestClient, upload: Upload
) -> None:
    """What never reached the application is told apart from what did."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    assert html.index('<tr id="e8"') < html.index('id="stop"') < html.index('<tr id="e9"')
    assert "The next 6 events were sent; none reached the application." in html
    assert "gone" in row(html, "9")
    assert "gone" not in row(html, "7")
    assert "not open since #6" in row(html, "8")


def test_the_four_facts_are_told(client: TestClient, upload: Upload) -> None:
    """Whose side, what was seen, what to change, how many findings."""
    text = text_of(client.get(f"/traces/{upload(PARALLEL)}").text)
    assert "Agent’s side." in text
    assert "1 of 2 messages, “Checking two cities.”, then an error." in text
    assert "12 characters of text never appeared" in text
    assert "What to change" in text


def test_the_steps_of_the_inspector_say_where_they_lead(client: TestClient, upload: Upload) -> None:
    """For the eye and for the ear, with the key; one that leads nowhere says so."""
    trace = upload(PARALLEL)
    page = client.get(f"/traces/{trace}?event=0").text
    assert 'title="No finding before this one"' in page
    title = re.search(r'aria-label="(Next finding, #\d+)" title="([^"]*)" data-go="n"', page)
    assert title is not None
    assert title[2] == f"{title[1]} (key n)"


def test_the_card_draws_the_life_of_the_item(client: TestClient, upload: Upload) -> None:
    """Opened, closed by its own END, then the fault, with links."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    assert 'aria-label="Life of p0: opens at 4, 2 pieces, its own END at 6, arguments at 8' in html


def test_the_fragment_is_the_view_of_the_page(client: TestClient, upload: Upload) -> None:
    """What htmx swaps is what a reload shows."""
    trace = upload(PARALLEL)
    page = client.get(f"/traces/{trace}?event=5").text
    fragment = client.get(f"/traces/{trace}/events?event=5", headers={"HX-Request": "true"}).text
    assert fragment.lstrip().startswith('<div id="view"')
    assert fragment.strip() in page


@pytest.mark.parametrize("path", ["nosuchtrace1", "nosuchtrace1/events", "nosuchtrace1/original"])
def test_an_unknown_trace_is_said_to_be_missing(client: TestClient, path: str) -> None:
    """One sentence, no stack trace."""
    answer = client.get(f"/traces/{path}")
    assert answer.status_code == 404
    assert "There is no such trace" in answer.text


def test_an_event_that_is_not_there_gives_the_nearest_and_says_so(client: TestClient, upload: Upload) -> None:
    """A link is never answered with silence."""
    html = client.get(f"/traces/{upload(PARALLEL)}?event=99").text
    assert "There is no event #99; this is the nearest, #14." in text_of(html)
    assert 'aria-selected="true"' in row(html, "14")


@pytest.mark.databases("sqlite")  # what is refused before it gets there
@pytest.mark.parametrize(
    "query", ["event=abc", "start=-4", "panel=nothing", "a=nan", "fold=x&hits=yes", "q=%00"]
)
def test_a_query_that_cannot_be_read_loses_nothing(client: TestClient, upload: Upload, query: str) -> None:
    """Bad input is ignored."""
    assert client.get(f"/traces/{upload(PARALLEL)}?{query}").status_code == 200


def test_a_filter_shows_what_matches_and_counts_the_rest(client: TestClient, upload: Upload) -> None:
    """The box's words are parsed, and what is hidden is always written."""
    html = client.get(f"/traces/{upload(PARALLEL)}?q=type:args+item:p0").text
    assert re.findall(r'<tr id="e(\d+)"', html) == ["5", "8"]
    assert "2 of 15 match, 13 not shown" in html
    assert 'value="type:args item:p0"' in html


def test_a_link_behind_a_filter_clears_it_and_says_so(client: TestClient, upload: Upload) -> None:
    """The link wins, and the filter can be put back."""
    trace = upload(PARALLEL)
    html = client.get(f"/traces/{trace}?event=1&type=args").text
    assert "The filter type:args hid #1. It was cleared, because a link led there." in text_of(html)
    assert f'href="/traces/{trace}?type=args">Put it back' in html
    assert len(re.findall(r'<tr id="e\d+"', html)) == 15


def test_findings_only_shows_rows_with_a_mark(client: TestClient, upload: Upload) -> None:
    """Each row left has a finding."""
    html = client.get(f"/traces/{upload(PARALLEL)}?hits=1").text
    seqs = re.findall(r'<tr id="e(\d+)"', html)
    assert "8" in seqs
    assert len(seqs) < 15
    assert all('use href="#i-' in row(html, seq) for seq in seqs)


def test_a_filter_without_a_match_says_what_to_do(client: TestClient, upload: Upload) -> None:
    """An empty list is explained."""
    text = text_of(client.get(f"/traces/{upload(PARALLEL)}?q=zzz").text)
    assert "No event matches zzz." in text
    assert "15 events not shown." in text
    assert "Clear the filter" in text


def test_a_burst_is_one_row_until_it_is_unfolded(client: TestClient, upload: Upload) -> None:
    """A folded row names its range; its link opens it."""
    trace = upload(long_stream(2))
    html = client.get(f"/traces/{trace}").text
    folded = row(html, "2")
    assert "#2–21 ×20" in folded
    assert f'href="/traces/{trace}?event=2&amp;fold=0"' in folded.replace("start=2&amp;", "")
    assert '<tr id="e3"' not in html
    assert '<tr id="e3"' in client.get(f"/traces/{trace}?fold=0").text


def test_an_event_inside_a_fold_selects_the_fold(client: TestClient, upload: Upload) -> None:
    """The inspector shows the record, the list the row that stands for it."""
    html = client.get(f"/traces/{upload(long_stream(2))}?event=9").text
    assert 'aria-selected="true"' in row(html, "2")
    assert 'aria-label="Event 9"' in html


def test_derived_events_stand_before_the_chunk_that_caused_them(client: TestClient, upload: Upload) -> None:
    """#1a START, then the chunk; the END before the run's end."""
    chunks = [
        PARALLEL[0],
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "role": "assistant", "delta": "Hi"},
        PARALLEL[-1],
    ]
    html = client.get(f"/traces/{upload(chunks)}").text
    order = [html.index(f'<tr id="e{number}"') for number in ("0", "1a", "1", "2a", "2")]
    assert order == sorted(order)
    assert "derived" in row(html, "1a")
    assert "message 1" in row(html, "2a")


def test_the_window_moves_by_links_at_both_ends(client: TestClient, upload: Upload) -> None:
    """Every record can be reached through Later, and the first through Earlier."""
    trace = upload(long_stream(40))
    seen: set[str] = set()
    url: str | None = f"/traces/{trace}?event=0&fold=0&start=0"
    for _ in range(40):
        if url is None:
            break
        html = client.get(url).text
        seen |= set(re.findall(r'<tr id="e(\d+)"', html))
        assert nodes(html) < MAX_NODES
        later = re.search(r'id="later" href="([^"]+)"', html)
        url = unescape(later[1]) if later else None
    assert url is None
    assert len(seen) == 40 * 22 + 2
    last = client.get(f"/traces/{trace}?event=881&fold=0").text
    assert 'id="earlier"' in last
    assert 'id="later"' not in last
    assert "not shown" in last


@pytest.mark.parametrize(
    "query", ["", "?event=10", "?event=870", "?event=870&fold=0", "?hits=1", "?type=args"]
)
def test_queries_and_elements_do_not_grow_with_the_trace(
    client: TestClient, upload: Upload, queries: list[str], query: str
) -> None:
    """The number of statements has a bound, whatever is chosen; so have the page's elements."""
    late = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m3", "delta": "late"}
    trace = upload([*long_stream(40)[:-1], *[late] * 50, PARALLEL[-1]])
    queries.clear()
    html = client.get(f"/traces/{trace}{query}").text
    assert 0 < len(queries) <= MAX_QUERIES
    assert nodes(html) < MAX_NODES


def test_many_open_items_stay_under_the_limit_of_elements(client: TestClient, upload: Upload) -> None:
    """Nine open items of three kinds are six lines and a count; the window gets shorter instead of heavier."""
    opened: list[dict[str, object]] = [PARALLEL[0]]
    for number in range(3):
        opened += [
            {"type": "STEP_STARTED", "stepName": f"s{number}"},
            {"type": "TOOL_CALL_START", "toolCallId": f"c{number}", "toolCallName": "t"},
            {"type": "TEXT_MESSAGE_START", "messageId": f"m{number}", "role": "assistant"},
        ]
    bodies = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{n % 3}", "delta": f"é{n}"}
        if n % 2
        else {"type": "TOOL_CALL_ARGS", "toolCallId": f"c{n % 3}", "delta": "{"}
        for n in range(300)
    ]
    html = client.get(f"/traces/{upload([*opened, *bodies])}?fold=0&event=150").text
    assert "+3<" in html
    assert 'aria-selected="true"' in row(html, "150")
    assert nodes(html) < MAX_NODES


def test_nothing_readable_has_no_verdicts_colour_and_says_how_to_capture(
    client: TestClient, upload: Upload
) -> None:
    """Unchecked is never shown as a pass."""
    html = client.get(f"/traces/{upload(b'<html>login</html>')}").text
    assert "No event could be read, so nothing was checked." in html
    assert 'class="banner none"' in html
    assert "curl -N" in html
    assert "◌ Unchecked" in html


def test_a_conformant_trace_says_what_was_checked(client: TestClient, upload: Upload) -> None:
    """Green names its ground."""
    html = client.get(f"/traces/{upload(long_stream(3))}").text
    assert "Nothing wrong in 68 events." in html
    assert 'class="banner ok"' in html


def test_hostile_content_is_data(client: TestClient, upload: Upload) -> None:
    """Markup, NUL, halves of pairs, long lines and deep nesting are shown and break nothing."""
    bad = "<img src=x onerror=alert(1)>\"'`#5`"
    stream = [
        {"type": "RUN_STARTED", "threadId": bad, "runId": "\x00"},
        {"type": "TEXT_MESSAGE_START", "messageId": bad, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": bad, "delta": "\ud83d"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": bad + "x", "delta": bad},
        {"type": "CUSTOM", "name": bad, "value": "x" * 500_000},
        {"type": "CUSTOM", "name": "deep", "value": json.loads("[" * 90 + "]" * 90)},
        {"type": bad},
    ]
    trace = upload(stream, name=f"{bad}.ndjson")
    for number in range(7):
        html = client.get(f"/traces/{trace}?event={number}").text
        assert "<img" not in html
        assert "onerror=alert(1)>" not in html
        assert len(html) < 120_000


def test_the_page_obeys_its_own_content_policy(client: TestClient, upload: Upload) -> None:
    """No inline style, no inline script, no handler attributes, in drawings neither."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    assert " style=" not in html
    assert not re.search(r"\son[a-z]+=", html)
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)
    assert "hx-on" not in html


def test_the_original_comes_back_byte_for_byte(client: TestClient, upload: Upload) -> None:
    """As a download under its own name, not opened by the browser."""
    body = "\r\n".join(map(json.dumps, PARALLEL)).encode() + b"\n\xff\x00"
    trace = upload(body, name='späte "läufe".ndjson')
    answer = client.get(f"/traces/{trace}/original")
    assert answer.content == body
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith('attachment; filename="sp_te _l_ufe_.ndjson"')
    assert "filename*=UTF-8''sp%C3%A4te" in answer.headers["content-disposition"]


def test_tabs_carry_the_worst_severity_with_its_own_count(client: TestClient, upload: Upload) -> None:
    """A tab without a mark has no finding."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    tabs = re.search(r'<nav class="tabs".*?</nav>', html, re.S)
    assert tabs is not None
    assert 'class="hit fatal"' in tabs[0]
    clean = client.get(f"/traces/{upload(long_stream(1))}").text
    tabs = re.search(r'<nav class="tabs".*?</nav>', clean, re.S)
    assert tabs is not None
    assert 'class="hit' not in tabs[0]


def test_the_track_is_solid_to_the_stop_and_dashed_after(client: TestClient, upload: Upload) -> None:
    """Findings hang above, the cursor stands below."""
    html = client.get(f"/traces/{upload(PARALLEL)}").text
    track = re.search(r"data-track.*?</svg>", html, re.S)
    assert track is not None
    assert "the client stops at 8" in track[0]
    assert 'stroke-dasharray="3 3"' in track[0]
    assert "s-c fatal" in track[0]
