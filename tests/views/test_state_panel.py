"""The State panel on stored traces: the state at any event is the engine's, its changes marked, its size bounded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.bench.streams import state_heavy
from webapp.app import create_app
from webapp.core import Replay
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views import state_load
from webapp.views.page import PageContext
from webapp.views.panels.state import StatePanel
from webapp.views.selection import Selection, parse
from webapp.views.state_tree import Node
from webapp.views.trace import TraceView, build

Show = Callable[..., StatePanel]
Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
END = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


@pytest.fixture
def view(database: Database) -> Callable[..., TraceView]:
    def made(
        events: list[Event] | list[bytes], run_input: Any = None, panel: str = "state", **chosen: Any
    ) -> TraceView:
        data = [e if isinstance(e, bytes) else b"data: " + json.dumps(e).encode() + b"\n\n" for e in events]
        stored = ingest(database, data, name="shop", run_input=run_input)
        with database.session() as session:
            trace = traces.get(session, stored.id)
            assert trace is not None
            return build(session, trace, Selection("/traces/x", panel, **chosen))

    return made


@pytest.fixture
def show(view: Callable[..., TraceView]) -> Show:
    def panel(*given: Any, **chosen: Any) -> StatePanel:
        made = view(*given, **chosen).panel
        assert isinstance(made, StatePanel)
        return made

    return panel


def whole(value: Any) -> Event:
    return {"type": "STATE_SNAPSHOT", "snapshot": value}


def patch(*operations: Event, **more: Any) -> Event:
    return {"type": "STATE_DELTA", "delta": list(operations), **more}


def put(path: str, value: Any) -> Event:
    return {"op": "add", "path": path, "value": value}


def drop(path: str) -> Event:
    return {"op": "remove", "path": path}


def asked(state: Any = None, **more: Any) -> Event:
    given: Event = {"threadId": "t", "runId": "r", "messages": [], **more}
    return given if state is None else {**given, "state": state}


def nodes(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return [node, *(inner for child in node.children or () for inner in nodes(child))]


def lines(panel: StatePanel) -> dict[str, str]:
    """`key: text` of every line of the tree, with its mark's sign in front."""
    return {f"{node.sign}{node.key}": node.text for node in nodes(panel.tree)[1:]}


# ── the state as of an event ─────────────────────────────────


def test_the_state_at_any_event_is_the_engines(database: Database) -> None:
    """On a trace of many patches, some failing, across checkpoints."""
    body = list(state_heavy(1_200, 12))
    stored = ingest(database, body, name="heavy")
    replay, held = Replay("ag-ui"), []
    for block in body:
        replay.feed(block.removeprefix(b"data: ").strip())
        held.append(replay.state_now())
    with database.session() as session:
        trace = traces.get(session, stored.id)
        assert trace is not None
        page = PageContext(trace, 0, {})
        for seq in (0, 1, 2, 9, 57, 640, 641, 1001, 1190, 1202):
            assert state_load.rebuild(session, trace, page, seq).value == held[seq], seq


def test_snapshot_and_patches_are_told_in_order(show: Show) -> None:
    """What was there before the event is not undone by what comes after it."""
    events = [START, whole({"a": 1}), patch(put("/b", 2)), patch(drop("/a")), END]
    assert lines(show(events, event=2)) == {"a": "1", "+b": "2"}
    assert lines(show(events, event=4)) == {"b": "2", "−a": "1"}
    assert lines(show(events, event=2, asof="end")) == {"b": "2", "−a": "1"}


def test_a_change_says_what_was_and_what_is(show: Show) -> None:
    """With a sign and a word, not by colour alone."""
    panel = show(
        [START, whole({"a": {"b": "old"}}), patch({"op": "replace", "path": "/a/b", "value": "new"}), END],
        event=2,
    )
    changed = next(node for node in nodes(panel.tree) if node.key == "b")
    assert (changed.sign, changed.word, changed.text, changed.was) == ("~", "changed", '"new"', '"old"')
    assert panel.last is not None
    assert [(t.sign, t.path, t.was, t.now) for t in panel.last.changed] == [("~", "/a/b", '"old"', '"new"')]
    assert panel.last.what == "Last changed by the patch at #2: 1 change"


def test_a_failed_patch_stays_in_its_place_with_its_reason(show: Show) -> None:
    """Nothing of it is kept; the neighbours are told as they are."""
    events = [START, whole({"a": 1}), patch(put("/b", 2), drop("/nope")), patch(put("/c", 3)), END]
    panel = show(events, event=2)
    assert lines(panel) == {"a": "1"}
    assert [(row.seq, bool(row.failed)) for row in panel.lines] == [(1, False), (2, True), (3, False)]
    assert "Operation 2 of 2" in panel.lines[1].failed
    assert "`/nope`" in panel.lines[1].failed
    assert panel.last is not None
    assert panel.last.failed == panel.lines[1].failed
    assert lines(show(events, event=3)) == {"a": "1", "+c": "3"}


