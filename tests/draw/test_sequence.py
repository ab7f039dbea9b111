"""The sequence diagram: which arrows a record has, what folds, and what never does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from webapp.core.records import AFTER, DROPPED, REFUSED
from webapp.draw.mermaid import mermaid
from webapp.draw.sequence import cost, count, draw
from webapp.draw.sequence_file import standalone
from webapp.draw.sequence_lanes import lifelines, nested
from webapp.draw.sequence_model import (
    Burst,
    Diagram,
    Entry,
    Fact,
    ItemFact,
    LaneFact,
    Part,
    Row,
)
from webapp.draw.sequence_rows import Composer

PARENT = LaneFact(0, "")
LANES = [
    PARENT,
    LaneFact(1, "order-lookup", "sub-a", 0, 19, 60, 19, 58),
    LaneFact(2, "policy-reader", "sub-b", 0, 20),
]
M1 = ItemFact(0, "text", "m-0", 1)
M2 = ItemFact(2, "text", "m-a", 2, chunked=True)
M3 = ItemFact(3, "text", "m-b", 3, chunked=True)
CALL = ItemFact(1, "tool", "call-1", 1, "delegate")
START = Fact(1, "TEXT_MESSAGE_START", item=M1, change="opened", seconds=0.04)
GROWTH = Burst(2, 14, (Part(M1, 0, 13, 62, 0.5),), 0.08)
END = Fact(15, "TEXT_MESSAGE_END", item=M1, change="closed", seconds=0.58)
REFUSED_CHUNK = Fact(
    52,
    "TEXT_MESSAGE_CHUNK",
    1,
    4.17,
    REFUSED,
    text="refund",
    severity="fatal",
    fault="first chunk without an id",
    in_expansion=True,
)


def diagram(
    entries: Sequence[Entry],
    lanes: Sequence[LaneFact] = LANES,
    chunks: bool = True,
    selected: int | None = None,
    rejected_at: int | None = None,
    never: int = 0,
) -> Diagram:
    speaking = {e.lane for e in entries if isinstance(e, Fact)}
    heads, columns = lifelines(lanes, speaking, chunks)
    rows = Composer(lanes, columns).rows(entries, never)
    return Diagram(tuple(heads), tuple(rows), selected, rejected_at, "refund-desk")


def svg_of(shown: Diagram) -> str:
    out = draw(
        shown, lambda row: f"/t?event={row.first}", lambda row: f"/t?fold=0&start={row.first}", "a picture"
    )
    return f"{out.head_left}{out.head_right}{out.left}{out.right}"


def columns_of(row: Row) -> list[tuple[int, int, str]]:
    return [(a.a, a.b, a.style) for line in row.lines for a in line.arrows]


def test_an_explicit_event_goes_straight_from_its_lane_to_the_client() -> None:
    """Columns: parent 0, two subagents, expansion 3, client 4, screen 5."""
    rows = diagram([Fact(0, "RUN_STARTED"), Fact(3, "STEP_STARTED", 2, detail="think")]).rows
    assert [columns_of(row) for row in rows] == [[(0, 4, "solid")], [(2, 4, "solid")]]


def test_a_chunk_ends_at_the_expansion_stage_and_what_it_becomes_is_dashed() -> None:
    """Received and derived are told apart: the derived arrow leaves from the stage."""
    row = diagram([Fact(21, "TEXT_MESSAGE_CHUNK", 1, item=M2, synth=(("start", M2), ("grew", M2)))]).rows[0]
    assert columns_of(row) == [(1, 3, "solid"), (3, 4, "derived")]
    assert row.lines[0].arrows[1].name == "START · CONTENT"
    assert row.lines[0].pill == "message 2 appears"
    assert 'class="ar dash"' in svg_of(diagram([Fact(21, "TEXT_MESSAGE_CHUNK", 1, synth=(("grew", M2),))]))


def test_an_event_that_ends_a_chunk_stream_shows_the_derived_end_with_its_number() -> None:
    """`#51a END` stands before the event goes on to the client."""
    row = diagram([Fact(51, "CUSTOM", 1, synth=(("end", M2),), detail="progress", culprit=True)]).rows[0]
    assert columns_of(row) == [(1, 3, "solid"), (3, 4, "derived"), (3, 4, "solid")]
    assert row.lines[0].arrows[1].name == "#51a END"
    assert row.lines[0].arrows[0].note == "ends message 2"
    assert row.lines[0].pill == "message 2 cut short"


def test_a_refused_chunk_is_lost_before_the_expansion_stage() -> None:
    """The arrow ends in ✖, the user sees an error, and the diagram says where the client stops."""
    shown = diagram([REFUSED_CHUNK, Fact(53, "RUN_FINISHED", reached=AFTER)], rejected_at=52, never=59)
    lost, stop, after = shown.rows
    assert columns_of(lost) == [(1, 3, "lost")]
    assert lost.lines[0].pill == "error shown"
    assert stop.text == "The client stops. 59 more events never reached it."
    assert after.gone
    picture = svg_of(shown)
    assert 'class="lost"' in picture
    assert picture.index("error shown") < picture.index("The client stops.") < picture.rindex("RUN_FINISHED")


def test_a_refused_event_of_another_kind_reaches_for_the_client() -> None:
    """An END that was derived for it was still delivered, and stands before it."""
    fact = Fact(
        9, "TOOL_CALL_ARGS", 1, reached=REFUSED, severity="fatal", fault="not open", synth=(("end", M2),)
    )
    assert columns_of(diagram([fact]).rows[0]) == [(3, 4, "derived"), (1, 4, "lost")]


def test_what_follows_a_rejection_has_no_effect_on_the_screen() -> None:
    """Nothing after the stop reached the user: no derived arrow, no pill."""
    chunk = Fact(60, "TEXT_MESSAGE_CHUNK", 2, reached=AFTER, item=M3, synth=(("grew", M3),))
    burst = Burst(61, 99, (Part(M3, 2, 39, 300, 1.0, AFTER),))
    for row in diagram([chunk, burst]).rows:
        assert row.gone
        assert len(columns_of(row)) == 1
        assert not row.lines[0].pill


def test_a_burst_folds_to_one_arrow_an_item_in_a_loop_frame() -> None:
    """How many, how long, how much; the frame leads to the unfolded window."""
    burst = Burst(23, 350, (Part(M3, 2, 144, 900, 3.2), Part(M2, 1, 184, 1104, 3.2)), 0.97)
    shown = diagram([burst])
    row = shown.rows[0]
    assert row.shape == "loop"
    assert [line.arrows[0].detail for line in row.lines] == ["×184, 3.2 s, 1.1 kB", "×144, 3.2 s, 900 B"]
    assert [line.pill for line in row.lines] == ["message 2 grows", "message 3 grows"]
    picture = svg_of(shown)
    assert ">loop<" in picture
    assert 'href="/t?fold=0&amp;start=23"' in picture


def test_what_came_for_a_removed_message_does_not_grow_it() -> None:
    """The row names the message and that it is not there; nothing of it is on the user's screen."""
    removed = replace(M1, away=True)
    events: list[Entry] = [
        Fact(11, "TEXT_MESSAGE_CONTENT", item=removed, change="grew", text="Here"),
        Burst(12, 20, (Part(removed, 0, 9, 40), Part(M3, 2, 5, 30))),
        Fact(21, "TEXT_MESSAGE_END", item=removed, change="closed"),
        Fact(22, "CUSTOM", synth=(("end", replace(M2, away=True)),)),
    ]
    rows = diagram(events).rows
    assert [[line.pill for line in row.lines] for row in rows] == [
        [""],
        ["", "message 3 grows"],
        [""],
        ["", ""],
    ]
    assert "TEXT_MESSAGE_CONTENT message 1 (removed) “Here”" in rows[0].sentence
    assert "message 1 (removed) does not grow, ×9" in rows[1].sentence
    assert "message 3 grows, ×5" in rows[1].sentence
    assert rows[1].lines[0].arrows[0].extra == "message 1 (removed)"


