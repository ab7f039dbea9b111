"""A few events judged, without a reader: what the engine makes of them."""

from __future__ import annotations

import json
from typing import Any

from webapp.core import Finding, Replay, Report


def judged(
    *events: dict[str, Any] | bytes, asked: dict[str, Any] | None = None, framing: tuple[str, ...] = ()
) -> Report:
    """The report on a stream; bytes are a record as they stand. asked: the run's input; framing: of each record."""
    replay = Replay("ag-ui", asked)
    for event in events:
        replay.feed(event if isinstance(event, bytes) else json.dumps(event).encode(), None, framing)
    return replay.finish()


def found(
    *events: dict[str, Any] | bytes, asked: dict[str, Any] | None = None, framing: tuple[str, ...] = ()
) -> list[Finding]:
    """The findings of `judged`."""
    return judged(*events, asked=asked, framing=framing).findings
