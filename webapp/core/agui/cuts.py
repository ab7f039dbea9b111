"""Records that were cut on their way into the recording, and what shows it: their last characters, their equal length.

Rules of this file: it reads the end and the length of records that do not parse; it rejects nothing. That a record is
cut is told already (`faults.py`); here the sentence learns who may have cut it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webapp.core.findings import Finding

if TYPE_CHECKING:
    from webapp.core.agui.world import World

SHORTEST = 64  # bytes; equal lengths below it are chance
_LOOKED = 80  # bytes at the end of a record
# three dots, and perhaps what was left out in words: `... (1,204 more bytes)`, `…[truncated]`
_MARK = re.compile(
    r'(?:(?:\.\.\.|…)\s*(?:[\[(<][^\])>"{}`]{0,40}[\])>])?|[\[(<](?:truncated|cut|snip)[^\])>"{}`]{0,30}[\])>])\s*$',
    re.IGNORECASE,
)


def mark(raw: bytes) -> str | None:
    """What stands at a record's end in place of the rest."""
    found = _MARK.search(raw[-_LOOKED:].decode("utf-8", "replace"))
    return None if found is None else found[0].strip()


def marked(raw: bytes) -> str:
    """The sentence about such an end; empty where there is none."""
    end = mark(raw)
    return "" if end is None else f"It ends in `{end}`, as logs and terminals end what they cut."


def counted(w: World, finding: Finding, raw: bytes) -> None:
    """One more record that is cut; all of them equally long point to a limit, which the first finding then says."""
    trace = w.trace
    if len(trace.cuts) > 1:
        return  # two lengths have shown that there is no limit
    trace.cuts[len(raw)] += 1
    if trace.cut is None:
        trace.cut = (finding, finding.why)
        return
    first, why = trace.cut
    number = trace.cuts[len(raw)]
    if len(trace.cuts) == 1 and len(raw) >= SHORTEST:
        alike = f"{number} lines are cut after {len(raw):,} bytes alike, which points to a limit of the recording."
        w.ledger.amend(first, why=f"{why} {alike}")
    elif len(trace.cuts) > 1:
        w.ledger.amend(first, why=why)