def test_a_whole_message_with_nothing_between_is_one_arrow() -> None:
    """START · CONTENT ×13 · END, and it is complete on the screen."""
    row = diagram([START, GROWTH, END]).rows[0]
    assert (row.first, row.last) == (1, 15)
    assert row.lines[0].arrows[0].name == "TEXT_MESSAGE START · CONTENT ×13 · END"
    assert row.lines[0].pill == "message 1 complete"


def test_a_whole_call_folds_too() -> None:
    """Its growth is called ARGS."""
    parts = [
        Fact(16, "TOOL_CALL_START", item=CALL, change="opened"),
        Fact(17, "TOOL_CALL_ARGS", item=CALL, change="grew", text="{}"),
        Fact(18, "TOOL_CALL_END", item=CALL, change="closed"),
    ]
    assert diagram(parts).rows[0].lines[0].arrows[0].name == "TOOL_CALL START · ARGS ×1 · END"


@pytest.mark.parametrize(
    "between",
    [
        Fact(14, "TEXT_MESSAGE_CONTENT", item=M1, change="grew", severity="warning", fault="empty"),
        Fact(14, "CUSTOM", detail="progress"),
        Burst(14, 14, (Part(CALL, 0, 2, 2),)),
    ],
)
def test_a_message_with_a_finding_or_something_between_does_not_fold(between: Entry) -> None:
    """A violation pin never folds away."""
    rows = diagram([START, between, END]).rows
    assert [row.first for row in rows] == [1, 14, 15]


