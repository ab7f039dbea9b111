"""A state, an activity or a list of messages that cannot be applied at all: it was sent, and where it was sent counts.

Rules of this file: what comes before an event's own handler in `verify.py`, and nothing of the handler. Its wrong shape
is told already (`faults.py`); that it stands outside a run, or behind its subagent's end, is a defect of its own.
"""

from __future__ import annotations

from webapp.core.agui import chunks, runs, subagents
from webapp.core.agui.tables import CLOSES
from webapp.core.agui.world import World


def passed(w: World, name: str, tag: str | None) -> None:
    """The event goes through expansion, attribution and the run; tag: whom it is attributed to."""
    if w.streams:
        if CLOSES[name] == "own":
            chunks.close_own(w, tag)
        elif CLOSES[name] == "all":
            chunks.close_all(w)
        w.synthesized.clear()  # a client stops at the shape, before it would add those ends
    if tag is not None:
        w.tags.setdefault(tag, w.seq)
        subagents.check_tag(w, tag)
    if w.run_state != "active":
        runs.other(w)
