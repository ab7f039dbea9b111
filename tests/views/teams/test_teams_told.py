"""Banner, tabs, run list, title and scrubber of a Teams trace: its words, and whose a Stop is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.views.teams.conftest import Open, Tell, words

GOOD = """
+0.0 informative 1 "Reading…" -> 201 S (+0.3)
+1.6 streaming 2 "You have" @S -> 202
+3.2 final "You have 12 days left." @S -> 202
"""
UNANSWERED = """
+0.0 informative 1 "Reading…" {"id": "S"} -> none
+1.6 streaming 2 "You have" @S -> none
+3.2 final "You have 12 days left." @S -> none
"""
REFUSED = """
+0.0 streaming 1 "The report lists 12 items [doc1" -> 201 S
+1.7 streaming 2 "The report lists 12 items [1]" @S -> E403-PREFIX
"""
STOPPED = """
+0.0 streaming 1 "The quarterly" -> 201 S
+1.7 streaming 2 "The quarterly report" @S -> E403-STOP
"""
EXPIRED = """
+0.0 streaming 1 "One" -> 201 S
+130 streaming 2 "One two" @S -> E403-TIME
+132 edit "One two three." @S -> 200
"""
PREDICTED = """
+0.0 streaming 1 "Hello" {"id": "S"} -> none
+1.6 streaming 2 "World" @S -> none
"""
PLAIN = '+0.0 message "Hi" -> 201 M'


@pytest.mark.parametrize(
    ("script", "meta"),
    [
        (GOOD, "Microsoft Teams · 1 stream, finished · 3 exchanges · 3.30 s · answers recorded"),
        (
            REFUSED,
            "Microsoft Teams · 1 stream, refused · 2 exchanges · 1.80 s · confirmed by the recorded answers",
        ),
        (PLAIN, "Microsoft Teams · no stream · 1 exchange · 100 ms · answers recorded"),
    ],
)
def test_the_line_beside_the_name_tells_streams_and_answers(
    tell: Tell, look: Open, script: str, meta: str
) -> None:
    """How many streams and how they came out, how long, and what stands behind the verdict."""
    assert look(tell(script)).banner.meta == meta


def test_without_answers_it_is_predicted(tell: Tell, look: Open) -> None:
    """Said in the line beside the name and in the headline."""
    view = look(tell(PREDICTED))
    assert view.banner.meta.endswith(" · no answers recorded: predicted")
    assert view.banner.headline.startswith("Teams would refuse chunk 2 at #1: it ")


def test_a_pass_without_answers_claims_no_more_than_the_calls_show(tell: Tell, look: Open) -> None:
    """Nothing is known of what Teams said, so the headline limits itself; with answers it does not."""
    unanswered = look(tell(UNANSWERED)).banner.headline
    assert unanswered == "Nothing wrong in 3 exchanges, as far as the calls alone show."
    assert look(tell(GOOD)).banner.headline == "Nothing wrong in 3 exchanges."


def test_the_headline_says_what_was_refused_where_and_why(tell: Tell, look: Open) -> None:
    """The call once, its number, and the finding's own clause."""
    told = look(tell(REFUSED)).banner
    assert told.headline == "Teams refused chunk 2 at #1: it does not begin with the text already on screen."
    assert told.whose == "Agent’s side."
    assert told.saw == (
        "“The report lists 12 items [doc1”, still in progress, then marked stopped. "
        "What was sent in #1 never appeared."
    )


def test_a_stop_is_neither_success_nor_failure(tell: Tell, look: Open) -> None:
    """The verdict stays good, and the banner says what the user did."""
    view = look(tell(STOPPED))
    assert view.trace.verdict == "conformant"
    assert (
        view.banner.headline
        == "Nothing wrong in 2 exchanges; the user pressed Stop, #1, and the agent kept to it."
    )
    assert view.banner.why == "A Stop by the user is neither success nor failure."
    assert view.banner.saw.startswith("“The quarterly”, then nothing more: the user had pressed Stop.")
    assert (view.runs[0].words, view.runs[0].hue) == (
        "stopped by the user: neither success nor failure",
        "none",
    )


