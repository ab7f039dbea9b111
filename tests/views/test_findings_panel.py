"""The Findings panel: causes first, followers folded, severities, what could not be judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.streams import finished, message, started
from webapp.core.rules.model import rules_of

Show = Callable[..., Any]
Keep = Callable[..., str]


def stray(id_: str) -> dict[str, Any]:
    """A piece of text for a message that was never opened: fatal."""
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": "lost"}


def unclosed(count: int) -> list[Any]:
    """Steps ended that never began: each a finding of its own name."""
    return [started(), *({"type": "STEP_FINISHED", "stepName": f"s{n}"} for n in range(count)), finished()]


def test_the_cause_stands_first_with_what_follows_folded_under_it(keep: Keep, show: Show) -> None:
    """The sample has one cause and a note on its request; its consequence is no cause of its own."""
    panel = show("findings", keep("pydantic-parallel"))
    assert [(c.event, c.card.rule, c.behind) for c in panel.causes] == [
        (12, "AGUI-TOL-02", 1),
        (0, "AGUI-INP-04", 0),
    ]
    cause = panel.causes[0]
    assert [place.event for place in cause.follows] == [6]
    assert [place.event for place in cause.card.again] == [13]
    assert (cause.places, cause.more, cause.current) == (2, 0, True)
    assert cause.card.follows == ()
    assert cause.events.endswith("?event=12")
    assert panel.shown == "1 cause, 1 follows, 1 note"


def test_worst_first_then_earliest(keep: Keep, show: Show) -> None:
    """An error stands before a warning, whatever came first; each severity has its count and its link."""
    panel = show("findings", keep("msaf-old-tool"))
    assert [(c.card.severity, c.event) for c in panel.causes] == [("error", 0), ("warning", 10), ("info", 0)]
    assert [(f.label, f.count) for f in panel.filters] == [
        ("All", 3),
        ("Error", 1),
        ("Warning", 1),
        ("Note", 1),
    ]
    assert "level=warning" in panel.filters[2].href
    only = show("findings", panel.causes[0].here.split("/")[2].split("?")[0], level="warning")
    assert [c.card.severity for c in only.causes] == ["warning"]
    assert only.shown == "2 causes, 1 follows, 1 note; 2 not shown"


def test_what_came_after_the_client_had_stopped_has_a_heading(keep: Keep, show: Show) -> None:
    """Causes a client never got to are told after those it did, under their own words."""
    events = [started(), stray("a"), {"type": "STEP_FINISHED", "stepName": "x"}, stray("b"), finished()]
    panel = show("findings", keep(events))
    assert panel.causes[0].event == 1
    headings = [c.heading for c in panel.causes]
    assert headings.count("After the client had stopped") == 1
    assert headings[0] == ""
    first = headings.index("After the client had stopped")
    assert all(c.event > 1 for c in panel.causes[first:])


def test_nothing_wrong_says_what_was_judged_and_what_was_not(keep: Keep, show: Show, write: Show) -> None:
    """A pass names its reach."""
    id_ = keep([started(), *message("m", "hi"), finished()])
    panel = show("findings", id_)
    assert panel.empty == "Nothing wrong."
    judged = re.match(r"(\d+) rules judged on 5 events by engine ", panel.judged)
    assert judged is not None
    # those of the trace's protocol only
    assert int(judged[1]) <= sum(rule.shown == "finding" for rule in rules_of("ag-ui"))
    assert panel.unjudged_count == sum(len(each.rules) for each in panel.unjudged) > 0
    written = write("findings", id_)
    assert "AGUI-TRN-09" in written
    assert "`" in "".join(
        each.reason for each in panel.unjudged
    )  # marks of the engine, never shown as they are
    assert "`" not in written


def test_nothing_read_is_no_pass(keep: Keep, show: Show) -> None:
    """No event, no rule judged, and it does not say that nothing is wrong."""
    panel = show("findings", keep(b"just prose\nand more\n"))
    assert panel.judged == "No event could be read, so no rule was judged."
    assert panel.empty != "Nothing wrong."


def test_a_severity_without_causes_offers_the_way_back(keep: Keep, show: Show, write: Show) -> None:
    """A filter that leaves nothing says so."""
    id_ = keep("pydantic-parallel")
    assert show("findings", id_, level="warning").empty == "No cause is of the severity “Warning”."
    assert "Show all causes" in write("findings", id_, level="warning")
    assert show("findings", id_, level="nonsense").causes


def test_many_causes_are_windowed_and_the_page_stays_small(keep: Keep, show: Show, write: Show) -> None:
    """Fifty cards at most; the links lead through all of them; the chosen event's card is in the window."""
    events = [started()]
    for n in range(130):  # findings of one rule in one lane merge, so each has its lane
        who = {"subagentRunId": f"s{n}"}
        events.append({"type": "SUBAGENT_STARTED", "name": f"n{n}", **who})
        events.append(
            {"type": "TOOL_CALL_RESULT", "toolCallId": "x", "messageId": f"x{n}", "content": "", **who}
        )
        events.append({"type": "SUBAGENT_FINISHED", **who})
    id_ = keep([*events, finished()])
    panel = show("findings", id_, event=2)
    total = sum(f.count for f in panel.filters if f.severity) or panel.filters[0].count
    assert total >= 120
    assert len(panel.causes) == 50
    assert panel.after == total - 50
    later = show("findings", id_, event=2, start=50)
    assert later.before == 50
    assert later.causes[0].event != panel.causes[0].event
    last = show("findings", id_, event=later.causes[-1].event)
    assert any(cause.current for cause in last.causes)
    html = write("findings", id_, event=2)
    assert len(re.findall(r"<[a-z]", html)) < 1_900
