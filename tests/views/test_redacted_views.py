"""How panels of a trace without its texts read: markers are no keys, changes or names, and pieces are one text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.exchanges import broken, lines
from tests.streams import finished, message, sse, started
from webapp.ingest.copies import copy_for
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.models import Trace
from webapp.views import sealed
from webapp.views.page import load
from webapp.views.panels import conversation, exchanges, source, state
from webapp.views.selection import Selection
from webapp.views.teams.growth import growth

SETTINGS = load_settings()
STATE = (
    {"type": "STATE_SNAPSHOT", "snapshot": {"cart": [1, 2], "user": "Mia"}},
    {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/user", "value": "Ann"}]},
)


@pytest.fixture
def view(database: Database) -> Callable[..., Any]:
    """One panel of the copy of a recording, as of an event."""

    def build(data: bytes, panel: Any, event: int, **more: Any) -> Any:
        public = ingest(database, [data], name="x", settings=SETTINGS).id
        with database.session() as session:
            pk = _pk(session, public)
        made = copy_for(database, pk, "structure", SETTINGS)
        with database.session() as session:
            copy = traces.by_pk(session, made)
            assert copy is not None
            sel = Selection("/s/x", event=event, **more)
            return panel.build(session, copy, sel, load(session, copy, event, shared=True))

    return build


def _pk(session: Session, public: str) -> int:
    trace = traces.get(session, public)
    assert trace is not None
    return trace.pk


def test_pieces_of_a_message_are_one_marker(view: Callable[..., Any]) -> None:
    """With the sum of their lengths, also as of an event in the middle of them."""
    data = sse(started(), *message("m", "Dear ", "Mia, ", "hello"), finished())
    for event, chars in ((2, 5), (3, 10), (6, 15)):
        panel = view(data, conversation, event)
        assert str(panel.entries[0].body.head) == f"«redacted: {chars} chars»"


def test_the_state_is_told_in_words(view: Callable[..., Any]) -> None:
    """No tree of markers, no changes between them: what came, and how much of it."""
    panel = view(sse(started(), *STATE, finished()), state, 2)
    assert panel.redacted == sealed.NO_STATE
    assert panel.tree is None
    assert [(line.said, list(line.changed)) for line in panel.lines] == [
        ("the whole state, 27 characters of JSON", []),
        ("1 operation", []),
    ]
    assert panel.last.what == "The newest by then is the patch at #2: 1 operation"


def test_a_text_that_was_taken_out_is_not_compared() -> None:
    """A shorter one is not called rewritten."""
    found = growth("«redacted: 40 chars»", "«redacted: 28 chars»")
    assert not found.breaks
    assert found.words == "taken out, so not compared; 12 characters fewer than on screen"
    assert growth("Hello", "Help").breaks


def test_an_exchange_tells_lengths(view: Callable[..., Any]) -> None:
    """The refused chunk has its marker, and the finding about it stays."""
    panel = view(lines(broken()), exchanges, 1)
    assert panel.rows[1].text.new == "«redacted: 10 chars»"
    assert "not compared" in panel.rows[1].text.words


def test_source_shows_the_redacted_lines(view: Callable[..., Any]) -> None:
    """And says what was taken out; nothing is offered that needs the texts."""
    panel = view(sse(started(), *message("m", "Dear Mia"), finished()), source, 2)
    assert "«redacted: 8 chars»" in str(panel.rows[3].text)
    assert panel.masked == "Taken out: 1 text."
    assert (panel.again, panel.repeat) == ("", "")


def test_a_trace_says_whose_verdict_it_has() -> None:
    """Of an uploaded file it is the file's word; a trace that was judged here says nothing."""
    trace = Trace(redaction="structure", sealed={"engine": "1", "by": "file"}, engine="1")
    assert sealed.line(trace) == (
        "Texts were taken out: structure only. "
        "The verdict is the one sealed before that, by engine 1, as the file says."
    )
    assert sealed.line(Trace(redaction="", engine="2")) == ""


def test_what_can_be_downloaded() -> None:
    """Both levels; of a trace without texts one, and nothing while it is recorded."""
    whole = {"redaction": "", "status": "ready", "records": 3, "protocol": "ag-ui"}
    assert [file.level for file in sealed.files(Trace(**whole))] == ["structure", "personal"]
    assert [file.level for file in sealed.files(Trace(**{**whole, "redaction": "structure"}))] == [
        "structure"
    ]
    assert sealed.files(Trace(**{**whole, "status": "live"})) == ()
