"""The State panel of a trace without its texts: when the state changed and how much, in words.

Rules of this file: pure; it takes from a panel what redaction left no meaning. Markers are no keys and no values, so no
tree is drawn of them and no change between two of them is told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webapp.redact import marked
from webapp.views import names, sealed
from webapp.views.state_load import Moment, Rebuilt
from webapp.views.state_say import Last

if TYPE_CHECKING:
    from webapp.views.panels.state import StatePanel


def told(panel: StatePanel, found: Rebuilt) -> StatePanel:
    """The panel with sizes for values."""
    return replace(
        panel,
        redacted="" if panel.empty else sealed.NO_STATE,
        missing="",
        crumbs=(),
        window="",
        tree=None,
        body=None,
        last=None if panel.last is None else _last(panel.last, found),
        lines=[
            replace(line, changed=(), more="", failed="", said=_said(found.moments.get(line.seq)))
            for line in panel.lines
        ],
        activities=[replace(act, tree=None, failed="") for act in panel.activities],
    )


def _last(last: Last, found: Rebuilt) -> Last:
    said = _said(found.moments.get(last.seq))
    # whether it was applied, a replay without its path and values cannot tell; a finding does
    what = f"The newest by then is the {_kind(found, last.seq)} at #{last.seq}{f': {said}' if said else ''}"
    return replace(last, what=what, changed=(), more="", failed="")


def _kind(found: Rebuilt, seq: int) -> str:
    moment = found.moments.get(seq)
    return "patch" if moment is not None and moment.place.type == "STATE_DELTA" else "snapshot"


def _said(moment: Moment | None) -> str:
    """`3 operations`, or how much a snapshot held; "" when that is not known."""
    if moment is None or moment.change is None:
        return ""
    if moment.change.kind == "patch":
        return names.plural(len(moment.change.operations), "operation")
    size = _size(moment.after)
    return "" if size is None else f"the whole state, {names.plural(size, 'character')} of JSON"


def _size(value: Any) -> int | None:
    """Characters behind the marker that a state became."""
    inner = value.get("redacted") if isinstance(value, dict) else value
    return marked(inner) if isinstance(inner, str) else None
