"""The Conversation panel: the chat as the user saw it, what was sent told apart from what was acknowledged."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from tests.core.teams.script import lines
from tests.views.teams.conftest import Open, Tell
from webapp.core import Replay
from webapp.views.panels.chat import AFTER, BEFORE

STOP = """
+0.0 inbound "The numbers?" -> none
+1.0 informative 1 "Looking…" -> 201 S
+2.6 streaming 2 "The quarterly" @S -> 202
+4.2 streaming 3 "The quarterly report" @S -> 202
+5.8 streaming 4 "The quarterly report lists" @S -> E403-STOP
"""
EXPIRED = """
+0.0 streaming 1 "One" -> 201 S
+1.6 streaming 2 "One two" @S -> 202
+130 streaming 3 "One two three" @S -> E403-TIME
+132 edit "One" @S -> 200
"""
DELTAS = """
+0.0 streaming 1 "A brown" -> 201 S
+1.7 streaming 2 " fox" @S -> E403-PREFIX
+3.4 streaming 3 " jumps" @S -> E403-PREFIX
+5.1 streaming 4 " over" @S -> E403-PREFIX
"""


def text(body: Any) -> str | None:
    return None if body is None else unescape(re.sub(r"<[^>]+>", "", str(body.head) + str(body.tail)))


def bubbles(panel: Any) -> list[tuple[str, str | None, str | None, str]]:
    return [(entry.cls, text(entry.body), text(entry.status), entry.state) for entry in panel.entries]


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (0, [("user", "The numbers?", None, "")]),
        (1, [("user", "The numbers?", None, ""), ("agent", None, "Looking…", "in progress")]),
        (3, [("user", "The numbers?", None, ""), ("agent", "The quarterly report", None, "in progress")]),
        (
            4,
            [
                ("user", "The numbers?", None, ""),
                ("agent", "The quarterly report", None, "stopped by the user, #4"),
            ],
        ),
    ],
)
def test_the_chat_is_as_of_the_chosen_exchange(tell: Tell, look: Open, event: int, shown: list[Any]) -> None:
    """Status first, then the text as acknowledged by then; after Stop what stands stays."""
    panel = look(tell(STOP), panel="conversation", event=str(event)).panel
    assert bubbles(panel) == shown


def test_what_was_sent_and_not_taken_is_told_apart(tell: Tell, look: Open) -> None:
    """The refused text stands below with where and why; the acknowledged one names who put it there."""
    entry = look(tell(STOP), panel="conversation", event="4").panel.entries[1]
    assert entry.put == "put there by #3"
    assert [(each.words, text(each.body)) for each in entry.attempts] == [
        ("sent in #4, chunk 4, refused: the user pressed Stop", "The quarterly report lists")
    ]
    assert entry.notes == ["The user pressed Stop: what stands here stays, and nothing more is shown."]


def test_the_newest_refused_texts_are_listed_and_the_rest_counted(tell: Tell, look: Open) -> None:
    """Deltas: the bubble keeps its first text, in progress, and is marked stopped in the end."""
    panel = look(tell(DELTAS), panel="conversation", event="3").panel
    (entry,) = panel.entries
    assert text(entry.body) == "A brown"
    assert [text(each.body) for each in entry.attempts] == [" over", " jumps"]
    assert entry.attempts_more == 1
    assert "then the chat marks it stopped" in entry.notes[0]


def test_an_edit_after_the_time_limit_sets_the_text(tell: Tell, look: Open) -> None:
    """Even where it is shorter than what stood there."""
    id_ = tell(EXPIRED)
    assert bubbles(look(id_, panel="conversation", event="2").panel) == [
        ("agent", "One two", None, "ran out of time, #2")
    ]
    panel = look(id_, panel="conversation", event="2", asof="end").panel
    assert bubbles(panel) == [("agent", "One", None, "edited, #3")]
    assert panel.entries[0].put == "put there by #3"


def test_without_answers_it_is_what_was_sent(tell: Tell, page: Any, look: Open) -> None:
    """A transcript: sent is all that is known, and the panel says so."""
    script = """
    +0.0 inbound "status?" -> none
    +1.0 streaming 1 "Loo" {"id": "S"} -> none
    +240 inbound "hello??" -> none
    """
    id_ = tell(script)
    entries = look(id_, panel="conversation", event="2").panel.entries
    assert [(e.who, text(e.body), e.state, e.put) for e in entries] == [
        ("user", "status?", "", ""),
        ("agent", "Loo", "sent", "sent in #1"),
        ("user", "hello??", "", ""),
    ]
    assert "never closed" in entries[1].notes[0]
    assert "No answers are recorded" in page(id_, panel="conversation")


def test_a_refused_start_has_no_bubble(tell: Tell, look: Open) -> None:
    """Nothing stands in the chat, and what was sent is shown as never having come."""
    panel = look(tell('+0.0 streaming 1 "Hi" -> E405'), panel="conversation").panel
    (entry,) = panel.entries
    assert (entry.state, entry.quiet, text(entry.attempts[0].body)) == (
        "no bubble",
        "nothing of it reached the chat",
        "Hi",
    )


def test_a_plain_message_that_is_refused_is_not_shown(tell: Tell, look: Open) -> None:
    """It is an attempt like any other."""
    script = '+0.0 message "one" -> 201 M\n+9 message "two" -> 401 {"error": {"code": "Unauthorized"}}'
    first, second = look(tell(script), panel="conversation", event="1").panel.entries
    assert text(first.body) == "one"
    assert second.body is None
    assert second.state == "never shown"
    assert text(second.attempts[0].body) == "two"


@pytest.mark.parametrize("script", [STOP, EXPIRED, DELTAS])
def test_at_the_end_it_shows_what_the_engine_holds(tell: Tell, look: Open, script: str) -> None:
    """The panel rebuilds from rows what the engine keeps while it judges."""
    replay = Replay("teams")
    for line in lines(script):
        replay.feed(line)
    replay.finish()
    held = [(m["role"], m["content"]) for m in replay.messages()]
    panel = look(tell(script), panel="conversation", asof="end").panel
    role = {"user": "user", "agent": "assistant"}
    assert [(role[e.cls], text(e.body)) for e in panel.entries if e.body] == held


def test_a_long_chat_is_a_window_around_the_chosen_exchange(tell: Tell, look: Open) -> None:
    """At most a dozen bubbles; the neighbours are counted and linked."""
    script = "\n".join(f'+{n * 9} message "number {n}" -> 201 M{n}' for n in range(60))
    id_ = tell(script)
    panel = look(id_, panel="conversation", event="30").panel
    assert len(panel.entries) <= BEFORE + AFTER
    assert text(panel.entries[-1].body) == "number 30"
    assert panel.entries[-1].current
    assert panel.earlier.words == "22 earlier not shown"
    assert panel.later is None
    assert panel.shown == "9 shown, 22 not shown"
    before = look(id_, panel="conversation", event="30", start=panel.earlier.href.split("start=")[1]).panel
    assert text(before.entries[0].body) == "number 13"
    assert before.later is not None


def test_before_anything_was_said_the_panel_says_so(tell: Tell, look: Open) -> None:
    """And leads to the first bubble."""
    panel = look(tell('+0 typing -> 201 T\n+2 message "a" -> 201 M'), panel="conversation", event="0").panel
    assert panel.empty == "As of #0 nothing stood in the chat."
    assert "event=1" in panel.first_said
