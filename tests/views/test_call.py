"""The form that calls an agent: what it begins with, and how an earlier run comes back in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from sqlalchemy.orm import Session

from webapp.core.agui.values import RunAgentInput
from webapp.ingest.call.asked import read_input
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.views import call

Store = Callable[..., str]
ASKED = {"threadId": "t-1", "runId": "r-1", "messages": [{"id": "m", "role": "user", "content": "Hi “you”"}]}
STARTED = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}


def of(session: Session, id_: str) -> Trace:
    trace = traces.get(session, id_)
    assert trace is not None
    return trace


def repeated(database: Database, id_: str, event: int | None = None) -> call.Filled:
    with database.session() as session:
        return call.repeated(session, of(session, id_), "fresh", event)


@pytest.mark.parametrize("start", call.STARTS)
def test_an_example_is_a_run_input_as_the_protocol_has_it(start: str) -> None:
    """Strictly decoded, accepted by the form, with every member that agents of older versions insist on."""
    filled = call.begun(start, "abc")
    value, _ = read_input(filled.run_input)
    msgspec.convert(value, RunAgentInput)
    assert value["runId"] == "run-abc"
    assert {"state", "messages", "tools", "context", "forwardedProps", "protocolVersion"} <= value.keys()
    assert filled.start == start


def test_the_links_of_the_examples_keep_the_address() -> None:
    """Without its query, which may hold a credential; the one in use is marked; a name nobody knows is the first."""
    links = call.starts("tools", "http://h/?a=1&b=2")
    assert [link.name for link in links if link.current] == ["tools"]
    assert links[0].href == "/call?as=question&url=http%3A%2F%2Fh%2F"
    assert links[0].part == "/call/input?as=question"
    assert call.begun("nonsense", "x").start == "question"


def test_a_repeat_has_the_same_thread_and_a_new_run(database: Database, keep: Store) -> None:
    """All else is as it was sent, and the form says what is new."""
    id_ = keep([STARTED], run_input=ASKED, name="the run")
    filled = repeated(database, id_)
    assert json.loads(filled.run_input) == {**ASKED, "runId": "run-fresh"}
    assert "“you”" in filled.run_input  # letters stay letters
    assert (filled.url, filled.name, filled.back) == ("", "the run, again", f"/traces/{id_}")
    assert "same thread under a new runId" in filled.hint


def test_a_repeat_goes_to_where_the_run_was_called(database: Database, keep: Store) -> None:
    """The trace of a call knows its agent’s address."""
    id_ = keep([STARTED], run_input=ASKED, source="http://127.0.0.1:8000/agent")
    assert repeated(database, id_).url == "http://127.0.0.1:8000/agent"
    id_ = keep([{**STARTED, "runId": "r-2"}], run_input=ASKED, source="https.sse")
    assert repeated(database, id_).url == ""


def test_the_echo_of_the_run_at_the_chosen_event_is_repeated(database: Database, keep: Store) -> None:
    """Without a run input of the trace, what a run echoes is what was asked; of several runs the chosen one’s."""
    second = {**STARTED, "runId": "r-2", "input": {**ASKED, "runId": "r-2", "state": {"n": 2}}}
    first = {**STARTED, "input": {**ASKED, "state": {"n": 1}}}
    finish = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
    id_ = keep([first, finish, second])
    for event, state in ((None, 1), (0, 1), (1, 1), (2, 2), (99, 2)):
        assert json.loads(repeated(database, id_, event).run_input)["state"] == {"n": state}


@pytest.mark.parametrize("body", [[STARTED], b"nothing here is an event\n"])
def test_a_trace_without_a_run_input_begins_with_a_question(
    database: Database, keep: Store, body: Any
) -> None:
    """The form is there all the same, and says so."""
    filled = repeated(database, keep(body))
    assert json.loads(filled.run_input)["messages"]
    assert "holds no run input" in filled.hint


def test_a_credential_that_was_overwritten_is_said_to_be_missing(database: Database, keep: Store) -> None:
    """Whoever repeats the run learns that the agent would get the marker."""
    asked = {**ASKED, "forwardedProps": {"apiKey": "sk-abcdefghijklmnopqrstuvwx12345678"}}
    filled = repeated(database, keep([STARTED], run_input=asked))
    assert "sk-abcdef" not in filled.run_input
    assert "Credentials in it were overwritten" in filled.hint


def test_a_run_input_that_is_too_long_is_not_put_into_a_field(
    database: Database, keep: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser would choke on it."""
    monkeypatch.setattr(call, "MAX_SHOWN", 500)
    filled = repeated(database, keep([STARTED], run_input={**ASKED, "state": "x" * 600}))
    assert "xxx" not in filled.run_input
    assert "too long to be edited" in filled.hint


def test_what_no_text_can_hold_stays_an_escape() -> None:
    """Half a surrogate pair is legal in JSON and in no page."""
    assert call.laid_out({"a": "\ud83d"}) == '{\n  "a": "\\ud83d"\n}'


def test_calls_that_run_are_listed_with_their_age() -> None:
    """Each with the page of its trace."""
    page = call.page(
        call.Filled(),
        hosts="localhost",
        running=[("abc", "http://h/", 0.0), ("def", "http://i/", 590.0)],
        now=600.0,
    )
    assert [(line.base, line.since) for line in page.running] == [
        ("/traces/abc", "10 min"),
        ("/traces/def", "now"),
    ]
