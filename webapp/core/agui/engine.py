"""The AG-UI engine: decode, compatibility, enforcement, expansion, verification, assembly, in that order.

Rules of this file: stages in order, the step they give, and the report. Fast path: a payload that fits its strict
struct goes straight to the judges; everything else takes the slow path through `enforce.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import hazards_finish, hollow, identity, metadata, request, runs, versions
from webapp.core.agui.compat import Compat
from webapp.core.agui.decode import duplicate_keys, repeated
from webapp.core.agui.enforce import Slow, slow_decode
from webapp.core.agui.events import decode
from webapp.core.agui.faults import report_faults
from webapp.core.agui.repeats import may_repeat, spaced
from webapp.core.agui.skipped import skipped_rules
from webapp.core.agui.transport import Transport
from webapp.core.agui.verify import ROUTES, Route, judge
from webapp.core.agui.world import World
from webapp.core.evidence import ResponseHead
from webapp.core.findings import Finding, Report, Run, Skipped, verdict_of
from webapp.core.kinds import Reached
from webapp.core.ledger import Ledger
from webapp.core.records import Emitted, Step

SENTINEL = b"[DONE]"  # other streaming APIs end with it; it is whole even where its blank line is missing
TORN = 2_000  # bytes kept of a record that broke off
NOTHING_FOUND: tuple[Sequence[Finding], Sequence[Finding]] = ((), ())
_BROKEN = (msgspec.DecodeError, msgspec.ValidationError, RecursionError)


class AguiEngine:
    """See `webapp.core.replay.Replay`, which is its only user."""

    def __init__(
        self,
        run_input: dict[str, Any] | None,
        *,
        max_depth: int,
        max_findings: int,
        head_missing: bool = False,
        unjudged: Mapping[str, str] | None = None,
    ) -> None:
        self.ledger = Ledger(max_findings)
        self.ledger.unjudged.update(unjudged or {})
        self.world = World(self.ledger)
        self.compat = Compat()
        self.max_depth = max_depth
        self.next = 0
        self.void = 0  # records that are no event
        self.untyped = 0  # records that name no event type
        self.transport = Transport(self.world)
        self.cut = False  # the last record broke off
        self.torn = b""  # how it began
        self.asked = run_input
        if run_input is not None:
            request.seed(self.world, run_input)
        if head_missing:
            self.world.head_missing = self.world.headless = True
            self.world.trace.baseline = False  # the part before the recording may have changed the state

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step:
        w = self.world
        seq = w.seq = self.next
        self.next = seq + 1
        if framing:
            self.transport.framed(framing)
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
            route, ts = ROUTES[type(event)], event.timestamp
        else:
            route, ts = ROUTES[type(event)], event.timestamp
            # every member has one colon; a payload with no more of them than it must have names none twice
            colons, least = raw.count(b":"), route.members if ts is UNSET else route.members + 1
            if colons != least and (route.grow is None or raw.count(b'":') != least or spaced(raw)):
                carried = route.most - route.optional(event).count(UNSET)
                if colons != carried:
                    self._duplicates(raw, carried, event)
                if event.metadata is not UNSET:
                    metadata.check(w, event.metadata)
        if ts is UNSET:
            ts = None
        else:
            if w.last_ts is not None and ts < w.last_ts:
                self._disorder()
            w.last_ts = ts
        ledger = self.ledger
        if route.plain and w.run_state == "active" and slow is None and not ledger.new and not ledger.amended:
            # nine events in ten: nothing that `judge` would ask applies
            reached: Reached = "delivered" if ledger.rejected_at is None else "after"
            number = None if w.run is None else w.run.run
            if route.grow is not None:
                item = route.grow(w, event)
                if item is not None:
                    return Step(
                        seq, route.type, item.lane, event, item, "grew", event.delta, reached, (), (), (), ts, number,
                    )  # fmt: skip
            elif route.expand is not None:
                made = route.expand(w, event)
                if made is not None:
                    lane = made.item.lane if event.subagentRunId is UNSET else event.subagentRunId
                    return Step(
                        seq, route.type, lane, None, made.item, "grew", None, reached, (made,), (), (), ts, number,
                    )  # fmt: skip
        w.type = route.type
        lane = w.growing = None
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
        if "too-long" in framing or self.transport.no_event(framing):
            self.cut = self.cut or "frame-cut" in framing
            self.void += 1
            return None
        self.world.growing = None
        slow = slow_decode(raw, self.compat, self.max_depth)
        if slow.kind == "undecodable" and "incomplete" in framing and raw.strip() != SENTINEL:
            self.cut, self.torn = True, raw[:TORN]
            self.void += 1
            return None
        if slow.kind == "undecodable" and slow.wire is None:
            self.void += 1
        self.world.type = slow.type or ""
        self.ledger.muted = report_faults(self.world, slow, raw, sse="sse" in framing)
        if slow.hollow and slow.type is not None:
            hollow.passed(self.world, slow.type, slow.tag)
        return slow

    def _slow_done(self, slow: Slow, route: Route) -> tuple[str, dict[str, Any] | None]:
        """The type as sent, and the event after enforcement where a client gets it."""
        self.ledger.muted, self.world.spoiler = False, None
        return slow.type or route.type, slow.wire if slow.kind == "event" else None

    def _unusable(self, slow: Slow | None) -> Step:
        """The step of a record that gives the judges nothing."""
        ledger, seq = self.ledger, self.world.seq
        ledger.muted = False
        self.untyped += slow is None or slow.type is None
        reached: Reached = "dropped" if slow is None or slow.kind == "dropped" else "delivered"
        if ledger.rejected_at is not None:
            reached = "refused" if ledger.rejected_at == seq else "after"
        new, amended = ledger.taken()
        return Step(seq, None if slow is None else slow.type, reached=reached, findings=new, amended=amended)

    def finish(self, engine: str, head: ResponseHead | None = None) -> Report:
        w = self.world
        last = max(self.next - 1, 0)
        w.seq = last
        runs.end_of_stream(w, last, self.cut)
        self.transport.ended()
        identity.check_request(w, self.asked)
        request.at_end(w)
        hazards_finish.at_end(w, self.asked, self.torn)
        events = self.next - self.void
        if events == 0:
            w.find(
                "AGUI-TRN-11",
                "no event at all was read",
                "Either nothing was sent, and a client shows nothing, or what is here is no recording of a stream.",
            )
        self.transport.answered(head, self.next - self.untyped)
        for run in w.runs:
            run.last = max(run.last, run.first)
            self._decided(run)
        skipped = skipped_rules(w, self.transport.unseen(head), asked=self.asked is not None)
        return self._report(engine, w.runs, skipped)

    def so_far(self, engine: str) -> Report:
        """What is known by now, nothing closed."""
        runs_now = [msgspec.structs.replace(run, last=max(run.last, run.first)) for run in self.world.runs]
        for run in runs_now:
            self._decided(run)
        return self._report(engine, runs_now, [])

    def _decided(self, run: Run) -> None:
        """A rejection wins over what the run says of itself."""
        rejected, all_runs = self.ledger.rejected_at, self.world.runs
        after = all_runs[run.run + 1].first if run.run + 1 < len(all_runs) else self.next
        if rejected is not None and rejected < after and run.outcome != "rejected":
            run.claimed = None if run.outcome == "open" else run.outcome  # it has claimed nothing yet
            run.outcome = "rejected"

    def _report(self, engine: str, runs_told: list[Run], skipped: list[Skipped]) -> Report:
        w, ledger = self.world, self.ledger
        events = self.next - self.void
        return Report(
            protocol="ag-ui",
            protocol_version=w.version,
            engine=engine,
            events=events,
            records=self.next,
            verdict=verdict_of(events, ledger.rejected_at, ledger.findings),
            rejected_at=ledger.rejected_at,
            runs=runs_told,
            findings=ledger.findings,
            skipped_rules=skipped,
            findings_left_out=ledger.left_out,
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
        return [(msg.id, msg.role) for msg in self.world.held]

    @property
    def rejected_at(self) -> int | None:
        return self.ledger.rejected_at

    # ── details ──────────────────────────────────────────────

    def _disorder(self) -> None:
        self.world.find(
            "AGUI-ENV-11",
            "the event’s `timestamp` is earlier than the one before it",
            "Harmless: the order of arrival is the only order.",
        )

    def _duplicates(self, raw: bytes, carried: int, event: Any) -> None:
        """TRN-18 where there are more colons than members: in texts, in objects, or of a repetition."""
        if not may_repeat(raw, carried, event):
            return
        for key in duplicate_keys(raw):
            fault = repeated(key)
            self.world.find(fault.rule, fault.title, fault.why, path=key)
