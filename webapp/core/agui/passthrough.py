"""RAW, CUSTOM and dropped events: is something standard told only there?

Rules of this file: PAS-01, PAS-02, PAS-03 and ENV-18. Whether an application understands a custom event nobody can
see, so all but PAS-01 are suspicions and say so. Source: events/passthrough,
basic/versioning#the-default-additions-are-safe.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import hazards_finish
from webapp.core.agui import values as v
from webapp.core.agui.compat import RETIRED
from webapp.core.agui.events import EVENTS
from webapp.core.agui.world import World, quoted
from webapp.core.findings import Finding

MAX_NAMES = 50  # different names that are told
_TELLING = ("delta", "content", "text")
_STANDARD = {"".join(ch for ch in name if ch.isalpha()).lower(): name for name in (*EVENTS, *RETIRED)}


def arrived(w: World, ev: e.Raw | e.Custom) -> None:
    """A RAW or CUSTOM event."""
    if isinstance(ev, e.Custom):
        _custom(w, ev)
    elif w.facts.first_raw is None:
        w.facts.first_raw = w.seq


def _custom(w: World, ev: e.Custom) -> None:
    name, facts = ev.name, w.facts
    facts.customs = True
    hazards_finish.custom(w, name, ev.value)
    if facts.told_by_custom is None and carries_text(ev.value):
        facts.told_by_custom = (w.seq, name)
    if not name or _is_prefixed(name):
        return
    told = w.trace.told
    known = told.get(("custom", name))
    if known is not None:
        w.ledger.again(known, w.seq)
    elif ("custom", name) not in told and w.trace.told_of["custom"] < MAX_NAMES:
        w.trace.told_of["custom"] += 1
        told["custom", name] = _name(w, name)


def _is_prefixed(name: str) -> bool:
    """Whether a vendor's prefix stands before it; no pattern, since every CUSTOM event asks."""
    return "." in name or ":" in name or "/" in name or "#" in name or "|" in name


def _name(w: World, name: str) -> Finding | None:
    standard = _standard(name)
    if standard is not None:
        return w.find(
            "AGUI-PAS-03",
            f"the custom event {quoted(name)} has the name of the standard event `{standard}`",
            "Clients do not take a `CUSTOM` event for a standard one: what it tells does not arrive.",
            path=f"custom {name}",
        )
    return w.find(
        "AGUI-PAS-02",
        f"the custom event {quoted(name)} has no vendor prefix",
        "Bare names are kept for the protocol; `com.example.progress` belongs to one sender.",
        path=f"custom {name}",
    )


def _standard(name: str) -> str | None:
    """The standard event whose name this is, in whatever spelling."""
    return _STANDARD.get("".join(ch for ch in name if ch.isalpha()).lower())


def carries_text(value: Any) -> bool:
    """Whether a private event's value holds what looks like a piece of an answer."""
    if not isinstance(value, dict):
        return False
    for key in _TELLING:
        said = value.get(key)
        if isinstance(said, str) and said.strip():
            return True
    return False


def dropped(w: World, value: dict[str, Any] | None, finding: Finding | None) -> None:
    """An event of unknown type is dropped."""
    if w.facts.dropped_text is None and finding is not None and carries_text(value):
        w.facts.dropped_text = finding


def at_finish(w: World, outcome: Any) -> None:
    """The run finishes: did anything but private events tell the user something?"""
    facts = w.facts
    if outcome is not UNSET and not isinstance(outcome, v.RunSuccess):
        return
    if facts.content or any(w.items[kind] for kind in ("text", "tool", "reasoning", "activity", "result")):
        return
    about: dict[str, Any] = {"item": ("run", "" if w.run is None else w.run.run_id or "")}
    if facts.dropped_text is not None:
        lost = facts.dropped_text
        w.find(
            "AGUI-ENV-18",
            "the run’s only text seems to be in events that clients drop",
            f"#{lost.event} carries text and is of a type no client knows, and the run has no message.",
            related=((lost.event, "previous"),),
            cause=lost.key,
            **about,
        )
    elif facts.told_by_custom is not None:
        if _standard(facts.told_by_custom[1]) is not None:
            return  # told already, with the event itself
        at, name = facts.told_by_custom
        w.find(
            "AGUI-PAS-03",
            f"the run’s only text seems to be in custom events such as {quoted(name)}",
            f"#{at} carries text, and the run has no message. Clients show nothing of it by themselves.",
            related=((at, "previous"),),
            path="only there",
            **about,
        )
    elif facts.first_raw is not None and not facts.customs:
        w.find(
            "AGUI-PAS-01",
            "the run tells everything in `RAW` events",
            f"They begin at #{facts.first_raw}, and no message, call, state or activity comes with them. Clients show "
            "nothing of a `RAW` event.",
            related=((facts.first_raw, "previous"),),
            **about,
        )
