"""The AG-UI engine: decode, compatibility, enforcement, expansion, verification, assembly, in that order.

Rules of this file: stages in order, the step they give, and the report. Fast path: a payload that fits its strict
struct goes straight to the judges; everything else takes the slow path through `enforce.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import hazards_finish, identity, metadata, request, runs, versions
from webapp.core.agui.compat import Compat
from webapp.core.agui.decode import duplicate_keys, may_have_duplicates
from webapp.core.agui.enforce import Slow, slow_decode
from webapp.core.agui.events import decode
from webapp.core.agui.faults import report_faults
from webapp.core.agui.skipped import skipped_rules
from webapp.core.agui.verify import ROUTES, Route, judge
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Finding, Report, verdict_of
from webapp.core.ledger import Ledger
from webapp.core.records import Emitted, Step

SENTINEL = b"[DONE]"  # other streaming APIs end with it; it is whole even where its blank line is missing
TORN = 2_000  # bytes kept of a record that broke off
NOTHING_FOUND: tuple[Sequence[Finding], Sequence[Finding]] = ((), ())
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
        self.torn = b""  # how it began
        self.asked = run_input
        if run_input is not None:
            request.seed(self.world, run_input)

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step:
        w = self.world
        seq = w.seq = self.next
        self.next = seq + 1
        if framing:
            self._framing(framing)
        slow: Slow | None = None
        event: Any
        try:
            event = decode(raw)
        except _BROKEN:
            slow = self._slow(raw, framing)
            if slow is None or slow.event is None:
                return self._unusable(slow)
            event = slow.event
            metadata.check(w, event.metadata)
            route = ROUTES[type(event)]
        else:
            self.events += 1
            route = ROUTES[type(event)]
            # every member has one `":`; a payload with no more of them than it must have names none twice
            keys = raw.count(b'":')
            if keys != (route.members if event.timestamp is UNSET else route.members + 1):
                self._duplicates(raw, keys, route, event)
                if event.metadata is not UNSET:
                    metadata.check(w, event.metadata)
        w.type = route.type
        ts: Any = event.timestamp
        if ts is UNSET:
            ts = None
        else:
            if w.last_ts is not None and ts < w.last_ts:
                self._disorder()
            w.last_ts = ts
        ledger, lane = self.ledger, None
        if route.piece and w.run_state == "active" and not w.streams and event.subagentRunId is UNSET:
            # nine events in ten: nothing that `judge` would ask applies
            item, change, delta = route.handle(w, event)
            lane = None if item is None else item.lane
            if slow is None and not ledger.new and not ledger.amended and ledger.rejected_at is None:
                return Step(
                    seq, route.type, lane, event, item, change, delta, "delivered", (), (), (), ts,
                    None if w.run is None else w.run.run,
                )  # fmt: skip
        else:
            item, change, delta = judge(w, route, event)
            if route.laned:
                lane = event.subagentRunId
                if lane is UNSET:
                    lane = None if item is None else item.lane
        synthesized: Sequence[Emitted] = ()
        if route.chunk:
            event = None
        if w.synthesized:
            synthesized, w.synthesized = w.synthesized, []
            if route.chunk:
                change = "grew" if len(synthesized) == 1 and synthesized[0].change == "grew" else "opened"
        reached = "delivered"
        if ledger.rejected_at is not None:
            reached = "refused" if ledger.rejected_at == seq else "after"
        new, amended = ledger.taken() if ledger.new or ledger.amended else NOTHING_FOUND
        name, wire = route.type, None
        if slow is not None:
            name, wire = self._slow_done(slow, route)
        # made once and by position, since that is cheapest
        return Step(
            seq, name, lane, event, item, change, delta, reached, synthesized, new, amended, ts,
            None if w.run is None else w.run.run, wire,
        )  # fmt: skip

    def _slow(self, raw: bytes, framing: Sequence[str]) -> Slow | None:
        """What the fast path refused: its faults are reported; None for a record that says nothing at all."""
        if "too-long" in framing:
            return None
        slow = slow_decode(raw, self.compat, self.max_depth)
        if slow.kind == "undecodable" and "incomplete" in framing and raw.strip() != SENTINEL:
            self.cut, self.torn = True, raw[:TORN]
            return None
        if slow.kind != "undecodable" or slow.wire is not None:
            self.events += 1
        self.world.type = slow.type or ""
        self.ledger.muted = report_faults(self.world, slow, raw, sse="sse" in framing)
        return slow

    def _slow_done(self, slow: Slow, route: Route) -> tuple[str, dict[str, Any] | None]:
        """The type as sent, and the event after enforcement where a client gets it."""
        self.ledger.muted, self.world.spoiler = False, None
        return slow.type or route.type, slow.wire if slow.kind == "event" else None

    def _unusable(self, slow: Slow | None) -> Step:
        """The step of a record that gives the judges nothing."""
        ledger, seq = self.ledger, self.world.seq
        ledger.muted = False
        reached = "dropped" if slow is None or slow.kind == "dropped" else "delivered"
        if ledger.rejected_at is not None:
            reached = "refused" if ledger.rejected_at == seq else "after"
        new, amended = ledger.taken()
        return Step(seq, None if slow is None else slow.type, reached=reached, findings=new, amended=amended)

    def finish(self, engine: str) -> Report:
        w = self.world
        last = max(self.next - 1, 0)
        w.seq = last
        runs.end_of_stream(w, last, self.cut)
        identity.check_request(w, self.asked)
        request.at_end(w)
        hazards_finish.at_end(w, self.asked, self.torn)
        if self.events == 0:
            w.find(
                "AGUI-TRN-11", "no event at all was read", "A client that gets an empty stream shows nothing."
            )
        for run in w.runs:
            run.last = max(run.last, run.first)
            rejected = self.ledger.rejected_at
            after = w.runs[run.run + 1].first if run.run + 1 < len(w.runs) else self.next
            if rejected is not None and rejected < after and run.outcome != "rejected":
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
            skipped_rules=skipped_rules(w, sse=self.sse, asked=self.asked is not None),
            findings_left_out=self.ledger.left_out,
            version_used=versions.used(w),
        )

    # ── what is held ─────────────────────────────────────────

    def messages(self) -> list[dict[str, Any]]:
        frozen = self.world.frozen
        return frozen[0] if frozen is not None else self.world.held.wire()

    def state(self) -> Any:
        frozen = self.world.frozen
        state = frozen[1] if frozen is not None else self.world.state
        return {} if state is UNSET else state

    def state_now(self) -> Any:
        return {} if self.world.state is UNSET else self.world.state

    def held(self) -> list[tuple[str, str]]:
        return [(msg.id, msg.role) for msg in self.world.held.list]

    @property
    def rejected_at(self) -> int | None:
        return self.ledger.rejected_at

    # ── details ──────────────────────────────────────────────

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

    def _disorder(self) -> None:
        self.world.find(
            "AGUI-ENV-11",
            "the event’s `timestamp` is earlier than the one before it",
            "Harmless: the order of arrival is the only order.",
        )

    def _duplicates(self, raw: bytes, keys: int, route: Route, event: Any) -> None:
        """TRN-18, cheapest test first: members carried, quotes inside texts, then a look at the text itself."""
        members = route.most - route.optional(event).count(UNSET)
        if members in (keys, keys - raw.count(b'\\":')) or not may_have_duplicates(raw, event):
            return
        for key in duplicate_keys(raw):
            self.world.find(
                "AGUI-TRN-18",
                f"the event names {quoted(key)} twice",
                "Parsers keep the last one without a word.",
                path=key,
            )
