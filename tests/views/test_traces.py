"""The list's words: what a row says, how long ago, and where each link leads."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from webapp.storage.models import Trace
from webapp.views.trace_line import protocol_label, trace_line
from webapp.views.traces import ListQuery, parse_query, size_limit, trace_form, trace_list

NOON = datetime(2026, 11, 29, 12, 0).timestamp()  # local time, as shown


def row(**values: Any) -> Trace:
    given = {
        "id": "abc234abc234",
        "name": "run.sse",
        "ticket": "",
        "note": "",
        "source": "run.sse",
        "created": NOON,
        "status": "ready",
        "error": None,
        "protocol": "ag-ui",
        "protocol_version": "1.0",
        "verdict": "conformant",
        "events": 40,
        "lane_count": 1,
        "headline": "",
        "headline_event": None,
        "headline_party": None,
        **values,
    }
    return Trace(**given)


def test_a_rejected_trace_says_its_first_cause_as_a_sentence() -> None:
    """The clause the engine gives becomes a sentence with a number that is a link."""
    line = trace_line(
        row(verdict="rejected", headline="more arguments", headline_event=12, headline_party="producer"), NOON
    )
    assert (line.headline, line.event, line.event_href) == (
        "More arguments.",
        12,
        "/traces/abc234abc234?event=12",
    )
    assert line.side == "Agent"
    assert line.summary == "AG-UI 1.0 · 40 events · Agent’s side"


def test_marks_of_the_headline_are_links_and_code_and_the_rest_is_escaped() -> None:
    """`#6` leads to that event of that trace, a backticked word is code, a long id short, markup text."""
    text = "the call `876a27b7-2e2c-4d44-bc7d-eb6d46902c21` of `w` closed at #6 <b>"
    line = trace_line(row(verdict="rejected", headline=text, headline_event=12), NOON)
    assert line.headline == (
        "The call <code>876a2…2c21</code> of <code>w</code> closed at "
        '<a class="n" href="/traces/abc234abc234?event=6">#6</a> &lt;b&gt;.'
    )


def test_a_trace_without_events_links_to_none() -> None:
    """There is no event #0 to open when nothing could be read."""
    line = trace_line(
        row(verdict="unchecked", events=0, headline="no event was read", headline_event=0), NOON
    )
    assert line.event is None
    assert line.headline == "No event was read."


@pytest.mark.parametrize(
    ("values", "headline"),
    [
        ({}, "Nothing wrong."),
        ({"verdict": "unchecked", "events": 0}, "No event could be read, so nothing was checked."),
        ({"status": "live"}, "Nothing wrong so far."),
        ({"status": "failed", "error": "It broke off."}, "It broke off."),
        ({"status": "failed"}, "It could not be analysed."),
    ],
)
def test_a_trace_without_a_cause_says_why_there_is_none(values: dict[str, Any], headline: str) -> None:
    """No row is without a sentence, and nothing unread is called fine."""
    line = trace_line(row(**values), NOON)
    assert line.headline == headline
    assert line.event is None


@pytest.mark.parametrize(
    ("party", "protocol", "side"),
    [
        ("producer", "ag-ui", "Agent"),
        ("application", "ag-ui", "Application"),
        ("capture", "ag-ui", "Recording"),
        ("service", "ag-ui", "Transport"),
        ("service", "teams", "Teams"),
        (None, "ag-ui", ""),
    ],
)
def test_the_side_is_one_word(party: str | None, protocol: str, side: str) -> None:
    """Whose fault it is, in the words of the banner."""
    assert trace_line(row(verdict="warnings", headline_party=party, protocol=protocol), NOON).side == side


@pytest.mark.parametrize(
    ("infos", "said"),
    [(1, "Nothing wrong; one note: the request"), (3, "Nothing wrong; the first note: the request")],
)
def test_a_note_on_a_pass_is_told_as_one_and_blames_nobody(infos: int, said: str) -> None:
    """Whoever looks down the list for what broke passes it by."""
    line = trace_line(
        row(headline="the request declares no version", headline_party="application", infos=infos), NOON
    )
    assert line.headline.startswith(said)
    assert line.side == ""


def test_what_could_not_be_read_is_on_nobodys_side_but_the_recordings() -> None:
    """Whatever rule speaks first there, nothing is known of the agent or the transport."""
    line = trace_line(row(verdict="unchecked", events=0, headline_party="service"), NOON)
    assert line.side == "Recording"
    assert line.summary.endswith("· the recording")


