"""The content column: what one record says."""

from __future__ import annotations

import json

import pytest

from webapp.core.agui.events import EVENTS
from webapp.views.content import Content, content, derived, showable


def said(**event: object) -> Content:
    return content(str(event["type"]), json.dumps(event))


def test_text_is_quoted_so_that_its_spaces_are_seen() -> None:
    """A delta of one space is not an empty cell."""
    assert said(type="TEXT_MESSAGE_CONTENT", messageId="m", delta=" in").text == '" in"'


def test_arguments_are_shown_as_sent() -> None:
    """A piece of JSON is not quoted again."""
    assert said(type="TOOL_CALL_ARGS", toolCallId="c", delta='{"ci').text == '{"ci'


def test_a_finished_run_tells_its_outcome_and_tokens() -> None:
    """Tokens are summed over the entries of usage."""
    usage = [{"inputTokens": 40, "outputTokens": 2}, {"totalTokens": 99}]
    assert said(type="RUN_FINISHED", threadId="t", runId="r", usage=usage).say == "finished, 141 tokens"


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_type_has_words_even_when_empty(name: str) -> None:
    """No known type falls through, and missing members do no harm."""
    shown = said(type=name)
    assert shown.say or shown.text
    assert "unknown" not in shown.say


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ('{"type":"CUSTOM","name":"big","value":"xxxx', "xxxx"),
        ('{"type":"STATE_SNAPSHOT","snapshot":{"a":1', '{"a":1'),
        ('{"type":"TEXT_MESSAGE_CONTENT","delta":"abc', "abc"),
    ],
)
def test_a_payload_that_was_cut_shows_the_member_that_matters(raw: str, part: str) -> None:
    """Lists load only the beginning of a payload."""
    shown = content(json.loads(raw.split(",")[0] + "}")["type"], raw)
    assert part in shown.text
    assert shown.say == "long payload:"


def test_a_record_that_is_no_event_shows_its_text() -> None:
    """What could not be read is there to be looked at."""
    assert content(None, " [DONE]\n") == Content("cannot be read:", "[DONE]")


def test_halves_of_a_pair_and_control_characters_are_shown_as_codes() -> None:
    """No lone surrogate and no direction override reaches the page."""
    shown = showable("a\ud83d\u202eb\x00\n")
    assert shown == "a\ufffd\\ud83d\\u202eb\\u0000\\n"
    shown.encode()


def test_deep_nesting_is_answered_shortly() -> None:
    """The parser's limit is not the page's."""
    assert content("CUSTOM", '{"type":"CUSTOM","value":' + "[" * 100_000).say == "long payload:"


def test_derived_events_are_lettered_in_order() -> None:
    """END of the old stream, START and content of the new one."""
    assert [(d.number, d.change, d.item) for d in derived(205, "end:12;start:13;grew:13")] == [
        ("205a", "closed", 12),
        ("205b", "opened", 13),
        ("205c", "grew", 13),
    ]
    assert derived(3, None) == []