def test_a_refusal_for_time_is_said_once(tell: Tell, look: Open) -> None:
    """The headline has said that it was refused; behind the colon stands only why."""
    told = look(tell(EXPIRED.partition("+132")[0].replace("+130", "+100"))).banner
    assert told.headline == "Teams refused chunk 2 at #1: the stream’s time is over."


def test_a_recovery_by_edit_is_told(tell: Tell, look: Open) -> None:
    """The fault is named, and so is that the text came through after all."""
    told = look(tell(EXPIRED)).banner
    assert told.headline.startswith("Recovered by a plain edit, but wrong at #1: ")
    assert told.saw.startswith("“One two three.”, complete by a plain edit.")


def test_several_streams_are_counted_by_outcome(tell: Tell, look: Open) -> None:
    """The line tells how each came out, and the list names them by number."""
    second = """
    +300 streaming 1 "Two" {"replyToId": "r2"} -> 201 T
    +302 streaming 2 "Two more" @T {"replyToId": "r2"} -> E403-STOP
    """
    view = look(tell(GOOD + second))
    assert "2 streams: 1 finished, 1 stopped by the user" in view.banner.meta
    assert [(run.id, run.first, run.last) for run in view.runs] == [
        ("stream 1 · S", 0, 2),
        ("stream 2 · T", 3, 4),
    ]


def test_tabs_speak_of_exchanges_and_there_is_no_state(tell: Tell, look: Open, page: Any) -> None:
    """Six tabs, numbered in their order; a link to the missing one lands on the first and says why."""
    id_ = tell(REFUSED)
    view = look(id_)
    assert [(tab.label, tab.small) for tab in view.tabs] == [
        ("Exchanges", "2"),
        ("Sequence", "ladder"),
        ("Timeline", ""),
        ("Conversation", "1 bubble"),
        ("Findings", str(view.trace.finding_count)),
        ("Source", "2 lines"),
    ]
    html = page(id_)
    assert re.findall(r'data-tab="(\d)"', html) == list("123456")
    state = look(id_, panel="state")
    assert state.panel_name == "events"
    assert state.notes[0].text == "A Teams recording has no state panel: an agent shares no state there."


@pytest.mark.parametrize("panel", ["events", "conversation", "findings", "source"])
def test_no_panel_speaks_of_events_runs_or_lanes(tell: Tell, page: Any, panel: str) -> None:
    """Everything around the diagrams says exchange and stream."""
    text = words(page(tell(REFUSED), panel=panel))
    text += " ".join(re.findall(r'aria-label="([^"]*)"', page(tell(GOOD), panel=panel)))
    assert not re.search(r"\b(events?|lanes?|AG-UI|client stops|run input)\b", text, re.IGNORECASE)


def test_the_title_carries_the_verdict(tell: Tell, look: Open) -> None:
    """`✖ Refused at #1`: a service says no, no client rejects."""
    assert look(tell(REFUSED, name="case")).title == "✖ Refused at #1 · case"
    assert look(tell(STOPPED, name="case")).title == "✓ Conformant · case"


def test_nothing_is_lost_behind_a_refusal(tell: Tell, look: Open) -> None:
    """What comes after a refused call was taken or not by its own answer."""
    view = look(tell(REFUSED + '+9.0 message "Sorry." -> 201 M'), event="1")
    assert not view.page.gone(2)
    assert view.panel.rows[2].answer == "201"


def test_a_number_that_does_not_exist_gives_the_nearest(tell: Tell, look: Open) -> None:
    """And the note speaks of exchanges."""
    assert look(tell(GOOD), event="77").notes[0].text == "There is no exchange #77; this is the nearest, #2."


