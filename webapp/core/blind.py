"""Rules that a recording without its texts cannot show, by protocol.

Rules of this file: the table only. A rule stands here when one of the examples of the rules is judged otherwise by it
once texts are out: it reads texts, arguments, states or the names of members, so it would miss what is there or tell of
what is not. `tests/core/test_blind.py` finds them so, and fails when the table has more or less.
"""

from __future__ import annotations

from functools import cache

BLIND: dict[str, tuple[str, ...]] = {
    "ag-ui": (
        "AGUI-ACT-04",  # patches without their paths
        "AGUI-CMP-04",
        "AGUI-CMP-05",
        "AGUI-ENV-02",  # names of members
        "AGUI-ENV-03",
        "AGUI-ENV-13",
        "AGUI-ENV-18",
        "AGUI-ENV-19",
        "AGUI-ENV-20",
        "AGUI-ENV-21",
        "AGUI-HAZ-02",  # texts that are alike
        "AGUI-HAZ-03",
        "AGUI-HAZ-04",
        "AGUI-INP-06",
        "AGUI-MET-01",
        "AGUI-MET-02",
        "AGUI-RUN-14",
        "AGUI-STA-04",
        "AGUI-STA-05",
        "AGUI-STA-06",
        "AGUI-SUB-09",
        "AGUI-TOL-08",  # arguments as JSON
        "AGUI-TRN-17",  # the bytes as they came
        "AGUI-TRN-18",
        "AGUI-USG-07",
    ),
    "teams": (
        "TEAMS-006",
        "TEAMS-007",
        "TEAMS-014",
        "TEAMS-020",  # each text begins with the one before
        "TEAMS-021",
        "TEAMS-029",
        "TEAMS-050",
    ),
}


@cache
def blind(protocol: str, level: str) -> tuple[str, ...]:
    """Rules of a protocol that look at what `level` takes out. Where texts stay, all of them can be judged."""
    return BLIND[protocol] if level == "structure" else ()
