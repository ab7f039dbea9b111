"""The Exchanges panel: what each call says, how texts are compared with the screen, filters and bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.views.teams.conftest import Open, Tell, words
from webapp.views.panels.events import ELEMENTS, ROWS

BREAKS = """
+0.0 streaming 1 "The report lists 12 items [doc1" -> 201 S
+1.7 streaming 2 "The report lists 12 items [1] and 7 " @S -> E403-PREFIX
"""
MIXED = """
+0.0 inbound "How many?" -> none
+0.5 typing -> 201 T
+1.0 informative 1 "Looking…" -> 201 A
+2.6 streaming 2 "You have" @A -> 202
+4.2 streaming 3 "You have 12" @A -> lost
+5.9 streaming 3 "You have 12" @A -> 202
+7.5 final "You have 12 days." @A -> 202
+9.0 message "Anything else?" -> 201 M
+20.0 informative 1 "Again…" {"replyToId": "r2"} -> 201 B
+21.6 streaming 2 "Then" @B {"replyToId": "r2"} -> E403-STOP
"""
HOSTILE = """
+0.0 informative 1 "<script>alert(1)</script>" {"from": {"name": "<img src=x onerror=alert(2)>"}} -> 201 S
+1.6 streaming 2 "\\u202e<b>{{ 7*7 }}</b>\\ud83d" @S -> 202
+3.2 streaming 3 "<i>other" @S -> 403 {"error": {"code": "<u>", "message": "<script>alert(3)</script>"}}
"""


def rows(panel: Any) -> list[tuple[str, str, str, str, str]]:
    return [(row.stream, row.kind, row.text.kept + row.text.new, row.answer, row.gap) for row in panel.rows]


def test_a_row_is_one_call_with_its_answer(tell: Tell, look: Open) -> None:
    """Stream, kind with its number, text, answer and the time since the one before."""
    panel = look(tell(MIXED)).panel
    assert [(row.stream, row.kind, row.answer, row.answer_cls) for row in panel.rows] == [
        ("chat", "user", "not recorded", "unsaid"),
        ("chat", "typing sign", "201", "yes"),
        ("stream 1", "status line 1", "201", "yes"),
        ("stream 1", "chunk 2", "202", "yes"),
        ("stream 1", "chunk 3", "no answer", "again"),
        ("stream 1", "chunk 3", "202", "yes"),
        ("stream 1", "final", "202", "yes"),
        ("chat", "message", "201", "yes"),
        ("stream 2", "status line 1", "201", "yes"),
        ("stream 2", "chunk 2", "403 canceled by user", "stop"),
    ]
    assert panel.shown == "all 10 shown"


def test_the_new_part_is_told_from_what_stands(tell: Tell, look: Open) -> None:
    """A chunk is compared with what was shown: the lost one before it changed nothing."""
    by = {row.seq: row.text for row in look(tell(MIXED)).panel.rows}
    assert (by[3].kept, by[3].new) == ("", "You have")
    assert (by[4].kept, by[4].new, by[4].breaks) == ("You have", " 12", False)
    assert (by[5].kept, by[5].new) == ("You have", " 12")
    assert (by[6].kept, by[6].new) == ("You have 12", " days.")


def test_the_first_difference_is_shown_where_a_text_does_not_extend(
    tell: Tell, page: Any, look: Open
) -> None:
    """What is on screen is struck out, what was sent stands beside it, and the place is told."""
    id_ = tell(BREAKS)
    text = look(id_).panel.rows[1].text
    assert (text.lost, text.new, text.words) == ("doc1", "1] and 7 ", "differs at character 28")
    html = page(id_)
    assert "<del>doc1</del><ins>1] and 7 </ins>" in html
    assert "Teams refuses here" in html


def test_an_edit_that_shortens_the_text_is_no_break(tell: Tell, look: Open) -> None:
    """A plain edit may say anything."""
    script = """
    +0.0 streaming 1 "The answer is 42. " -> 201 S
    +130 streaming 2 "The answer is 42. So" @S -> E403-TIME
    +131 edit "The answer is 42." @S -> 200
    """
    text = look(tell(script)).panel.rows[2].text
    assert (text.say, text.new, text.breaks) == ("now reads:", "The answer is 42.", False)


def test_the_box_filters_by_kind_and_stream(tell: Tell, look: Open) -> None:
    """`kind:` takes the page's words and the wire's, `stream:` a number, an id or `chat`."""
    id_ = tell(MIXED)

    def seqs(q: str) -> list[int]:
        return [row.seq for row in look(id_, q=q).panel.rows]

    assert seqs("kind:chunk") == [3, 4, 5, 9]
    assert seqs("kind:streaming stream:2") == [9]
    assert seqs("kind:status") == [2, 8]
    assert seqs('stream:"stream 2"') == seqs("stream:B") == seqs("stream:2") == [8, 9]
    assert seqs("stream:chat") == [0, 1, 7]
    assert seqs("days") == [6]
    assert seqs("stream:99") == []
    view = look(id_, q="kind:chunk stream:1")
    assert view.panel.box == "kind:chunk stream:1"
    assert view.panel.shown == "3 of 10 match, 7 not shown"
    assert look(id_, q="kind:nothing").panel.empty == "No exchange matches kind:nothing."


def test_a_filtered_row_is_still_compared_with_the_screen(tell: Tell, look: Open) -> None:
    """What stands before it is looked up, not taken from the row above."""
    rows_ = look(tell(MIXED), q="kind:final").panel.rows
    assert [(row.text.kept, row.text.new, row.gap) for row in rows_] == [("You have 12", " days.", "+1.60 s")]


def test_without_answers_nothing_is_said_of_them(tell: Tell, look: Open) -> None:
    """Bare activities: no answer is recorded, and what would be refused is told as that."""
    script = """
    +0.0 streaming 1 "Hello" {"id": "S"} -> none
    +1.6 streaming 2 "World" @S -> none
    """
    view = look(tell(script))
    assert [row.answer for row in view.panel.rows] == ["not recorded", "not recorded"]
    assert view.trace.rejected_at == 1
    assert view.panel.rows[1].stop_head == "Teams would refuse this"


def test_hostile_texts_are_escaped(tell: Tell, page: Any) -> None:
    """Markup, direction marks, halves of characters and templates are text."""
    id_ = tell(HOSTILE)
    for panel in ("events", "conversation", "findings", "source"):
        html = page(id_, panel=panel, event="2")
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert "\u202e" not in html
        assert "<b>{{" not in html
        assert "<u>" not in html
        assert "\ud83d" not in html
        assert ">49<" not in html


def test_records_that_are_no_exchange_have_a_row(tell: Tell, look: Open) -> None:
    """A broken line between good ones is shown as what it is."""
    good = b'{"type":"message","text":"a","channelId":"msteams","conversation":{"id":"a:1"},"from":{"id":"28:b"}}'
    view = look(tell(good + b"\n[1]\n" + good + b"\n"))
    kinds = [row.kind for row in view.panel.rows]
    assert kinds.count("message") == 2


def test_a_long_recording_shows_a_window(tell: Tell, look: Open, page: Callable[..., str]) -> None:
    """5,000 exchanges: the page stays within its bound of elements, and says what is not shown."""
    script = ['+0.0 streaming 1 "w" -> 201 S']
    script += [f'+{n * 1.6:.1f} streaming {n + 1} "w{"x" * (n % 40)}" @S -> 202' for n in range(1, 5000)]
    id_ = tell("\n".join(script))
    view = look(id_, event="2500")
    assert 0 < len(view.panel.rows) <= ROWS
    assert sum(row.cost for row in view.panel.rows) <= ELEMENTS
    assert any(row.selected for row in view.panel.rows)
    assert view.panel.earlier
    assert view.panel.later
    assert "not shown" in view.panel.shown
    assert len(re.findall(r"<[a-z]", page(id_, event="2500"))) < 2500
    assert words(page(id_, event="4999")).count("Earlier exchanges") == 1


def test_a_payload_too_large_for_the_page_is_said_to_be(tell: Tell, look: Open) -> None:
    """What is not decoded still has its row and its answer."""
    big = "x" * 2_100_000
    view = look(tell(f'+0.0 message "{big}" -> 201 M\n+2.0 message "short" -> 201 N'))
    assert "too long to be shown here" in view.panel.rows[0].text.say
    assert view.panel.rows[1].text.new == "short"
