"""The Sequence panel on stored traces: its window, its links, its bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.streams import sse
from webapp.app import ROOT
from webapp.draw.sequence import count
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views.panels.sequence import ROWS, SequencePanel
from webapp.views.selection import Selection
from webapp.views.sequence_files import picture, text
from webapp.views.trace import build

SAMPLE = ROOT / "tests" / "samples" / "chunked-two-subagents.sse"
Show = Callable[..., SequencePanel]


@pytest.fixture
def show(database: Database, tmp_path: Path) -> Show:
    """Store bytes and build the panel as the page would."""

    def panel(data: bytes, **chosen: Any) -> SequencePanel:
        stored = ingest(database, [data], name="refund-desk", settings=load_settings(data_dir=tmp_path))
        with database.session() as session:
            trace = traces.get(session, stored.id)
            assert trace is not None
            view = build(session, trace, Selection("/traces/x", "sequence", **chosen))
            assert isinstance(view.panel, SequencePanel)
            return view.panel

    return panel


def messages(number: int) -> bytes:
    """Messages of START, one piece of text, END; every third has a CUSTOM inside, so it cannot fold."""
    events: list[dict[str, Any]] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    for n in range(number):
        events.append({"type": "TEXT_MESSAGE_START", "messageId": f"m{n}", "role": "assistant"})
        events.append({"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{n}", "delta": f"text {n}"})
        if n % 3 == 0:
            events.append({"type": "CUSTOM", "name": "tick", "value": n})
        events.append({"type": "TEXT_MESSAGE_END", "messageId": f"m{n}"})
    events.append({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
    return sse(*events)


def numbers(panel: SequencePanel) -> list[str]:
    return re.findall(r'aria-label="(#\d+)', panel.left)


def test_the_two_subagents_stream_is_told_as_it_happened(show: Show) -> None:
    """Folded message, burst of both lanes, the CUSTOM that ended a stream, the lost chunk, the rest."""
    panel = show(SAMPLE.read_bytes())
    assert numbers(panel)[:4] == ["#0", "#1", "#16", "#19"]
    for words in (
        "TEXT_MESSAGE START · CONTENT ×13 · END",
        "×184, 3.2 s, 820 B",
        "×144, 3.2 s, 732 B",
        "#351a END",
        "ends message 2",
        "message 2 cut short",
        "error shown",
        "The client stops. 59 more events never reached it.",
    ):
        assert words in panel.right
    assert panel.right.count('class="lost"') == 1
    assert "order-lookup" in panel.head_right
    assert "policy-reader" in panel.head_right
    assert "chunk expansion" in panel.head_right
    assert (panel.chunks, panel.stops) == (True, True)
    assert panel.earlier is panel.later is panel.away is None


def test_the_first_cause_is_chosen_and_the_rows_lead_to_their_events(show: Show) -> None:
    """Without a choice in the URL the panel opens at the refused event."""
    panel = show(SAMPLE.read_bytes())
    current = re.search(r'<a href="([^"]+)"[^>]*aria-current="true"', panel.left)
    assert current is not None
    assert current[1] == "/traces/x?panel=sequence&amp;event=352"
    assert "refused: a chunk without messageId" in panel.left
    assert panel.focus_y > 0


def test_a_repeat_is_not_told_in_the_words_of_the_first(show: Show) -> None:
    """They name the item of the first place, and the repeat is about another one: it leads back instead."""
    panel = show((ROOT / "webapp" / "samples" / "pydantic-parallel.sse").read_bytes())
    drawn = re.findall(r">([^<>]*(?:call_p0|the same as)[^<>]*)</text>", panel.right)
    assert [words for words in drawn if words.startswith("the same")] == ["the same as #6", "the same as #12"]
    assert sum("call_p0" in words for words in drawn) == 2  # at #6 and #12, and not at #9 and #13


def test_a_burst_unfolds(show: Show) -> None:
    """The frame's link and the toggle both show one row a record."""
    folded = show(SAMPLE.read_bytes())
    assert "event=23&amp;start=23&amp;fold=0" in folded.right
    assert folded.fold_href.endswith("event=352&fold=0")
    unfolded = show(SAMPLE.read_bytes(), event=23, start=23, fold=False)
    assert numbers(unfolded)[:3] == ["#23", "#24", "#25"]
    assert ">loop<" not in unfolded.right


