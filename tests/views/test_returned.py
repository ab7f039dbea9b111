"""A text that one snapshot takes off the screen and a later one brings back was seen in the end, and is said so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.streams import finished, message, started
from tests.views.conftest import Store, around
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views import report_chat, returned, user_saw

Event = dict[str, Any]


def snapshot(*messages: tuple[str, str]) -> Event:
    listed = [{"id": id_, "role": "assistant", "content": text} for id_, text in messages]
    return {"type": "MESSAGES_SNAPSHOT", "messages": listed}


def dropped(*after: Event) -> list[Event]:
    """Two pieces of `m` are shown, a snapshot at #4 leaves it out, two more pieces have no target."""
    begun, first, second, third, fourth, ended = message(
        "m", "Dear ", "customer, ", "your refund ", "is due."
    )
    return [started(), begun, first, second, snapshot(), third, fourth, ended, *after, finished()]


@pytest.fixture
def told(database: Database, keep: Store) -> Any:
    """What the banner and the report say of a recording."""

    def tell(events: list[Event], **more: Any) -> tuple[str, str, report_chat.Chat]:
        id_ = keep(events, **more)
        with database.session() as session:
            trace = traces.get(session, id_)
            assert trace is not None
            page = around(session, trace, None)
            seen, never = user_saw.told(session, trace, page, None)
            return seen, never, report_chat.build(session, trace, page)

    return tell


def test_a_text_that_came_back_is_not_said_to_have_never_appeared(told: Any) -> None:
    """When it went, when it came back, and what the user could read then."""
    seen, never, chat = told(dropped(snapshot(("m", "Dear customer, your refund is due."))))
    assert seen == "1 message, “Dear customer, your refund is due.”"
    assert never == "Message 1 was off the screen from #4 until #8 brought it back."
    assert [(m.text, m.cut) for m in chat.messages] == [
        ("Dear customer, your refund is due.", "off the screen from #4 until #8 brought it back")
    ]
    assert (chat.never, chat.empty) == ("", "")


def test_a_text_that_did_not_come_back_never_appeared(told: Any) -> None:
    """The near miss: a later snapshot lists another message only."""
    seen, never, chat = told(dropped(snapshot(("other", "Hello."))))
    assert seen == "1 message, “Dear customer,”."
    assert never == "19 characters of text never appeared."
    assert (chat.messages, chat.never) == ([], "19 characters of text")


def test_what_a_snapshot_brings_back_in_part_is_missing_for_the_rest(told: Any) -> None:
    """Characters that no snapshot has are still counted as never seen."""
    _, never, chat = told(dropped(snapshot(("m", "Dear customer, your refund "))))
    assert never == (
        "Message 1 was off the screen from #4 until #8 brought it back. 7 characters of text never appeared."
    )
    assert chat.never == "7 characters of text"


def test_a_message_that_was_removed_before_its_first_word_was_seen_when_it_came_back(told: Any) -> None:
    """Nothing of the stream reached the screen, all of it did with the snapshot."""
    begun, *rest = message("m", "Hello ", "there.")
    events = [started(), begun, snapshot(), *rest, snapshot(("m", "Hello there.")), finished()]
    seen, never, chat = told(events)
    assert seen == "1 message, “Hello there.”"
    assert never == "Message 1 was off the screen from #2 until #6 brought it back."
    assert [m.text for m in chat.messages] == ["Hello there."]


def test_a_snapshot_behind_the_refusal_brings_nothing_back(told: Any) -> None:
    """A client that has stopped takes no snapshot any more."""
    late = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "nobody", "delta": "x"}
    seen, never, _ = told(dropped(late, snapshot(("m", "Dear customer, your refund is due."))))
    assert seen == "1 of 2 messages, “Dear customer,”, then an error."
    assert "off the screen" not in never
    assert "never appeared" in never


def test_several_messages_are_counted(database: Database, keep: Store) -> None:
    """The first of them is named with its two snapshots."""
    both = (("a", "One."), ("b", "Two."))
    id_ = keep(
        [started(), *message("a", "One."), *message("b", "Two."), snapshot(), snapshot(*both), finished()]
    )
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        found = returned.find(session, trace, around(session, trace, None))
    assert [(back.gone, back.at, back.text, back.recovered) for back in found.values()] == [
        (7, 8, "One.", 0),
        (7, 8, "Two.", 0),
    ]
    assert returned.told(found) == (
        "2 messages were off the screen for a while, message 1 from #7 until #8 brought it back."
    )


def test_the_diagram_shows_no_growth_of_a_removed_message(keep: Store, show: Any) -> None:
    """From the snapshot that removes it to the one that brings it back; then it grows again."""
    begun, *pieces, ended = message("m", "Dear ", "customer", ", your")
    lists = (snapshot(), snapshot(("m", "Dear customer")))
    id_ = keep([started(), begun, pieces[0], lists[0], pieces[1], lists[1], pieces[2], ended, finished()])
    drawn = show("sequence", id_).right
    assert drawn.count("message 1 grows") == 2 * 2  # at #2 and #6, each in the drawing and in words
    assert drawn.count("message 1 (removed)") == 2 * 1
    assert "message 1 complete" in drawn


def test_the_last_of_several_that_came_back_is_quoted(told: Any) -> None:
    """In the order of the stream, whatever the snapshot's is."""
    one, *more_of_one = message("a", "One.")
    two, *more_of_two = message("b", "Two.")
    both = snapshot(("b", "Two."), ("a", "One."))
    seen, _, _ = told([started(), one, two, snapshot(), *more_of_one, *more_of_two, both, finished()])
    assert seen == "2 messages, the last “Two.”"