def test_null_and_scalars_are_states(show: Show) -> None:
    """A snapshot may be any JSON value."""
    for value, text in ((None, "null"), (0, "0"), ("", '""'), (False, "false"), ([], "[]")):
        panel = show([START, whole({"a": 1}), whole(value), END], event=2)
        assert panel.tree is not None
        assert panel.tree.text == text
        assert panel.tree.sign == "~"


def test_a_malformed_snapshot_changes_nothing(show: Show) -> None:
    """A patch without its operations cannot be followed, and the state stays."""
    panel = show([START, whole({"a": 1}), {"type": "STATE_DELTA", "delta": 7}, END], event=2)
    assert {"a": "1"}.items() <= lines(panel).items()


# ── where it starts, where it stops ──────────────────────────


def test_the_state_starts_from_the_requests_state(show: Show) -> None:
    """Uploaded, echoed, or unknown; said in words."""
    events = [START, patch(put("/b", 2)), END]
    uploaded = show(events, asked({"a": 1}), event=1)
    assert lines(uploaded) == {"a": "1", "+b": "2"}
    assert "given with the recording" in uploaded.starts
    echo = show([{**START, "input": asked({"a": 5})}, *events[1:]], event=1)
    assert lines(echo) == {"a": "5", "+b": "2"}
    assert "echoes it at #0" in echo.starts
    unknown = show([START, {"type": "CUSTOM", "name": "n", "value": 1}, *events[1:]], event=2)
    assert lines(unknown) == {"+b": "2"}
    assert "not recorded" in unknown.starts


def test_where_it_started_is_of_no_matter_after_a_snapshot(show: Show) -> None:
    """Nothing is said of the request once the state came whole; before that it is."""
    events = [START, patch(put("/b", 2)), whole({"a": 1}), patch(put("/c", 3)), END]
    assert "not recorded" in show(events, event=1).starts
    assert show(events, event=2).starts == ""
    assert show(events, event=3).starts == ""


def test_before_the_first_state_event_it_is_the_requests(show: Show) -> None:
    """And the way to the first one is a link."""
    panel = show(
        [{**START, "input": asked({"a": 5})}, {"type": "CUSTOM", "name": "n", "value": 1}, whole(1), END],
        event=1,
    )
    assert lines(panel) == {"a": "5"}
    assert (panel.prev, panel.next, panel.last) == (None, 2, None)


def test_after_the_rejection_the_state_never_reached_the_application(show: Show) -> None:
    """Said above it, and each record after the stop is marked."""
    bad = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
    events = [START, whole({"a": 1}), bad, patch(put("/a", 2)), END]
    before = show(events, event=1)
    assert (before.stop, before.unseen) == ("", False)
    at = show(events, event=2)
    assert not at.unseen
    assert at.stop == "A client stopped at #2. The application holds this state."
    after = show(events, event=3)
    assert after.unseen
    assert "never reached the application. It still holds the state as of #1." in after.stop
    assert [(row.seq, row.unseen, row.stop) for row in after.lines] == [(1, False, False), (3, True, True)]


def test_a_trace_without_state_says_so(view: Callable[..., TraceView]) -> None:
    """In the panel and on its tab."""
    made = view([START, END])
    assert made.panel.empty == "This recording sends no shared state."
    assert {tab.label: tab.small for tab in made.tabs}["State"] == "none"
    some = view([START, whole(1), END])
    assert {tab.label: tab.small for tab in some.tabs}["State"] == "1"
    assert [tab.label for tab in some.tabs][3:6] == ["Conversation", "State", "Findings"]


# ── bounded, and opened by links ─────────────────────────────


