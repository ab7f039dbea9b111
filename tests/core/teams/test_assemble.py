"""The chat as the user sees it, call by call."""

from __future__ import annotations

from tests.core.teams.script import lines
from webapp.core import Replay


def held(script: str) -> list[tuple[str, str]]:
    replay = Replay("teams")
    for line in lines(script):
        replay.feed(line)
    replay.finish()
    assert replay.held() == [(message["id"], message["role"]) for message in replay.messages()]
    return [(message["role"], message["content"]) for message in replay.messages()]


def test_a_chunk_replaces_the_text_and_a_status_line_is_none() -> None:
    """The bubble holds the newest accepted text; status lines are no content."""
    script = """
    +0.0 inbound "how many?" -> none
    +0.1 informative 1 "Reading…" -> 201 S
    +1.7 streaming 2 "You have" @S -> 202
    +3.3 streaming 3 "You have 12" @S -> E202-ORDER
    """
    assert held(script) == [("user", "how many?"), ("assistant", "You have")]


def test_messages_keep_their_place_when_an_edit_replaces_them() -> None:
    """Edits of a stream and of a plain message change the text, not the order."""
    script = """
    +0.0 streaming 1 "One" -> 201 S
    +1.6 final "One." @S -> 202
    +3.2 message "Two." -> 201 m1
    +9.0 edit "One!" @S -> 200
    +9.5 edit "Two!" @m1 -> 200
    +9.9 edit "Two?" @m1 -> E405
    """
    assert held(script) == [("assistant", "One!"), ("assistant", "Two!")]


def test_what_was_shown_stays_after_a_stop_and_a_refusal() -> None:
    """A refused text is not on screen; what came before is."""
    for answer in ("E403-STOP", "E403-PREFIX", "E413", "lost"):
        script = f"""
        +0.0 streaming 1 "You have" -> 201 S
        +1.6 streaming 2 "You have 12" @S -> {answer}
        """
        assert held(script) == [("assistant", "You have")]


def test_a_final_that_had_arrived_is_on_screen() -> None:
    """Its first answer was lost; the second says that the stream is complete."""
    script = """
    +0.0 streaming 1 "You have" -> 201 S
    +1.6 final "You have 12 days." @S -> lost
    +3.2 final "You have 12 days." @S -> E403-DONE
    """
    assert held(script) == [("assistant", "You have 12 days.")]


def test_a_deleted_message_is_gone_and_a_live_bubble_stays() -> None:
    """Deleting works for what has ended."""
    script = """
    +0.0 streaming 1 "One" -> 201 S
    +1.6 final "One." @S -> 202
    +3.2 streaming 1 "Two" -> 201 T
    +4.8 message "Three." -> 201 m1
    +6.4 delete @S -> 200
    +8.0 delete @T -> 200
    +9.6 delete @m1 -> 200
    """
    assert held(script) == [("assistant", "Two")]


def test_equal_ids_of_two_chats_are_two_messages() -> None:
    """An activity id belongs to its chat."""
    script = """
    +0.0 message "One." -> 201 m1
    +1.0 message "Two." {"conversation": {"id": "a:other"}} -> 201 m1
    +2.0 edit "Two!" @m1 {"conversation": {"id": "a:other"}} -> 200
    """
    assert held(script) == [("assistant", "One."), ("assistant", "Two!")]


def test_an_open_stream_leaves_an_abandoned_item() -> None:
    """When the recording ends, the item of an open stream is given up; an ended one stays closed."""
    replay = Replay("teams")
    items = [
        replay.feed(line).item
        for line in lines(
            """
            +0.0 streaming 1 "One" -> 201 S
            +1.6 final "One." @S -> 202
            +3.2 streaming 1 "Two" -> 201 T
            """
        )
    ]
    replay.finish()
    assert [item and item.state for item in items] == ["closed", "closed", "abandoned"]
