"""Words that stand for a state or a kind, as types: whatever has one of them says so in its signature.

Rules of this file: each set of words once, named for what it is of; no behaviour. Words that one protocol alone has
(states of a Teams stream, kinds of a call) stay with it.
"""

from __future__ import annotations

from typing import Literal

ProtocolName = Literal["ag-ui", "teams"]

# ── items and steps: see `records` ───────────────────────────

ItemKind = Literal["text", "tool", "reasoning", "span", "step", "subagent", "activity", "result"]
Via = Literal["explicit", "chunk"]  # how an item was opened
DerivedChange = Literal["opened", "grew", "closed"]  # what an event that a client makes out of a chunk does
Change = Literal["opened", "grew", "closed", "result", "touched"]  # what a record does to its item
Reached = Literal["delivered", "dropped", "refused", "after", "lost", "sent"]  # how far a record came

# ── findings and reports: see `findings` ─────────────────────

Severity = Literal["fatal", "error", "warning", "info"]  # worst first
Verdict = Literal["rejected", "nonconformant", "warnings", "conformant", "unchecked"]
AguiOutcome = Literal["success", "interrupted", "cancelled", "failed", "rejected", "truncated", "open"]
TeamsOutcome = Literal["finished", "stopped", "expired", "edited", "refused", "unclosed", "open"]
Outcome = AguiOutcome | TeamsOutcome  # of a run
Party = Literal["producer", "application", "service", "capture"]  # whose fault
Role = Literal["opened", "closed", "closed_by", "again", "expected", "later", "answer", "previous"]
Basis = Literal["confirmed", "predicted"]
