"""Judge a Teams recording: one exchange in, one step out.

Rules of this file: the order of the stages. Read the record, find its stream, let every rule family look at it while
the world still shows what was before, then let the world move on. It never raises on input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from webapp.core.findings import Report, Run, Skipped, verdict_of
from webapp.core.kinds import Reached
from webapp.core.ledger import Ledger
from webapp.core.records import Item, Step
from webapp.core.teams import (
    answer_rules,
    assemble,
    bodiless,
    clock,
    closing,
    continues,
    ends,
    exchanges,
    finals,
    pacing,
    rejection,
    shape,
    skipped,
    starts,
)
from webapp.core.teams.apply import Change, apply
from webapp.core.teams.assign import assign
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.world import Call, World

# Order matters where two families could speak of one defect: the more specific comes first.
FAMILIES: tuple[Callable[[World, Call], None], ...] = (
    answer_rules.look,  # 051-056: what the answers say, and where the recording was made
    shape.look,  # 001-010: the request as it stands
    starts.look,  # 011-015
    continues.look,  # 016-025
    finals.look,  # 026-034
    ends.look,  # 044-050: ends forced from outside, scope, size
    clock.look,  # 041-043: the two minutes, silence
    pacing.look,  # 035-040: order, pace
    bodiless.look,  # what answers and pace prove where no body was recorded
)
REACHED: dict[str, Reached] = {
    "ok": "delivered",
    "dropped": "dropped",
    "refused": "refused",
    "lost": "lost",
    "unknown": "sent",
}


class TeamsEngine:
    """One recording's judge: `feed` the records in order, then `finish`."""

    def __init__(self, *, max_findings: int) -> None:
        self._ledger = Ledger(max_findings)
        self._world = World(self._ledger)
        self._held = assemble.Held()
        self._seq = -1

    def feed(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step:
        self._seq += 1
        seq = self._seq
        world = self._world
        world.records += 1
        exchange = exchanges.read(raw)
        if "gap" in framing:
            self._ledger.unjudged.update(skipped.BEHIND_GAP)
        if exchange is None:
            return Step(seq=seq, type=None, reached="dropped")
        if exchange.at is None and "arrived" not in framing:
            exchange.at = at
        call = Call(seq=seq, ex=exchange, chat=world.chat(exchange), at=exchange.at, ended=exchange.ended)
        _unrecorded(world, exchange)
        self._note(call)
        assign(world, call)
        for look in FAMILIES:
            look(world, call)
        change = apply(world, call)
        self._held.add(call, change)
        findings, amended = self._ledger.taken()
        return self._step(call, change, findings, amended)

    def finish(self, version: str) -> Report:
        """The recording ends: streams left open, what could not be judged, the verdict."""
        closing.close(self._world)
        return self._report(version, skipped.rules(self._world))

    def so_far(self, version: str) -> Report:
        """What is known by now, nothing closed."""
        return self._report(version, [])

    def _report(self, version: str, not_judged: list[Skipped]) -> Report:
        world = self._world
        rejected_at = self.rejected_at
        findings = self._ledger.findings
        return Report(
            protocol="teams",
            protocol_version=None,
            engine=version,
            events=world.events,
            records=world.records,
            verdict=verdict_of(world.events, rejected_at, findings),
            rejected_at=rejected_at,
            runs=[self._run(stream) for stream in world.streams],
            findings=findings,
            skipped_rules=not_judged,
            findings_left_out=self._ledger.left_out,
        )

    def messages(self) -> list[dict[str, Any]]:
        """Messages of the chat as the user sees them now."""
        return self._held.messages()

    def held(self) -> list[tuple[str, str]]:
        """(id, role) of those."""
        return [(message["id"], message["role"]) for message in self._held.messages()]

    def state(self) -> Any:
        return {}

    state_now = state

    @property
    def rejected_at(self) -> int | None:
        """Record number of the first call that the service refused, or would refuse, for a fault of the agent."""
        return rejection.first(self._world)

    def _note(self, call: Call) -> None:
        world = self._world
        world.events += 1
        world.answered += call.ex.answered != "unknown" and not call.ex.unrecorded
        world.timed += call.at is not None
        world.ended += call.ended is not None
        world.bodied += call.ex.bodied
        world.calls += call.ex.call
        if call.at is not None:
            world.newest_at = call.at if world.newest_at is None else max(world.newest_at, call.at)

    def _step(self, call: Call, change: Change, findings: Sequence[Any], amended: Sequence[Any]) -> Step:
        stream = call.stream
        item: Item | None = change.item
        return Step(
            seq=call.seq,
            type=call.ex.kind,
            lane=None if stream is None else stream.tag,
            event=call.ex,
            item=item,
            change=change.kind if item is not None else None,
            delta=change.text,
            reached="sent" if call.ex.unrecorded else REACHED[call.ex.answered],
            findings=findings,
            amended=amended,
            run=None if stream is None else stream.ord,
            at=call.at,
        )

    def _run(self, stream: Any) -> Run:
        return Run(
            run=stream.ord,
            thread_id=stream.chat.id or None,
            run_id=stream.id,
            outcome=closing.outcome(stream),
            claimed=None,
            first=stream.first,
            last=stream.first if stream.last is None else stream.last.seq,
        )


def _unrecorded(world: World, ex: Exchange) -> None:
    """While a recording has shown no answer at all, `null` in its place says that none was recorded, not a loss.

    A start is taken as lost all the same until a call names the id that it must have got (`apply.begun`).
    """
    if not ex.silent or world.answered:
        return
    ex.unrecorded = True
    if ex.stream_id or not ex.streamed:
        ex.answered = "unknown"