def test_large_values_are_folded_and_opened_by_a_path(show: Show) -> None:
    """Counts say what is folded; a long text is cut with its length."""
    state = {"rows": [{"n": n} for n in range(500)], "text": "x" * 5_000}
    panel = show([START, whole(state), END], event=1)
    assert lines(panel)["rows"] == "500 elements"
    text = next(node for node in nodes(panel.tree) if node.key == "text")
    assert text.long == "5,000 characters"
    assert len(text.text) < 200
    rows = next(node for node in nodes(panel.tree) if node.key == "rows")
    assert "path=%2Frows" in rows.href
    opened = show([START, whole(state), END], event=1, path="/rows")
    assert opened.tree is not None
    assert [crumb.name for crumb in opened.crumbs] == ["state", "rows"]
    assert opened.tree.rest == "400 more not shown"
    assert "start=100" in opened.tree.rest_href
    later = show([START, whole(state), END], event=1, path="/rows", start=400)
    assert later.tree is not None
    assert next(node.key for node in later.tree.children or ()) == "400"
    alone = show([START, whole(state), END], event=1, path="/text")
    assert alone.tree is None
    assert alone.body is not None
    assert len(alone.body.head) > 1_000


def test_a_change_deep_in_a_large_value_is_in_sight(show: Show) -> None:
    """What leads to it is open although its neighbours are folded."""
    state = {"rows": [{"n": n, "inner": {"x": 0}} for n in range(500)]}
    panel = show([START, whole(state), patch(put("/rows/444/inner/x", 1)), END], event=2)
    assert [node.key for node in nodes(panel.tree) if node.sign] == ["x"]


def test_a_path_that_leads_nowhere_gives_the_nearest_value(show: Show) -> None:
    """With a sentence; the path stays in the links of the scrubber."""
    panel = show([START, whole({"a": {"b": 1}}), END], event=1, path="/a/c/d")
    assert panel.missing == "There is no `/a/c` in the state as of #1."
    assert [crumb.name for crumb in panel.crumbs] == ["state", "a"]


def test_neighbours_are_links_of_any_distance(show: Show) -> None:
    """State events far apart are one step apart."""
    quiet = [{"type": "CUSTOM", "name": "n", "value": n} for n in range(600)]
    panel = show([START, whole(1), *quiet, whole(2), END], event=300)
    assert (panel.prev, panel.next) == (1, 602)
    assert show([START, whole(1), *quiet, whole(2), END], event=1).prev is None


@pytest.mark.parametrize(
    "state",
    [
        {f"key {n}": {"a": [1, 2, {"b": "x" * 900}]} for n in range(3_000)},
        [[[[{"n": n, "list": list(range(50))} for n in range(30)]]]],
        {"deep": json.loads("[" * 150 + "1" + "]" * 150)},
    ],
)
def test_the_page_stays_small_whatever_the_state(database: Database, tmp_path: Path, state: Any) -> None:
    """At most some 1,200 elements, by the number of tags opened in the panel."""
    events = [
        START,
        whole({}),
        whole(state),
        patch(put("/new" if isinstance(state, dict) else "/-", state)),
        END,
    ]
    stored = ingest(database, [b"data: " + json.dumps(e).encode() + b"\n\n" for e in events], name="big")
    with TestClient(create_app(load_settings(data_dir=tmp_path)), base_url="http://127.0.0.1") as client:
        for event in (2, 3):
            answer = client.get(f"/traces/{stored.id}/state?event={event}")
            assert answer.status_code == 200
            panel = answer.text.partition('id="state"')[2].partition("<aside")[0]
            assert panel.count("</") < 1_200
            assert len(answer.text) < 400_000


def test_hostile_keys_are_text_and_make_no_broken_link(show: Show) -> None:
    """Half characters, markup and blanks in keys."""
    state = {"<b>": {"x": [1] * 50}, "\ud83d": {"y": [1] * 50}, " ": [1] * 50, "": 1}
    panel = show([START, whole(state), END], event=1)
    shown = {node.key: node for node in nodes(panel.tree)}
    assert '""' in shown
    assert shown["�\\ud83d"].href == ""
    for node in nodes(panel.tree):
        node.href.encode()


def test_the_url_keeps_the_path_and_the_panel_drops_it() -> None:
    """Read back as it was written, blanks at its end too."""
    sel = parse("/traces/x", {"panel": "state", "path": "/a b/c "})
    assert sel.path == "/a b/c "
    assert "path=%2Fa+b%2Fc+" in sel.href(event=3)
    assert "path" not in sel.href(panel="events")


# ── activity messages ────────────────────────────────────────


def activity(content: Any, **more: Any) -> Event:
    return {
        "type": "ACTIVITY_SNAPSHOT",
        "messageId": "card",
        "activityType": "PLAN",
        "content": content,
        **more,
    }


def step(*operations: Event) -> Event:
    return {"type": "ACTIVITY_DELTA", "messageId": "card", "activityType": "PLAN", "patch": list(operations)}


def held(panel: StatePanel) -> dict[str, str]:
    (one,) = panel.activities
    return {f"{node.sign}{node.key}": node.text for node in nodes(one.tree)[1:]}


