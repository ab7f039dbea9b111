"""Everything the engine remembers about one AG-UI trace, and the few acts that change it.

Rules of this file: memory and bookkeeping; it decides nothing. The tables say which state follows, the verifying
modules say when; items, runs and tags change only through the methods here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from webapp.core.agui import gaps
from webapp.core.agui.facts import RunFacts, TraceFacts
from webapp.core.agui.held import Held
from webapp.core.agui.lost import LostEvents
from webapp.core.agui.opened import Opened
from webapp.core.agui.streams import Streams
from webapp.core.agui.texts import Text
from webapp.core.findings import Finding, Run
from webapp.core.kinds import ItemKind, Via
from webapp.core.ledger import Ledger
from webapp.core.lookalikes import Lookalikes
from webapp.core.records import Emitted, Item
from webapp.core.words import NOUNS

KINDS = ("text", "tool", "reasoning", "span", "step", "subagent", "activity", "result")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")  # what no terminal, page or database should get
UNKNOWN = object()  # "no owner recorded"; None means the parent agent

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
        self.opened = Opened()  # items of this run that explicit events opened
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
        self.cut: dict[str | None, Finding] = {}  # id of a run that was cut so -> that finding
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
        self.hurried: Finding | None = (
            None  # the one of them that showed first that the run was finished too early
        )
        self.mixed: dict[
            tuple[str, Any], Finding
        ] = {}  # item sent in both forms, or started while open -> the first finding about that
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
        self.answers: dict[str, int] = {}  # call id -> record of its first result that stands, all runs
        self.head_missing = False  # the recording begins later than the stream
        self.headless = False  # and the run at hand began before it
        self.untold: set[str] = set()  # rules that could not be judged for that reason
        self.gapped = False  # records are missing in the middle (gaps.py)
        self.frozen: tuple[list[dict[str, Any]], Any] | None = None  # messages and state at the rejection
        self.blanked: dict[str, Finding] = {}  # message id -> the snapshot finding that removed it while open

    # ── items ────────────────────────────────────────────────

    def open(
        self, kind: ItemKind, key: Any, id_: str, owner: str | None, state: str, *, via: Via = "explicit"
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
            if state == "open" and via == "explicit":
                self.opened.add(item)
            return item
        if state == "open":
            self.reopen(item)
            item.via = via
            item.closed = item.closed_by = None
            if via == "explicit":
                self.opened.add(item)
        item.state = state
        item.last = self.seq
        return item

    def reopen(self, item: Item) -> None:
        """The record at hand opens the item once more, or at last; a lost end leaves it no other trace."""
        if item.opened is None:
            item.opened = self.seq
        elif item.reopened is None:
            item.reopened = [self.seq]
        else:
            item.reopened.append(self.seq)

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
            if self.gapped:
                self._run_is_whole()
            for kind, items in self.items.items():
                self.past[kind].update(items)
                items.clear()
                self.alike[kind] = Lookalikes()
            for store in (self.tags, self.owners, self.orphans):
                store.clear()
            # a nested start has ended those that were going on
            self.ended_streams = {
                lane: last for lane, last in self.ended_streams.items() if last[1] == self.seq
            }
            self.late.clear()
            self.mixed.clear()
            self.early.clear()
            self.hasty.clear()
            self.left.clear()
            if self.hurried is not None and self.stray is not None:
                self.ledger.complete(self.stray)  # what follows a later run has a cause of its own
            self.hurried = None
            self.lost.clear()
            self.opened.clear()
        return self.run

    def cut_by(self, run_id: Any) -> str | None:
        """What a nested start explains: the finding that cut this run, or the run before the one at hand."""
        told = self.cut.get(run_id) or self.nested
        return None if told is None else told.key

    def unseen(self, rule: str, *, thread: bool = False) -> bool:
        """Whether the beginning that `rule` misses may lie before the recording: then it is not to be judged.

        thread: earlier runs count too, not just the run at hand.
        """
        if not (self.head_missing if thread else self.headless):
            return False
        self.untold.add(rule)
        return True

    def gap(self) -> None:
        """Records are missing before the one at hand."""
        self.gapped = self.head_missing = self.headless = self.facts.mid_run = True
        self.trace.baseline = False
        for rule in gaps.behind():
            self.ledger.unjudged.setdefault(rule, gaps.GAP)

    def _run_is_whole(self) -> None:
        """Nothing is missing in the run that begins, though there is before it."""
        unjudged = self.ledger.unjudged
        for rule in gaps.OF_A_RUN:
            if unjudged.get(rule) == gaps.GAP:
                del unjudged[rule]

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

    def follows(self, finding: Finding, cause: Finding) -> None:
        """It turns out to be a consequence; a later breach that looks equal is none of it."""
        self.ledger.amend(finding, cause=cause.key)
        self.ledger.complete(finding)


def quoted(text: str | None) -> str:
    """An id as findings write it: in backticks, shortened, nothing in it that could break the marks."""
    if text is None:
        return "`null`"
    if text == "":
        return '`""` (empty)'
    flat = _UNSAFE.sub("\ufffd", text.replace("`", "'").replace("\n", "\\n"))
    return f"`{flat}`" if len(flat) <= 60 else f"`{flat[:40]}…{flat[-12:]}`"


def who(tag: str | None) -> str:
    """The owner of a tag, in words."""
    return "the parent agent" if tag is None else f"subagent {quoted(tag)}"


def named(kind: str, id_: str, item: Item | None = None) -> str:
    """How a title names an item: `` `weather` call `call_p0` `` or `` message `m1` ``."""
    if kind == "tool" and item is not None and item.name:
        return f"{quoted(item.name)} call {quoted(id_)}"
    return f"{NOUNS[kind]} {quoted(id_)}"