def test_a_window_says_what_is_before_and_behind_it(show: Show) -> None:
    """Earlier and Later carry ranges and counts, and lead to windows that join without a gap."""
    data = messages(300)
    panel = show(data, event=500)
    shown = numbers(panel)
    assert len(shown) <= ROWS
    assert "#500" in panel.left
    assert panel.earlier is not None
    assert panel.later is not None
    first = int(shown[0][1:])
    assert panel.earlier.words == f"#0–{first - 1}, {first} more events"
    start = int(re.findall(r"start=(\d+)", panel.later.href)[0])
    behind = show(data, event=500, start=start)
    assert numbers(behind)[0] == f"#{start}"
    assert behind.away is not None
    assert behind.away.words == "#500 is not in this window"
    assert behind.earlier is not None
    assert behind.earlier.words.startswith(f"#0–{start - 1}, ")


def test_both_ends_of_a_trace_can_be_reached(show: Show) -> None:
    """The last window holds the last event, the first one the first."""
    data = messages(300)
    last = show(data, event=1001)
    assert numbers(last)[-1] == "#1001"
    assert last.later is None
    first = show(data, event=0)
    assert numbers(first)[0] == "#0"
    assert first.earlier is None


@pytest.mark.parametrize("event", [0, 500, 990])
def test_the_number_of_elements_is_bounded(show: Show, event: int) -> None:
    """Never more than about 1,500, wherever the window is."""
    panel = show(messages(300), event=event, fold=False)
    assert count(panel.head_left) + count(panel.head_right) + count(panel.left) + count(panel.right) <= 1500
    assert f"event={event}&amp;" in panel.left


def test_long_bursts_of_one_message_are_one_row(show: Show) -> None:
    """Storage cuts bursts; the reader need not know."""
    events: list[dict[str, Any]] = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    events.append({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"})
    events += [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a "} for _ in range(1300)]
    events.append({"type": "TEXT_MESSAGE_END", "messageId": "m"})
    events.append({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
    panel = show(sse(*events))
    assert "TEXT_MESSAGE START · CONTENT ×1,300 · END" in panel.right


def test_an_unreadable_recording_says_so(show: Show) -> None:
    """Nothing to draw is a sentence, not an empty picture."""
    panel = show(b"hello, this is not a stream\n")
    assert panel.empty == "This recording holds no record, so there is nothing to draw."


def test_markup_and_foreign_scripts_are_data(show: Show) -> None:
    """Texts in any script, an override and markup are escaped, isolated and cut."""
    panel = show(
        sse(
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "<script>alert(1)</script>"},
            {"type": "CUSTOM", "name": "\u202eمرحبا 환불 👍🏽" * 40, "value": 1},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "n", "delta": "\ud83d"},
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        )
    )
    drawn = panel.left + panel.right
    assert "<script>" not in drawn
    assert "\u202e" not in drawn
    assert "مرحبا" in drawn
    drawn.encode("utf-8")


def test_a_shared_page_keeps_to_its_own_addresses(database: Database, show: Show) -> None:
    """Its reader has no right to the trace's own: rows and downloads stay under the link."""
    assert show(SAMPLE.read_bytes()).svg.startswith("/traces/")
    with database.session() as session:
        trace, *_ = traces.list_traces(session)[0]
        view = build(session, trace, Selection("/s/token", "sequence"), shared=True)
        assert view.panel.svg.startswith("/s/token/sequence.svg?")
        assert view.panel.text.startswith("/s/token/sequence.mmd?")
        assert "/traces/" not in view.panel.left + view.panel.right


def test_downloads_hold_more_rows_than_the_page(database: Database, show: Show) -> None:
    """Up to 400 rows, as a picture and as Mermaid text."""
    show(messages(300), event=500)
    with database.session() as session:
        trace, *_ = traces.list_traces(session)[0]
        out = text(session, trace, Selection("/traces/x", event=500))
        assert out.startswith("sequenceDiagram\n  %% Sequence diagram of refund-desk")
        assert out.count("->>") > 2 * ROWS
        assert picture(session, trace, Selection("/traces/x", event=500)).startswith("<?xml")
