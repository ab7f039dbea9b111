"""Everything the engine remembers about one AG-UI trace, and the few acts that change it.

Rules of this file: memory and bookkeeping; it decides nothing. The tables say which state follows, the verifying
modules say when; items, runs and tags change only through the methods here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webapp.core.agui.facts import RunFacts, TraceFacts
from webapp.core.agui.held import Held, Text
from webapp.core.agui.lost import LostEvents
from webapp.core.agui.streams import Streams
from webapp.core.findings import Finding, Run
from webapp.core.ledger import Ledger
from webapp.core.lookalikes import Lookalikes
from webapp.core.records import Emitted, Item

KINDS = ("text", "tool", "reasoning", "span", "step", "subagent", "activity", "result")
UNKNOWN = object()  # "no owner recorded"; None means the parent agent

NOUNS = {
    "text": "message",
    "tool": "tool call",
    "reasoning": "reasoning message",
    "span": "reasoning span",
    "step": "step",
    "subagent": "subagent",
    "activity": "activity",
    "result": "tool result",
}

# Ids are unique within a bucket: a span and the reasoning message in it share one, every message role but two another.
BUCKETS = {
    "text": "message",
    "tool": "tool",
    "reasoning": "reasoning",
    "span": "reasoning",
    "activity": "activity",
}


class World:
    """State of one trace. `items[kind][key]` are this run's items, `past` those of earlier runs."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.facts = RunFacts()
        self.trace = TraceFacts()
        self.held = Held()
        self.seq = 0
        self.type = ""  # wire type of the event at hand
        self.run_state = "start"
        self.runs: list[Run] = []
        self.run: Run | None = None
        self.run_opened = 0
        self.run_ended: tuple[int, str] | None = None  # record number and type of the last terminal event
        self.items: dict[str, dict[Any, Item]] = {kind: {} for kind in KINDS}
        self.past: dict[str, dict[Any, Item]] = {kind: {} for kind in KINDS}
        self.alike: dict[str, Lookalikes] = {kind: Lookalikes() for kind in KINDS}  # of this run
        self.ords = 0
        self.tags: dict[str, int] = {}  # tag -> first record that carried it in this run
        self.owners: dict[
            tuple[str, str], str | None
        ] = {}  # (bucket, id) -> whom continuations must agree with
        self.streams = Streams()
        self.ended_streams: dict[
            tuple[str | None, str], tuple[Item, int, str]
        ] = {}  # (lane, kind) -> item, by
        self.synthesized: list[Emitted] = []
        # pieces.py: kind, id (of chunks: tag), item and text that the last piece went to; None after any other event
        self.growing: tuple[str, Any, Item, Text] | None = None
        self.orphans: dict[tuple[str, Any], Finding] = {}  # phantom item -> the finding about it
        self.lost = LostEvents()
        self.nested: Finding | None = (
            None  # the start that cut the run before; what that run still sends follows from it
        )
        self.spoiler: Finding | None = (
            None  # what is wrong with the event at hand, if it bears on what it is about
        )
        self.torn: tuple[int, Finding] | None = (
            None  # last record of a torn event, and the finding of its first
        )
        self.stray: Finding | None = None  # the last finding about events after a run's end
        self.early: dict[
            tuple[str, Any], Finding
        ] = {}  # item whose pieces came before its opener -> the finding
        self.hasty: dict[str, Finding] = {}  # call id -> the finding that it was answered while open
        self.left: dict[tuple[str, Any], Finding] = {}  # item open when its run finished -> the finding
        self.mixed: dict[
            tuple[str, Any], Finding
        ] = {}  # item sent in both forms -> the first finding about that
        self.late: dict[tuple[str, Any], Finding] = {}  # item whose end came before its opener -> the finding
        self.last_ts: int | None = None
        self.started_late: Finding | None = None  # the RUN-01 of an assumed run
        self.spoilt: dict[str, Finding] = {}  # call id -> the finding that its arguments are not JSON
        self.state: Any = UNSET
        self.taken_up = (
            -1
        )  # record at which a chunk took up an item its subagent's end had closed (CHK-11, CHK-15)
        self.version: str | None = None  # as the first run declares it
        self.input_known = False  # the request is recorded
        self.answers: dict[str, int] = {}  # call id -> record of its first result, all runs
        self.head_missing = False  # the recording begins later than the stream
        self.headless = False  # and the run at hand began before it
        self.untold: set[str] = set()  # rules that could not be judged for that reason
        self.frozen: tuple[list[dict[str, Any]], Any] | None = None  # messages and state at the rejection
        self.blanked: dict[str, Finding] = {}  # message id -> the snapshot finding that removed it while open

    # ── items ────────────────────────────────────────────────

    def open(
        self, kind: str, key: Any, id_: str, owner: str | None, state: str, *, via: str = "explicit"
    ) -> Item:
        """A new item, or the same id taken up again."""
        item = self.items[kind].get(key)
        if item is None:
            # by position, since that is cheapest: see `Item`
            item = Item(
                self.ords, kind, id_, owner, None if self.run is None else self.run.run,
                self.seq if state == "open" else None, state, None, None, via, None, None, self.seq, self.seq,
                0, 0, owner,
            )  # fmt: skip
            self.ords += 1
            self.items[kind][key] = item
            self.alike[kind].add(item)
            return item
        if state == "open":
            if item.opened is None:
                item.opened = self.seq
            elif item.reopened is None:
                item.reopened = [self.seq]
            else:
                item.reopened.append(self.seq)
            item.via = via
            item.closed = item.closed_by = None
        item.state = state
        item.last = self.seq
        return item

    def close(self, item: Item, state: str = "closed", by: int | None = None) -> None:
        """The item's end; `by` names the event that ended a chunk stream."""
        item.state = state
        item.closed = self.seq
        item.closed_by = by
        item.last = self.seq

    def open_items(self) -> Iterator[Item]:
        """Items of this run that are open or phantom, in the order the reference client reports them."""
        for kind in ("step", "text", "reasoning", "span", "tool", "subagent"):
            for item in self.items[kind].values():
                if item.state in ("open", "phantom"):
                    yield item

    # ── runs ─────────────────────────────────────────────────

    def begin_run(self, thread_id: str | None, run_id: str | None, *, keep: bool = False) -> Run:
        """A new run; its predecessor's open sets, owners and invocations are forgotten (unless `keep`)."""
        self.run = Run(run=len(self.runs), thread_id=thread_id, run_id=run_id, first=self.seq, last=self.seq)
        self.runs.append(self.run)
        self.run_opened = self.seq
        if not keep:
            self.facts = RunFacts()
            self.headless = False
            for kind, items in self.items.items():
                self.past[kind].update(items)
                items.clear()
                self.alike[kind] = Lookalikes()
            for store in (self.tags, self.owners, self.ended_streams, self.orphans):
                store.clear()
            self.late.clear()
            self.mixed.clear()
            self.early.clear()
            self.hasty.clear()
            self.left.clear()
            self.lost.clear()
        return self.run

    def unseen(self, rule: str, *, thread: bool = False) -> bool:
        """Whether the beginning that `rule` misses may lie before the recording: then it is not to be judged.

        thread: earlier runs count too, not just the run at hand.
        """
        if not (self.head_missing if thread else self.headless):
            return False
        self.untold.add(rule)
        return True

    # ── findings ─────────────────────────────────────────────

    def find(self, rule: str, title: str, why: str = "", **more: Any) -> Finding | None:
        """A finding at the record at hand, in the run at hand."""
        more.setdefault("run", None if self.run is None else self.run.run)
        if self.spoiler is not None and more.get("cause") is None:
            more["cause"] = self.spoiler.key
        finding = self.ledger.add(rule, self.seq, title, why, **more)
        if self.frozen is None and self.ledger.rejected_at is not None:
            self.frozen = (self.held.wire(), self.state)  # what is held is never changed in place
        return finding


def quoted(text: str | None) -> str:
    """An id as findings write it: in backticks, shortened, nothing in it that could break the marks."""
    if text is None:
        return "`null`"
    if text == "":
        return '`""` (empty)'
    flat = text.replace("`", "'").replace("\n", "\\n")
    return f"`{flat}`" if len(flat) <= 60 else f"`{flat[:40]}…{flat[-12:]}`"


def who(tag: str | None) -> str:
    """The owner of a tag, in words."""
    return "the parent agent" if tag is None else f"subagent {quoted(tag)}"