def test_findings_keep_their_mark_and_their_words() -> None:
    """The sign stands at the row's number, the title under its arrow."""
    shown = diagram([Fact(7, "TOOL_CALL_START", item=CALL, severity="warning", fault="no such parent")])
    picture = svg_of(shown)
    assert 'class="f-warning"' in picture
    assert "no such parent" in picture


def test_a_subagent_starts_from_its_parent_and_comes_back_to_it() -> None:
    """Its lifeline is dotted before, tinted from start to end."""
    shown = diagram(
        [Fact(0, "RUN_STARTED"), Fact(19, "SUBAGENT_STARTED", 1), Fact(58, "SUBAGENT_FINISHED", 1)]
    )
    assert [columns_of(row) for row in shown.rows[1:]] == [[(0, 1, "solid")], [(1, 0, "solid")]]
    picture = svg_of(shown)
    tint = re.search(r'<rect x="[\d.]+" y="(\d+)" width="118" height="(\d+)" class="lane"/>', picture)
    assert tint is not None
    assert (int(tint[1]), int(tint[2])) == (56, 31)
    assert 'class="life dots"' in picture


def test_a_dropped_event_says_so() -> None:
    """An unknown type is stripped by the client; nothing appears."""
    row = diagram([Fact(4, "SHINY_NEW", reached=DROPPED)]).rows[0]
    assert row.lines[0].arrows[0].note == "ignored by the client"
    assert "ignored by the client" in row.sentence


def test_rows_are_links_with_a_sentence_and_the_chosen_one_is_current() -> None:
    """The labels are the links of a keyboard and a screen reader; the track is a picture."""
    picture = svg_of(diagram([Fact(0, "RUN_STARTED"), REFUSED_CHUNK], selected=52, rejected_at=52))
    current = re.search(r"<a [^>]*aria-current[^>]*>", picture)
    assert current is not None
    assert 'href="/t?event=52"' in current[0]
    assert (
        "#52 order-lookup to client, TEXT_MESSAGE_CHUNK “refund”, refused: first chunk without an id"
        in current[0]
    )
    assert 'class="selrow"' in picture
    assert 'aria-label="a picture"' in picture


