"""Replay: the one choke point. Every record of every trace, uploaded or live, passes here.

Rules of this file: the order of the stages and the step; each stage's work is elsewhere. It never raises on input,
never stops at a fault, and keeps nothing of a step but what the stages remember.

    replay = Replay("ag-ui")
    for record in records:
        step = replay.feed(record.payload, record.at, record.framing)
    report = replay.finish()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from webapp.core.agui.engine import AguiEngine
from webapp.core.evidence import ResponseHead
from webapp.core.findings import Report
from webapp.core.records import Step
from webapp.core.teams.engine import TeamsEngine

ENGINE_VERSION = "4"  # raise it when verdicts change: pages then offer to judge stored traces again
PROTOCOLS = ("ag-ui", "teams")


class Feed(Protocol):
    """One record: its payload, arrival time in seconds if known, and the reader's framing notes.

    Returns what reached the application, what was found and what changed. Never raises.
    """

    def __call__(self, raw: bytes, at: float | None = None, framing: Sequence[str] = ()) -> Step: ...


class Replay:
    """One trace's judge. `feed(raw, at=None, framing=()) -> Step` takes the records in order: see `Feed`.

    protocol:  `ag-ui` or `teams`
    run_input: the `RunAgentInput` the recorded request carried, when it is known (AG-UI only)
    head_missing: the recording begins later than the stream, so a run may have begun before it: what misses its
        beginning is then no fault, and the rules about it count as not judged (AG-UI only)
    unjudged: rules the recording cannot show, since it was redacted or cut, with the reason (AG-UI only)
    max_depth: nesting above which one is warned of (AG-UI only); max_findings: findings kept (further ones are counted)

    Raises ValueError for an unknown protocol, and for nothing else.
    """

    def __init__(
        self,
        protocol: str = "ag-ui",
        run_input: dict[str, Any] | None = None,
        *,
        max_depth: int = 200,
        max_findings: int = 10_000,
        head_missing: bool = False,
        unjudged: Mapping[str, str] | None = None,
    ) -> None:
        if protocol not in PROTOCOLS:
            raise ValueError(f"unknown protocol {protocol!r}")
        self.protocol = protocol
        self._engine: AguiEngine | TeamsEngine = (
            TeamsEngine(max_findings=max_findings)
            if protocol == "teams"
            else AguiEngine(
                run_input,
                max_depth=max_depth,
                max_findings=max_findings,
                head_missing=head_missing,
                unjudged=unjudged,
            )
        )
        self.feed: Feed = self._engine.feed

    def finish(self, head: ResponseHead | None = None) -> Report:
        """The end of the recording: closes the last run and gives the report. Call it once.

        head: of the HTTP response that carried the records, when it is recorded (AG-UI only).
        """
        if isinstance(self._engine, AguiEngine):
            return self._engine.finish(ENGINE_VERSION, head)
        return self._engine.finish(ENGINE_VERSION)

    def stopped_here(self, reason: str) -> None:
        """The recording was ended, and the stream may have gone on: its missing end is then no fault (AG-UI)."""
        if isinstance(self._engine, AguiEngine):
            self._engine.ledger.unjudged["AGUI-TRN-10"] = reason

    def so_far(self) -> Report:
        """The report as it stands while the recording goes on: open runs stay open, and no rule about the end is
        judged. It may be asked at any time, and its findings are those that `finish` will go on with."""
        return self._engine.so_far(ENGINE_VERSION)

    def messages(self) -> list[dict[str, Any]]:
        """Messages the application holds: now, or when it rejected the stream."""
        return self._engine.messages()

    def state(self) -> Any:
        """Shared state the application holds, `{}` when none was ever set."""
        return self._engine.state()

    def held(self) -> list[tuple[str, str]]:
        """(id, role) of the messages held now, in order, rejection or not."""
        return self._engine.held()

    def state_now(self) -> Any:
        """Shared state as the stream has made it by now, rejection or not; `{}` when none was ever set."""
        return self._engine.state_now()

    @property
    def rejected_at(self) -> int | None:
        """Record number of the first fatal finding so far."""
        return self._engine.rejected_at
