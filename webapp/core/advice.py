"""What to look for and what to change: the catalogue's words, or those the trace narrows them to.

Rules of this file: which words count. A rule's row in the catalogue says what usually is the cause; where a finding's
reason says more, the protocol's own `advice` has the sentences.
"""

from __future__ import annotations

from webapp.core.agui import advice as agui
from webapp.core.rules import Advice, catalogue
from webapp.core.teams import advice as teams

__all__ = ["Advice", "advise"]

_NARROWED = {"ag-ui": agui.narrowed, "teams": teams.narrowed}


def advise(rule: str, reason: str | None, kind: str | None) -> Advice:
    """Cause and fix for a finding; the catalogue's own where the trace narrows nothing.

    rule: catalogue id (one the catalogue does not have gives empty words); reason: `Finding.reason`; kind: the item's.
    """
    row = catalogue().get(rule)
    if row is None:
        return Advice("", "")
    return _NARROWED[row.protocol](rule, reason or "", kind or "") or Advice(row.cause, row.fix)