@pytest.mark.parametrize(
    ("script", "headline", "saw"),
    [
        (
            '+0.0 streaming 1 "Hi" -> E403-OFF',
            "Teams refused chunk 1 at #0: streaming is not possible for this agent, user or context.",
            "Nothing of the reply: no bubble ever appeared. What was sent in #0 never appeared.",
        ),
        (
            '+0.0 streaming 1 "Hi" -> 401 {"error": {"code": "Unauthorized", "message": "no"}}',
            (
                "Teams refused the stream at #0, and no fault of the agent is known. One note, at #0: "
                "chunk 1 is refused with 401, which is not about streaming."
            ),
            "Nothing of the reply: no bubble ever appeared. What was sent in #0 never appeared.",
        ),
        (
            STOPPED + '+9.0 inbound "never mind" -> none',
            "Nothing wrong in 3 exchanges; the user pressed Stop, #1, and the agent kept to it.",
            "“The quarterly”, then nothing more: the user had pressed Stop. What was sent in #1 never appeared.",
        ),
    ],
)
def test_what_the_user_saw_is_of_the_agents_reply(
    tell: Tell, look: Open, script: str, headline: str, saw: str
) -> None:
    """Told also where nothing appeared, and never of the user's own words."""
    told = look(tell(script)).banner
    assert (told.headline, told.saw) == (headline, saw)


def test_what_came_in_the_place_of_the_reply_is_told(tell: Tell, look: Open) -> None:
    """An agent whose stream is refused often sends its own error: that is what the customer complains of."""
    script = '+0.0 streaming 1 "Hi" -> E403-OFF\n+1.0 message "Exception caught: 403" -> 201 M\n'
    saw = look(tell(script)).banner.saw
    assert "no bubble ever appeared. In its place a plain message, #1: “Exception caught: 403”." in saw


def test_a_plain_message_is_quoted_from_its_beginning(tell: Tell, look: Open) -> None:
    """Nothing broke it, and an error message says first what it is about; a text that broke is quoted from its end."""
    said = "Exception caught: 403, and then a long address: " + "https://example.com/" * 9
    script = f'+0.0 streaming 1 "Hi" -> E403-OFF\n+1.0 message "{said}" -> 201 M\n'
    saw = look(tell(script)).banner.saw
    assert "a plain message, #1: “Exception caught: 403, and then" in saw
    script = '+0.0 streaming 1 "Hi" -> E403-OFF\n+1.0 message "It failed." -> 201 M\n'
    assert "a plain message, #1: “It failed.” What was sent" in look(tell(script)).banner.saw


SILENT = '+0.0 streaming 1 "Hi" -> 201 S\n+1.5 streaming 2 "Hi there" @S -> 403 ""\n'


def test_a_refusal_without_a_reason_is_no_pass(tell: Tell, look: Open, page: Any) -> None:
    """The verdict's word stays, since no rule is known to be broken; tick, green and side are not those of a pass."""
    id_ = tell(SILENT)
    view = look(id_)
    assert view.trace.verdict == "conformant"
    assert view.banner.headline.startswith("Teams refused the stream at #1")
    assert view.banner.whose == "Not known."
    assert view.title.startswith("○ Conformant, stream refused")
    html = page(id_)
    banner = html[html.index('id="banner"') - 80 : html.index("</h1>")]
    assert 'class="banner none"' in banner
    assert "#i-ok" not in banner
    assert "Stream refused" in banner


@pytest.mark.parametrize(
    ("script", "event"),
    [
        (SILENT, 1),
        (STOPPED, 1),
        (STOPPED + '+9.0 inbound "never mind" -> none', 1),
        (GOOD, 0),
    ],
)
def test_a_page_opens_where_teams_or_the_user_ended_the_stream(
    tell: Tell, look: Open, script: str, event: int
) -> None:
    """On every panel; where all is well it opens at the beginning."""
    id_ = tell(script)
    for panel in ("events", "sequence", "timeline"):
        assert look(id_, panel=panel).page.event == event