def test_an_activity_is_told_as_of_the_event(show: Show) -> None:
    """Its content then, the last patch marked, a failed one with its reason."""
    events = [START, activity({"n": 1}), step(put("/m", 2)), step(drop("/nope")), activity({"n": 9}), END]
    assert show(events, event=0).activities == []
    assert held(show(events, event=1)) == {"n": "1"}
    assert held(show(events, event=2)) == {"n": "1", "+m": "2"}
    failed = show(events, event=3)
    assert held(failed) == {"n": "1", "m": "2"}
    assert "`/nope`" in failed.activities[0].failed
    assert held(show(events, event=4)) == {"~n": "9", "−m": "2"}


def test_a_snapshot_that_must_not_replace_leaves_what_is_there(show: Show) -> None:
    """`replace: false` creates, and then does nothing."""
    events = [
        START,
        activity({"n": 1}, replace=False),
        step(put("/n", 2)),
        activity({"n": 3}, replace=False),
        END,
    ]
    assert held(show(events, event=1)) == {"n": "1"}
    assert held(show(events, event=3)) == {"n": "2"}


def test_a_message_snapshot_sets_or_removes_an_activity(show: Show) -> None:
    """With the role in the list it is the whole set; without the role nothing happens to it."""
    card = {"id": "card", "role": "activity", "activityType": "PLAN", "content": {"n": 7}}
    other = {**card, "id": "other"}

    def listed(*messages: Event) -> list[Event]:
        return [START, activity({"n": 1}), {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}, END]

    assert held(show(listed(), event=2)) == {"n": "1"}
    assert held(show(listed(card), event=2)) == {"n": "7"}
    gone = show(listed(other), event=2)
    assert gone.activities[0].tree is None
    assert "#2" in gone.activities[0].gone


def test_an_activity_goes_on_in_the_next_run(show: Show) -> None:
    """One message, although each run counts it as an item of its own."""
    again = [{**START, "runId": "r2"}, step(put("/m", 2)), {**END, "runId": "r2"}]
    panel = show([START, activity({"n": 1}), END, *again], event=4)
    assert held(panel) == {"n": "1", "+m": "2"}


# ── what the run was asked, how it ended ─────────────────────


def test_the_source_panel_tells_what_the_run_was_asked(view: Callable[..., TraceView]) -> None:
    """Uploaded and echoed, with tools, context and answers to interrupts."""
    given = asked(
        {"cart": {}},
        messages=[{"id": "u", "role": "user", "content": "Where is it?"}],
        tools=[{"name": "track", "description": "Finds it", "parameters": {"properties": {"id": {}}}}],
        context=[{"description": "page", "value": "/orders"}],
        resume=[{"interruptId": "i", "status": "resolved", "payload": {"ok": True}}],
    )
    panel = view([{**START, "input": given}, END], given, "source").panel
    assert [told.title for told in panel.asked] == [
        "The run input given with the recording",
        "The run input that the run echoes at #0",
    ]
    for told in panel.asked:
        assert told.brief == "1 message, 1 tool, 1 context entry, 1 answer to an interrupt, a state"
        assert dict(told.facts)["messages"] == "1 user; the user said last: “Where is it?”"
        assert [(each.label, each.entries[0].name, each.entries[0].word) for each in told.lists] == [
            ("Tools offered, 1", "track", "1 parameter"),
            ("Context, 1", "page", ""),
            ("Resumes, 1", "i", "resolved"),
        ]
    assert view([START, END], None, "source").panel.asked == []


def test_cancelled_and_paused_runs_are_neither_success_nor_failure(view: Callable[..., TraceView]) -> None:
    """In words and in looks; several runs are listed with their range."""
    cancelled = {**END, "outcome": {"type": "cancelled"}}
    one = view([START, cancelled])
    assert "cancelled, neither finished nor failed" in one.banner.meta
    assert one.runs[0].hue == "none"
    two = view([START, cancelled, {**START, "runId": "r2"}, {**END, "runId": "r2"}])
    assert "2 runs: 1 cancelled, 1 finished" in two.banner.meta
    assert [(run.id, run.first, run.last, run.hue) for run in two.runs] == [
        ("r", 0, 1, "none"),
        ("r2", 2, 3, "ok"),
    ]


def test_a_change_out_of_sight_is_one_link_away(show: Show) -> None:
    """The list of changes opens what each of them is in."""
    panel = show([START, whole({"rows": [{"n": 0}] * 500}), patch(put("/rows/444/n", 1)), END], event=2)
    assert panel.last is not None
    assert "path=%2Frows%2F444" in panel.last.changed[0].href
