"""The AG-UI engine: decode, compatibility, enforcement, expansion, verification, assembly, in that order.

Rules of this file: stages in order, the step they give, and the report. Fast path: a payload that fits its strict
struct goes straight to the judges; everything else takes the slow path through `enforce.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import identity, runs, snapshots
from webapp.core.agui.compat import Compat
from webapp.core.agui.decode import duplicate_keys, may_have_duplicates
from webapp.core.agui.enforce import Slow, slow_decode
from webapp.core.agui.events import decode
from webapp.core.agui.faults import report_faults
from webapp.core.agui.values import RunAgentInput
from webapp.core.agui.verify import ROUTES, Route, judge
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Finding, Report, Skipped, verdict_of
from webapp.core.ledger import Ledger
from webapp.core.records import Emitted, Item, Step

NO_INPUT = "The request is not recorded, so its ids and history cannot be compared."
NOT_SSE = "The recording is not the raw response body, so its framing is not known."
UNSEEN = {
    "AGUI-TRN-08": NOT_SSE,
    "AGUI-TRN-09": "No response head is recorded.",
    "AGUI-TRN-12": "No response head is recorded.",
    "AGUI-TRN-13": "The recording is not binary.",
    "AGUI-TRN-14": "The recording is not binary.",
    "AGUI-TRN-15": "The recording is not binary.",
    "AGUI-TRN-16": "Frame sizes are not recorded.",
}
FRAMED_RULES = ("AGUI-TRN-01", "AGUI-TRN-02", "AGUI-TRN-07")
SENTINEL = b"[DONE]"  # other streaming APIs end with it; it is whole even where its blank line is missing
_BROKEN = (msgspec.DecodeError, msgspec.ValidationError, RecursionError)


class AguiEngine:
    """See `webapp.core.replay.Replay`, which is its only user."""

    def __init__(self, run_input: dict[str, Any] | None, *, max_depth: int, max_findings: int) -> None:
        self.ledger = Ledger(max_findings)
        self.world = World(self.ledger)
        self.compat = Compat()
        self.max_depth = max_depth
        self.next = 0
        self.events = 0
        self.sse = False
        self.cut = False  # the last record broke off
        self.asked = run_input
        if run_input is not None:
            self.world.input_known = True
            self._seed(run_input)

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step:
        w = self.world
        w.seq = self.next
        self.next += 1
        if framing:
            self._framing(framing)
        try:
            event: Any = decode(raw)
        except _BROKEN:
            return self._slow(raw, framing)
        self.events += 1
        route = ROUTES[type(event)]
        members = route.members
        for member in route.optional:
            if getattr(event, member) is not UNSET:
                members += 1
        keys = raw.count(b'":')  # every member has one, and so has a quote before a colon inside a text
        if keys != members and keys - raw.count(b'\\":') != members and may_have_duplicates(raw, event):
            self._duplicates(raw)
        return self._judge(route, event, route.type, None)

    def _judge(self, route: Route, event: Any, name: str | None, wire: dict[str, Any] | None) -> Step:
        """One decoded event through the judges; the step is made once, at the end, since that is cheapest."""
        w = self.world
        w.type = route.type
        ts = event.timestamp
        if ts is UNSET:
            ts = None
        else:
            if w.last_ts is not None and ts < w.last_ts:
                w.find(
                    "AGUI-ENV-11",
                    "the event’s `timestamp` is earlier than the one before it",
                    "Harmless: the order of arrival is the only order.",
                )
            w.last_ts = ts
        item, change, delta = judge(w, route, event)
        lane = None
        if route.laned:
            lane = event.subagentRunId
            if lane is UNSET:
                lane = None if item is None else item.lane
        synthesized: Sequence[Emitted] = ()
        if w.synthesized:
            synthesized, w.synthesized = w.synthesized, []
        if route.chunk:
            event = None
            if synthesized:
                change = "grew" if len(synthesized) == 1 and synthesized[0].change == "grew" else "opened"
        run = w.run
        return self._step(
            name, lane, event, item, change, delta, synthesized, ts, None if run is None else run.run, wire
        )

    def _step(
        self,
        name: str | None,
        lane: str | None = None,
        event: Any = None,
        item: Item | None = None,
        change: str | None = None,
        delta: str | None = None,
        synthesized: Sequence[Emitted] = (),
        ts: int | None = None,
        run: int | None = None,
        wire: dict[str, Any] | None = None,
        reached: str = "delivered",
    ) -> Step:
        """The step of the record at hand, with what the ledger has found meanwhile."""
        ledger = self.ledger
        seq = self.world.seq
        if ledger.rejected_at is not None:
            reached = "refused" if ledger.rejected_at == seq else "after"
        new: Sequence[Finding] = ()
        amended: Sequence[Finding] = ()
        if ledger.new:
            new, ledger.new = ledger.new, []
        if ledger.amended:
            amended, ledger.amended = ledger.amended, []
        return Step(
            seq, name, lane, event, item, change, delta, reached, synthesized, new, amended, ts, run, wire
        )

    def _slow(self, raw: bytes, framing: Sequence[str]) -> Step:
        w = self.world
        if "too-long" in framing:
            return self._step(None, reached="dropped")
        slow: Slow = slow_decode(raw, self.compat, self.max_depth)
        if slow.kind == "undecodable" and "incomplete" in framing and raw.strip() != SENTINEL:
            self.cut = True
            return self._step(None, reached="dropped")
        if slow.kind != "undecodable" or slow.wire is not None:
            self.events += 1
        w.type = slow.type or ""
        quiet = report_faults(w, slow, raw, sse="sse" in framing)
        if slow.event is None:
            return self._step(slow.type, reached="dropped" if slow.kind == "dropped" else "delivered")
        route = ROUTES[type(slow.event)]
        muted, self.ledger.muted = self.ledger.muted, quiet
        step = self._judge(
            route, slow.event, slow.type or route.type, slow.wire if slow.kind == "event" else None
        )
        self.ledger.muted = muted
        return step

    def finish(self, engine: str) -> Report:
        w = self.world
        last = max(self.next - 1, 0)
        w.seq = last
        runs.end_of_stream(w, last, self.cut)
        identity.check_request(w, self.asked)
        if self.events == 0:
            w.find(
                "AGUI-TRN-11", "no event at all was read", "A client that gets an empty stream shows nothing."
            )
        for run in w.runs:
            run.last = max(run.last, run.first)
            rejected = self.ledger.rejected_at
            if rejected is not None and run.first > rejected and run.outcome != "rejected":
                run.claimed, run.outcome = run.outcome, "rejected"
        return Report(
            protocol="ag-ui",
            protocol_version=w.version,
            engine=engine,
            events=self.events,
            records=self.next,
            verdict=verdict_of(self.events, self.ledger.rejected_at, self.ledger.findings),
            rejected_at=self.ledger.rejected_at,
            runs=w.runs,
            findings=self.ledger.findings,
            skipped_rules=self._skipped(),
            findings_left_out=self.ledger.left_out,
        )

    # ── what is held ─────────────────────────────────────────

    def messages(self) -> list[dict[str, Any]]:
        frozen = self.world.frozen
        return frozen[0] if frozen is not None else self.world.held.wire()

    def state(self) -> Any:
        frozen = self.world.frozen
        state = frozen[1] if frozen is not None else self.world.state
        return {} if state is UNSET else state

    def held(self) -> list[tuple[str, str]]:
        return [(msg.id, msg.role) for msg in self.world.held.list]

    @property
    def rejected_at(self) -> int | None:
        return self.ledger.rejected_at

    # ── details ──────────────────────────────────────────────

    def _seed(self, run_input: dict[str, Any]) -> None:
        """The request's history and state; a malformed request seeds nothing and says why by being skipped."""
        try:
            shaped = msgspec.convert(run_input, RunAgentInput)
        except (msgspec.ValidationError, RecursionError):
            return
        snapshots.seed_input(self.world, msgspec.to_builtins(shaped.messages))
        if shaped.state is not UNSET:
            self.world.state = shaped.state

    def _framing(self, notes: Sequence[str]) -> None:
        w = self.world
        if "sse" in notes:
            self.sse = True
        if "crlf" in notes:
            w.find(
                "AGUI-TRN-01",
                "the stream’s lines end in CR or CRLF instead of LF",
                "The reference client splits on LF alone and reads such a stream as one broken event.",
            )

    def _duplicates(self, raw: bytes) -> None:
        for key in duplicate_keys(raw):
            self.world.find(
                "AGUI-TRN-18",
                f"the event names {quoted(key)} twice",
                "Parsers keep the last one without a word.",
                path=key,
            )

    def _skipped(self) -> list[Skipped]:
        out = [Skipped(rule, reason) for rule, reason in UNSEEN.items()]
        if not self.sse:
            out += [Skipped(rule, NOT_SSE) for rule in FRAMED_RULES]
        if self.asked is None:
            out.append(Skipped("AGUI-RUN-10", NO_INPUT))
        if self.ledger.rejected_at is not None and not self.world.runs:
            out.append(Skipped("AGUI-TRN-10", "No run was opened."))
        return out
