"""Rules that a trace cannot judge, each with its reason: they have neither fired nor passed.

Rules of this file: which rule needs what, and the sentence when it is not there. A rule that has fired is not skipped.
"""

from __future__ import annotations

from webapp.core.agui import ending, gaps
from webapp.core.agui.tables import ITEM, SPAN, STEP, SUBAGENT
from webapp.core.agui.world import World
from webapp.core.findings import Skipped

NO_INPUT = "The request is not recorded, so its ids and history cannot be compared."
NO_TOOLS = "The request is not recorded, so the tools the application offers are not known."
NO_ECHO = "The request and its echo in `RUN_STARTED` are not both recorded."
NO_LATER = "No later run of this trace shows what it was asked."
NO_FORMER = "The trace has no earlier run, and the request is not recorded."
NO_USAGE = "The trace has no two runs, one going on from the other, that both report token usage."
NO_BEGINNING = "The recording begins in the middle of a run, so what was begun before it is not known."
MID_RUN = "The recording starts in the middle of a run."
# what a beginning is missed by
_BEGINNINGS = (
    "AGUI-RUN-01",
    *dict.fromkeys(
        cell.rule
        for table in (*ITEM.values(), SPAN, STEP, SUBAGENT)
        for column in ("content", "end")
        for state in ("never", "unannounced")
        if (cell := table.columns.get(column, {}).get(state)) is not None and cell.rule is not None
    ),
    "AGUI-SUB-06",
    "AGUI-CHK-01",
    "AGUI-CHK-02",
    "AGUI-CHK-03",
    "AGUI-CHK-04",
    "AGUI-CHK-10",
    "AGUI-TOL-11",
    "AGUI-ACT-01",
    "AGUI-ENC-01",
    "AGUI-INT-04",
    "AGUI-STA-09",
)
_REQUEST = ("AGUI-INP-01", "AGUI-INP-02", "AGUI-INP-03", "AGUI-INP-04", "AGUI-INP-08", "AGUI-INT-12")
_TOOLS = ("AGUI-TOL-14", "AGUI-TOL-15", "AGUI-TOL-19", "AGUI-INT-06")
_CARRIED = (
    "AGUI-INP-05",
    "AGUI-INP-06",
    "AGUI-INT-07",
    "AGUI-INT-08",
    "AGUI-INT-09",
    "AGUI-INT-10",
    "AGUI-INT-11",
)


def skipped_rules(w: World, unseen: dict[str, str], *, asked: bool) -> list[Skipped]:
    """One entry a rule, in the order of the reasons' weight. unseen: rule -> why the carrier does not show it."""
    trace, rejected = w.trace, w.ledger.rejected_at
    reasons: dict[str, str] = {**unseen, **w.ledger.unjudged}

    def skip(rules: tuple[str, ...], reason: str) -> None:
        for rule in rules:
            reasons.setdefault(rule, reason)

    if w.gapped:
        skip(gaps.behind(), gaps.GAP)
    if w.head_missing and (trace.mid_run or w.untold):
        skip((*_BEGINNINGS, *sorted(w.untold)), NO_BEGINNING)
    if not asked:
        skip(("AGUI-RUN-10",), NO_INPUT)
    if not trace.inputs:
        skip(_REQUEST, NO_INPUT)
    if not trace.tools:
        skip(_TOOLS, NO_TOOLS)
    if not trace.echoed:
        skip(("AGUI-INP-07",), NO_ECHO)
    if not trace.compared:
        skip(_CARRIED, NO_LATER)
    if not trace.inputs and len(w.runs) < 2:
        skip(("AGUI-RUN-17",), NO_FORMER)
    if not trace.usage_compared:
        skip(("AGUI-USG-08",), NO_USAGE)
    if not trace.ended and rejected is not None:
        skip(ending.JUDGED, f"A client stops at #{rejected}, so the end of the run is not judged.")
    elif trace.mid_run and not trace.ended:
        skip(ending.JUDGED, MID_RUN)
    elif not trace.ended:
        skip(ending.JUDGED, "No run finishes in this recording.")
    if rejected is not None and not w.runs:
        skip(("AGUI-TRN-10",), "No run was opened.")
    fired = {finding.rule for finding in w.ledger.findings}
    return [Skipped(rule, reason) for rule, reason in reasons.items() if rule not in fired]
