"""Versions: what a run declares, and what it uses.

Rules of this file: VER-01, VER-05, VER-06 and the words of their findings; nothing here rejects. Whether a declared
version can be read and is known is `identity.py`'s. Source: basic/versioning#version-negotiation.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui.world import World, quoted

_TYPED_SINCE = (1, 1)  # the version that brought `encryptedValueType`


def declared(w: World, version: Any) -> None:
    """A run starts; VER-06 unless the recorded request shows that the runs before it are history."""
    if version is UNSET or not isinstance(version, str):
        return
    w.facts.declared = version
    versions = w.trace.versions
    request, run = w.trace.request, w.run
    replay = request is not None and run is not None and request.runId == run.run_id
    other = next(((at, was) for was, at in versions.items() if was != version), None)
    if other is not None and not replay and w.nested is None:
        w.find(
            "AGUI-VER-06",
            f"the run declares version {quoted(version)}, an earlier one {quoted(other[1])}",
            "Only a replay of earlier runs mixes versions; in one live stream it points to two agents behind one "
            "proxy.",
            item=("run", (run.run_id if run is not None else None) or ""),
            related=((other[0], "previous"),),
        )
    versions.setdefault(version, w.seq)


def dates(w: World, what: str) -> None:
    """The run uses something that came with version 1.0."""
    w.trace.dated = True
    if w.facts.dated is None:
        w.facts.dated = (w.seq, what)


def undeclared(w: World) -> None:
    """VER-01: a run that declares nothing and uses 1.0 material."""
    facts = w.facts
    if facts.declared is not None or w.run is None:
        w.trace.dated = w.trace.dated or bool(w.tags)
        return
    if w.tags:
        tag, at = min(w.tags.items(), key=lambda pair: pair[1])
        if facts.dated is None or at < facts.dated[0]:
            facts.dated = (at, f"the tag {quoted(tag)}")
    if facts.dated is None:
        return
    w.trace.dated = True
    at, what = facts.dated
    w.ledger.add(
        "AGUI-VER-01",
        w.run.first,
        "the run declares no protocol version, yet it uses what came with version 1.0",
        f"#{at} carries {what}. An implementation of 1.0 or later declares itself in every `RUN_STARTED`.",
        run=w.run.run,
        item=("run", w.run.run_id or ""),
        related=((at, "later"),),
    )


def typed(w: World, place: str) -> None:
    """An `encryptedValueType` was sent: VER-05 when the run declares an older version."""
    if w.trace.typed is None:
        w.trace.typed = w.seq
    version = _parts(w.facts.declared)
    if version is not None and version < _TYPED_SINCE:
        w.find(
            "AGUI-VER-05",
            f"{place} carries `encryptedValueType`, which came with version 1.1, but the run declares "
            f"{quoted(w.facts.declared)}",
            "A client of the declared version removes it.",
            path="encryptedValueType",
        )


def used(w: World) -> str | None:
    """The version the trace needs for what it uses; None when nothing in it tells."""
    if w.trace.typed is not None:
        return "1.1"
    return "1.0" if w.trace.dated or w.tags else None


def _parts(version: str | None) -> tuple[int, ...] | None:
    pieces = (version or "").split(".")
    return (
        tuple(map(int, pieces))
        if len(pieces) == 2 and all(p.isdigit() and len(p) < 10 for p in pieces)
        else None
    )
