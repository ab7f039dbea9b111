"""Openers whose tag a client does not get, since its name is misspelt or its value wrong: they are the parent agent's.

Rules of this file: memory and look-up. `faults.py` fills it; who finds that an owner differs asks it, so that one
misspelt tag is told once, and not again with each event that is tagged rightly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core.agui.blame import Fault
from webapp.core.agui.facts import Untagged
from webapp.core.agui.world import World
from webapp.core.findings import Finding

_IDS = ("messageId", "toolCallId", "stepName")
_OPENS = ("_START", "_STARTED", "_CHUNK", "_SNAPSHOT", "_RESULT")


def is_tag(fault: Fault) -> bool:
    """Whether a fault takes an event's tag away."""
    path = fault.path or ""
    return path == "$.subagentRunId" or (fault.habit != "" and _letters(path) == "subagentrunid")


def noted(w: World, name: str, value: Mapping[str, Any] | None, finding: Finding) -> None:
    """An event without its tag; only what opens something decides whose it is."""
    if value is None or not name.endswith(_OPENS):
        return
    tag = next((inner for key, inner in value.items() if _letters(key) == "subagentrunid"), None)
    entry = Untagged(tag if isinstance(tag, str) else None, len(w.runs), finding)
    for key, inner in value.items():
        if isinstance(inner, str) and any(_letters(key) == field.lower() for field in _IDS):
            w.trace.untagged[inner] = entry


def cause(w: World, id_: str, tag: Any, *, ever: bool = False) -> str | None:
    """The finding that the opener of this id has lost this tag, in the run at hand or (`ever`) in the trace."""
    entry = w.trace.untagged.get(id_)
    if entry is None or entry.tag not in (None, tag) or (entry.run != len(w.runs) and not ever):
        return None
    return entry.finding.key


def _letters(name: str) -> str:
    return "".join(ch for ch in name if ch.isalnum()).lower() if len(name) <= 40 else name
