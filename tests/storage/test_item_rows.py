"""Items, their text, and what was open when."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sqlalchemy.orm import Session

from tests.streams import finished, message, started
from webapp.storage import items, texts
from webapp.storage.models import Trace


def test_text_as_of_a_record_is_what_had_come_by_then(session: Session, long_trace: Trace) -> None:
    """Before, inside a burst, at its end and after the message."""
    item = items.by_id(session, long_trace.pk, "m1")[0]
    whole = "".join(f"w{n} " for n in range(1200))

    def at(seq: int) -> str:
        return "".join(texts.stream(session, long_trace.pk, item.ord, seq))

    assert at(1) == ""
    assert at(2) == "w0 "
    assert at(700) == "".join(f"w{n} " for n in range(699))
    assert at(1001) == "".join(f"w{n} " for n in range(1000))
    assert at(2603) == whole
    assert item.chars == item.chars_seen == len(whole)


def test_text_of_chunks_is_followed_too(session: Session, store: Callable[..., Trace]) -> None:
    """The first chunk opens and carries text; a later cut is inside a burst."""
    chunk: dict[str, Any] = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "role": "assistant"}
    trace = store([started(), *({**chunk, "delta": d} for d in ("Dear ", "Ms ", "X", ",")), finished()])
    item = items.by_id(session, trace.pk, "m1")[0]
    told = ["".join(texts.stream(session, trace.pk, item.ord, seq)) for seq in range(6)]
    assert told == ["", "Dear ", "Dear Ms ", "Dear Ms X", "Dear Ms X,", "Dear Ms X,"]
    assert item.via == "chunk"


def test_segments_are_found_by_window(session: Session, long_trace: Trace) -> None:
    """A window in the middle of a burst gets the whole burst."""
    found = items.segments_in(session, long_trace.pk, 0, 1201)
    assert [(s.first, s.last, s.count) for s in found] == [(2, 501, 500), (502, 1001, 500), (1002, 1201, 200)]
    assert [s.first for s in items.segments_in(session, long_trace.pk, 600, 610)] == [502]
    assert [s.first for s in items.segments_in(session, long_trace.pk, 0, 1)] == []
    assert [s.first for s in items.segments_in(session, long_trace.pk, 501, 502)] == [2, 502]


def test_items_open_in_a_window_come_from_the_checkpoint_before_it(
    session: Session, long_trace: Trace
) -> None:
    """A message opened at #1 is still there at #1100; at #2000 only the call is."""
    pk = long_trace.pk
    assert [i.id for i in items.overlapping(session, pk, 1100, 1110)] == ["m1"]
    assert [i.id for i in items.overlapping(session, pk, 2000, 2010)] == ["c1"]
    assert [i.id for i in items.overlapping(session, pk, 1190, 1300)] == ["m1", "c1"]
    assert items.overlapping(session, pk, 2603, 2603) == []


def test_an_item_never_closed_is_open_until_its_run_ends(
    session: Session, store: Callable[..., Trace]
) -> None:
    """A step without an end reaches to the end of a recording that breaks off."""
    step = {"type": "STEP_STARTED", "stepName": "plan"}
    trace = store([started(), step, *message("m1", *("x" for _ in range(1500)))])
    assert "plan" in [i.name for i in items.overlapping(session, trace.pk, 1400, 1410)]


def test_items_by_number_and_in_order(session: Session, store: Callable[..., Trace]) -> None:
    """Rows are found by running number, and by ids of a kind up to a record."""
    trace = store("pydantic-parallel")
    ids = ["call_p2", "call_p0", "call_p1", "no such"]
    tools = items.by_ids(session, trace.pk, ids, ("tool",))
    assert [(i.id, i.number, i.name) for i in tools] == [(f"call_p{n}", n + 1, "weather") for n in range(3)]
    assert items.by_ords(session, trace.pk, [tools[1].ord, None, 999])[tools[1].ord].id == "call_p1"
    assert items.by_ords(session, trace.pk, [None]) == {}
    early = items.by_ids(session, trace.pk, ids, ("tool", "text"), upto=tools[1].first)
    assert [i.id for i in early] == ["call_p0", "call_p1"]
    assert items.by_ids(session, trace.pk, ids, ("text",)) == []
    found = items.by_ord(session, trace.pk, tools[2].ord)
    assert found is not None
    assert found.severity == 0 or found.severity is None
    assert tools[0].severity == 0  # the call whose arguments went on after its end


def test_lanes_tell_names_parents_and_ends(session: Session, store: Callable[..., Trace]) -> None:
    """Two subagents, one fails, one nested in the other."""
    trace = store("proto-subagents")
    lanes = items.lanes(session, trace.pk)
    named = {lane.tag: lane for lane in lanes}
    assert lanes[0].tag is None
    assert (named["A"].name, named["A"].parent, named["A"].started is not None) == ("researcher", 0, True)
    assert {lane.state for lane in lanes[1:]} == {"finished", "error"}
    failed = next(lane for lane in lanes if lane.state == "error")
    assert failed.message
    assert any(lane.parent not in (None, 0) for lane in lanes)
    assert [run.outcome for run in items.runs(session, trace.pk)] == ["success"]


def test_of_many_lanes_those_nearest_to_a_record_are_given(
    session: Session, store: Callable[..., Trace]
) -> None:
    """The parent always; at the beginning the first ones, at the end the last ones, never more than asked for."""
    subagents = [
        {
            "type": type_,
            "subagentRunId": f"s{n}",
            **({"name": f"n{n}"} if type_ == "SUBAGENT_STARTED" else {}),
        }
        for n in range(1, 31)
        for type_ in ("SUBAGENT_STARTED", "SUBAGENT_FINISHED")
    ]
    trace = store([started(), *subagents, finished()])

    def near(record: int) -> list[int]:
        return [lane.ord for lane in items.lanes(session, trace.pk, limit=11, around=record)]

    assert near(0) == list(range(11))
    assert near(31) == [0, *range(12, 22)]  # record 31 starts the sixteenth
    assert near(61) == [0, *range(21, 31)]


def test_a_snapshot_leaves_the_messages_then_held(session: Session, store: Callable[..., Trace]) -> None:
    """Right after a MESSAGES_SNAPSHOT the list of (id, role) is kept; before it there is none."""
    trace = store("msaf-old-tool")
    assert items.snapshot(session, trace.pk, 9) is None
    kept = items.snapshot(session, trace.pk, 20)
    assert kept is not None
    assert (kept.seq, [role for _, role in kept.messages or []]) == (10, ["user", "tool", "assistant"])
    assert json.dumps(kept.messages)
    dropped = items.by_id(session, trace.pk, "876a27b7-2e2c-4d44-bc7d-eb6d46902c21", "text")[0]
    assert dropped.gone == 10