def test_lanes_are_nested_and_the_parent_comes_first() -> None:
    """A subagent stands beside the one that started it; a lost or circular parent loses nobody."""
    lanes = [
        PARENT,
        LaneFact(1, "a", "a", 0),
        LaneFact(2, "b", "b", 0),
        LaneFact(3, "a1", "a1", 1),
        LaneFact(4, "x", "x", 9),
    ]
    assert [lane.name for lane in nested(lanes)] == ["", "a", "a1", "b", "x"]
    ring = [PARENT, LaneFact(1, "a", "a", 2), LaneFact(2, "b", "b", 1)]
    assert {lane.ord for lane in nested(ring)} == {0, 1, 2}


def test_many_lanes_share_one_lifeline() -> None:
    """Lanes that say nothing in the window stand under `+N lanes`; whoever speaks is drawn."""
    lanes = [PARENT, *(LaneFact(n, f"worker-{n}", f"w{n}", 0) for n in range(1, 31))]
    heads, columns = lifelines(lanes, {0, 29}, False)
    assert [head.name for head in heads] == ["parent", "worker-29", "+29 lanes", "Client", "User’s screen"]
    assert columns.of(29) == 1
    assert columns.of(7) == 2


def test_texts_of_a_trace_are_escaped_and_cut() -> None:
    """Markup, a right-to-left override and a very long name are data."""
    nasty = Fact(1, "CUSTOM", detail="<img src=x onerror=alert(1)>\u202e" + "long" * 400)
    lanes = [LaneFact(0, "<b>agent</b>" * 20)]
    picture = svg_of(diagram([nasty], lanes))
    assert "<img" not in picture
    assert "<b>" not in picture
    assert "\u202e" not in picture
    longest = max(len(found) for found in re.findall(r"<text[^>]*>(.*?)</text>", picture))
    assert longest < 200


def test_the_estimate_of_a_rows_marks_is_never_too_low() -> None:
    """The window is cut by the estimate, so the page's limit holds."""
    entries: list[Entry] = [
        START,
        GROWTH,
        END,
        Fact(51, "CUSTOM", 1, 1.0, synth=(("end", M2),), severity="error", fault="x"),
    ]
    entries += [
        REFUSED_CHUNK,
        Burst(60, 99, tuple(Part(ItemFact(n, "text", "m", n), 0, 2, 9, 1.0) for n in range(9))),
    ]
    shown = diagram(entries)
    empty = Diagram(shown.lifelines, (), None)
    drawn, ground = (draw(d, lambda r: "/t", lambda r: "/t", "x") for d in (shown, empty))
    marks = sum(count(part) for part in (drawn.left, drawn.right)) - count(ground.left) - count(ground.right)
    assert marks <= sum(cost(row) for row in shown.rows) + 2 * len(shown.lifelines)


def test_a_download_is_a_picture_of_its_own() -> None:
    """Well-formed, with its style sheet and without links that would lead nowhere."""
    picture = str(
        standalone(diagram([START, GROWTH, END, REFUSED_CHUNK], rejected_at=52, never=3), "a picture")
    )
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}style") is not None
    assert "href" not in picture
    assert "style=" not in picture


def test_mermaid_text_says_the_same() -> None:
    """Lost messages are `-x`, derived ones dashed, bursts loops; Mermaid's own signs become entities."""
    burst = Burst(23, 50, (Part(M2, 1, 27, 100, 1.0),))
    custom = Fact(51, "CUSTOM", 1, detail="a;b#c", synth=(("end", M2),))
    out = mermaid(diagram([burst, custom, REFUSED_CHUNK], rejected_at=52, never=0), "window")
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0] == "sequenceDiagram"
    assert "loop #35;23–50" in lines
    assert "P1->>P3: #35;51 CUSTOM a#59;b#35;c (ends message 2)" in lines
    assert "P3-->>P4: #35;51a END" in lines
    assert "P1-xP3: #35;52 TEXT_MESSAGE_CHUNK “refund”" in lines
    assert "Note over P4: The client stops. Nothing came after it." in lines


def test_a_diagram_without_times_has_no_time_column() -> None:
    """No clock in the recording: nothing is invented."""
    assert "since #0" not in svg_of(diagram([Fact(0, "RUN_STARTED")]))
    assert "since #0" in svg_of(diagram([Fact(0, "RUN_STARTED", seconds=0.0)]))
