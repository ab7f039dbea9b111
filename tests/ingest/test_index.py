"""Folding and counting: what stands in the rows of records, segments and checkpoints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.streams import finished, message, started
from webapp.core import Record, Replay
from webapp.ingest import index as places
from webapp.ingest.index import HEAD, MAX_TYPES, SEQ, Indexer
from webapp.storage import bulk
from webapp.storage.models import EventRow, Segment

Event = dict[str, Any]


def indexed(*events: Event) -> Indexer:
    replay = Replay("ag-ui")
    index = Indexer(7, replay.held)
    for number, event in enumerate(events):
        payload = json.dumps(event).encode()
        index.add(Record(payload, number + 1, number * 10), replay.feed(payload))
    index.finish()
    return index


def rows(index: Indexer) -> list[dict[str, Any]]:
    names = bulk.columns(EventRow)
    return [dict(zip(names, row, strict=True)) for row in index.events]


def segments(index: Indexer) -> list[dict[str, Any]]:
    names = bulk.columns(Segment)
    return [dict(zip(names, row, strict=True)) for row in index.bursts.segments]


def heads(index: Indexer) -> list[int]:
    return [row[SEQ] for row in index.events if row[HEAD]]


def piece(id_: str, delta: str, **more: Any) -> Event:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": id_, "delta": delta, **more}


def chunk(id_: str, delta: str, **more: Any) -> Event:
    return {"type": "TEXT_MESSAGE_CHUNK", "messageId": id_, "role": "assistant", "delta": delta, **more}


def test_the_places_of_columns_are_those_of_the_table() -> None:
    """Rows are tuples, so a column that is put in between would move all behind it."""
    names = ("SEQ", "HEAD", "AT", "TS", "PREFIX", "TYPE", "ITEM", "SYNTHS")
    columns = ["seq", "head", "at", "ts", "prefix_at", "type", "item", "synth"]
    assert [bulk.columns(EventRow)[getattr(places, name)] for name in names] == columns


def test_growth_folds_under_its_first_record() -> None:
    """Start, three pieces, end: three rows of the folded view, one segment with the text."""
    index = indexed(started(), *message("m1", "a", "b", "c"), finished())
    assert heads(index) == [0, 1, 2, 5, 6]
    (segment,) = segments(index)
    assert (segment["first"], segment["last"], segment["burst"], segment["burst_last"]) == (2, 4, 2, 4)
    assert (segment["text"], segment["count"], segment["chars"], segment["kind"]) == ("abc", 3, 3, "text")


def test_a_lane_reaches_from_its_first_record_to_its_last() -> None:
    """However often they take turns, and also where one goes on for long."""
    one, two = {"subagentRunId": "s1"}, {"subagentRunId": "s2"}
    index = indexed(
        started(),
        {"type": "SUBAGENT_STARTED", "name": "a", **one},
        {"type": "SUBAGENT_STARTED", "name": "b", **two},
        *message("m1", "a", "b", **one),
        *message("m2", "a", **two),
        *message("m3", "a", "b", **one),
        *message("m4", "a", "b"),
    )
    assert [row["lane"] for row in rows(index)] == [0, 1, 2, *[1] * 4, *[2] * 3, *[1] * 4, *[0] * 4]
    assert [(lane.first, lane.last) for lane in index.lanes.all] == [(0, 17), (1, 13), (2, 9)]


def test_two_items_in_one_burst_have_a_segment_each() -> None:
    """Parallel subagents fold together; each keeps its own text and its own first and last record."""
    a, b = {"subagentRunId": "A"}, {"subagentRunId": "B"}
    opened = [
        {"type": "SUBAGENT_STARTED", "name": "one", **a},
        {"type": "SUBAGENT_STARTED", "name": "two", **b},
        message("a1", **a)[0],
        message("b1", **b)[0],
    ]
    grown = [piece("a1", "x", **a), piece("b1", "1", **b), piece("a1", "y", **a), piece("b1", "2", **b)]
    index = indexed(started(), *opened, *grown)
    assert heads(index) == [0, 1, 2, 3, 4, 5]
    got = [
        (s["first"], s["last"], s["burst"], s["burst_last"], s["lane"], s["text"]) for s in segments(index)
    ]
    assert got == [(5, 7, 5, 8, 1, "xy"), (6, 8, 5, 8, 2, "12")]


@pytest.mark.parametrize(
    ("pieces", "size", "cuts"), [(1001, 1, [2, 502, 1002]), (5, 40_000, [2, 4, 6]), (3, 70_000, [2, 3, 4])]
)
def test_a_burst_is_cut_where_it_is_full(pieces: int, size: int, cuts: list[int]) -> None:
    """At 500 records, or once it holds 64 kB of text."""
    index = indexed(started(), *message("m1", *("x" * size for _ in range(pieces))))
    assert [segment["burst"] for segment in segments(index)] == cuts
    assert sum(segment["chars"] for segment in segments(index)) == pieces * size


def test_a_finding_is_never_folded() -> None:
    """A piece with an unknown member stands for itself, and its text is kept all the same."""
    index = indexed(
        started(), message("m1")[0], piece("m1", "a"), piece("m1", "b", colour=1), piece("m1", "c")
    )
    assert heads(index) == [0, 1, 2, 3, 4]
    assert [segment["text"] for segment in segments(index)] == ["a", "b", "c"]
    assert [row["severity"] for row in rows(index)] == [None, None, None, 2, None]


def test_a_merged_finding_marks_each_of_its_places() -> None:
    """The second and third record with the same fault are hits as well."""
    odd = {"type": "CUSTOM", "name": "com.example.n", "value": 1, "colour": 1}
    index = indexed(started(), odd, odd, {"type": "CUSTOM", "name": "com.example.n", "value": 1}, odd)
    assert index.hits == {1: 2, 2: 2, 4: 2}


def test_a_burst_ends_at_the_rejection() -> None:
    """What came after the client stopped is not folded with what it saw, nor counted as seen."""
    index = indexed(
        started(), message("m1")[0], piece("m1", "abc"), piece("m9", "x"), piece("m1", "de"), piece("m1", "f")
    )
    assert heads(index) == [0, 1, 2, 3, 4]
    assert [row["reached"] for row in rows(index)] == [0, 0, 0, 2, 3, 3]
    seen = {entry.item.id: entry.seen for entry in index.entries.values()}
    assert seen == {"m1": 3, "m9": 0}


def test_chunks_say_what_was_derived_from_them() -> None:
    """The first opens and grows, the next only grow and fold, another id ends the one before."""
    index = indexed(
        started(), chunk("m1", "a"), chunk("m1", "b"), chunk("m1", "c"), chunk("m2", "d"), finished()
    )
    got = rows(index)
    assert [row["synth"] for row in got] == [
        None, "start:0;grew:0", "grew:0", "grew:0", "end:0;start:1;grew:1", "end:1",
    ]  # fmt: skip
    assert [row["change"] for row in got[1:5]] == ["opened", "grew", "grew", "opened"]
    assert [row["item"] for row in got[1:5]] == [0, 0, 0, 1]
    assert heads(index) == [0, 1, 2, 4, 5]
    assert [(s["burst"], s["text"]) for s in segments(index)] == [(1, "a"), (2, "bc"), (4, "d")]


def test_a_split_emoji_is_whole_in_its_segment() -> None:
    """Two halves of a surrogate pair in two deltas are joined before they are stored."""
    index = indexed(started(), message("m1")[0], piece("m1", "\ud83d"), piece("m1", "\ude00"))
    assert [segment["text"] for segment in segments(index)] == ["😀"]


def test_items_are_numbered_within_their_kind() -> None:
    """`message 2` is the second message, whatever came between."""
    call = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "t"}
    index = indexed(started(), *message("m1", "a"), call, *message("m2", "b"))
    numbered = {(e.item.kind, e.item.id): e.number for e in index.entries.values()}
    assert numbered == {("text", "m1"): 1, ("tool", "c"): 1, ("text", "m2"): 2}


def test_checkpoints_list_what_is_open() -> None:
    """Every thousand records; a closed item is not in it."""
    filler = [{"type": "CUSTOM", "name": "com.example.n", "value": 1}] * 2100
    index = indexed(started(), *message("m1", "a"), message("m2")[0], *filler)
    by_seq = {row["seq"]: row["open"] for row in index.checkpoints}
    opened = next(ord_ for ord_, entry in index.entries.items() if entry.item.id == "m2")
    assert by_seq == {999: [opened], 1999: [opened]}


def test_a_snapshot_makes_a_checkpoint() -> None:
    """With the messages held right after it."""
    told = {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u1", "role": "user", "content": "hi"}]}
    index = indexed(started(), told)
    assert [(row["seq"], row["messages"]) for row in index.checkpoints] == [(1, [["u1", "user"]])]


def test_distinct_types_are_counted_up_to_a_limit() -> None:
    """A stream of invented types does not fill the summary; each record still says its own."""
    invented = [{"type": f"T{n:04}" + "x" * 100} for n in range(MAX_TYPES + 50)]
    index = indexed(started(), *invented)
    assert len(index.types) == MAX_TYPES
    assert rows(index)[-1]["type"] == f"T{MAX_TYPES + 49:04}" + "x" * 55
