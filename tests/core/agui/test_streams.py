"""Chunk streams are found by lane, by id and by kind, however many are open."""

from __future__ import annotations

import random

from webapp.core import Replay
from webapp.core.agui.streams import Stream, Streams
from webapp.core.records import Item


def opened(kind: str, id_: str, lane: str | None, *, named: bool = True) -> Stream:
    item = Item(ord=0, kind=kind, id=id_, lane=lane, owner=lane, run=0, first=0, last=0, opened=0, state="open",
                via="chunk")  # fmt: skip
    stream = Stream(kind, id_, item, lane, 0, {})
    stream.named = named
    return stream


def test_every_look_up_says_what_a_walk_over_all_lanes_would() -> None:
    """After any beginnings and ends, in any order."""
    rnd = random.Random(7)
    streams = Streams()
    for _ in range(2_000):
        lane = rnd.choice([None, "", "a", "b", "c", "d"])
        if lane in streams:
            streams.finish(lane)
        else:
            named = rnd.random() < 0.8
            streams.begin(lane, opened(rnd.choice(["text", "tool"]), rnd.choice("xyz"), lane, named=named))
        for kind in ("text", "tool", "reasoning"):
            assert streams.of_kind(kind) == {at: s for at, s in streams.items() if s.kind == kind}
            for id_ in "xyz":
                walked = [
                    (at, s) for at, s in streams.items() if (s.kind, s.id, s.named) == (kind, id_, True)
                ]
                assert streams.holder(kind, id_) == (walked[0] if walked else None)


def test_an_ambiguous_chunk_lists_some_of_many_lanes() -> None:
    """Thousands of open streams are counted; a finding names and links a few."""
    judge = Replay("ag-ui")
    judge.feed(b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}')
    for number in range(1_000):
        judge.feed(
            b'{"type":"TEXT_MESSAGE_CHUNK","messageId":"m%d","delta":"x","subagentRunId":"s%d"}'
            % (number, number)
        )
    judge.feed(b'{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}')
    finding = next(found for found in judge.finish().findings if found.rule == "AGUI-CHK-10")
    assert "any of 1000 open chunk streams" in finding.message
    assert len(finding.related) == 200