@pytest.mark.parametrize("outcome", ["refused", "expired"])
def test_a_stream_that_teams_ended_is_no_pass_in_the_list(outcome: str) -> None:
    """The verdict stays; its look and the sentence do not say that all is well, and a note blames nobody."""
    values = {"protocol": "teams", "protocol_version": None, "run_count": 1}
    line = trace_line(row(**values), NOON, {outcome: 1})
    assert (line.verdict, line.look) == ("conformant", "unsettled")
    assert line.headline == "Ended by Teams without a reason that names a fault."
    noted = row(**values, headline="refused with 403", headline_event=0, headline_party="producer")
    assert trace_line(noted, NOON, {outcome: 1}).side == ""
    fine = trace_line(row(**values), NOON, {"finished": 1})
    assert (fine.look, fine.headline) == ("conformant", "Nothing wrong.")


@pytest.mark.parametrize(
    ("values", "outcomes", "told"),
    [
        ({"events": 1}, {}, ("event", "lane")),
        ({"events": 40, "lane_count": 2}, {}, ("events", "lanes")),
        ({"protocol": "teams", "events": 4, "run_count": 1}, {"finished": 1}, ("exchanges", "stream")),
    ],
)
def test_a_number_of_the_list_says_what_it_counts(
    values: dict[str, Any], outcomes: dict[str, int], told: tuple[str, str]
) -> None:
    """Two protocols stand in one column."""
    line = trace_line(row(**values), NOON, outcomes)
    assert (line.event_word, line.lane_word) == told


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ({}, "AG-UI 1.0"),
        ({"protocol_version": None}, "AG-UI"),
        ({"protocol": "teams", "protocol_version": None}, "Teams"),
        ({"protocol": ""}, "unknown"),
        ({"events": 0}, "unknown"),
    ],
)
def test_the_protocol_is_named_when_something_was_read(values: dict[str, Any], label: str) -> None:
    """A file with no event has no protocol, whatever was assumed while reading it."""
    assert protocol_label(row(**values)) == label


def test_the_url_is_the_state() -> None:
    """A link keeps what was chosen; changing a filter goes back to the first page; defaults are left out."""
    query = parse_query(q="  refund ", verdict="rejected", protocol="ag-ui", page="3")
    assert query == ListQuery("refund", "rejected", "ag-ui", 3)
    assert query.href(page=4) == "/?q=refund&verdict=rejected&protocol=ag-ui&page=4"
    assert query.href(verdict="") == "/?q=refund&protocol=ag-ui"
    assert ListQuery().href() == "/"
    assert ListQuery(q="a&b=ü").href() == "/?q=a%26b%3D%C3%BC"


@pytest.mark.parametrize("page", ["0", "-1", "x", "", "1e9", "²", "9" * 30])
def test_a_page_that_does_not_exist_is_no_fault(page: str) -> None:
    """What cannot be a page number is the first page; a huge one stays within what a database counts."""
    assert 1 <= parse_query(page=page).page <= 1_000_000


def test_unknown_values_are_left_out() -> None:
    """A verdict or protocol that does not exist filters nothing."""
    assert parse_query(verdict="perfect", protocol="smtp") == ListQuery()


def test_the_list_says_how_much_is_shown_and_leads_on() -> None:
    """In the middle of many: the range, the way back and the way on, and the counts of all verdicts."""
    counts = {"verdict": {"rejected": 60, "conformant": 1}, "protocol": {"ag-ui": 61}}
    page = trace_list(
        ListQuery(verdict="rejected", page=2), [row()] * 25, 60, counts, now=NOON, max_upload_bytes=1 << 28
    )
    assert page.shown == "26–50 of 60 shown"
    assert (page.newer, page.older) == ("/?verdict=rejected", "/?verdict=rejected&page=3")
    assert [(facet.label, facet.count, facet.current) for facet in page.verdicts] == [
        ("All", 61, False),
        ("Rejected", 60, True),
        ("Nonconformant", 0, False),
        ("Warnings", 0, False),
        ("Conformant", 1, False),
        ("Unchecked", 0, False),
    ]
    assert page.known == 61
    assert page.max_upload == "256 MB"


def test_the_last_page_leads_back_only() -> None:
    """Nothing comes after the last row."""
    page = trace_list(ListQuery(page=3), [row()] * 10, 60, {}, now=NOON, max_upload_bytes=1)
    assert (page.newer, page.older) == ("/?page=2", "")


@pytest.mark.parametrize(
    ("size", "words"), [(999, "999 bytes"), (1 << 20, "1 MB"), (3 << 29, "1.5 GB"), (2048, "2 kB")]
)
def test_a_limit_in_the_units_of_its_setting(size: int, words: str) -> None:
    """256 MB is 256 MB, not 268."""
    assert size_limit(size) == words


def test_the_form_leads_back_to_where_one_came_from() -> None:
    """To the trace when one came from there, else to the list; no other address can be put in."""
    assert trace_form(row(), "trace").back_href == "/traces/abc234abc234"
    assert trace_form(row(), "https://evil.example").back_href == "/"
