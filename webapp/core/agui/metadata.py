"""Metadata keys (MET-01, MET-02).

Rules of this file: it looks at the keys of one metadata object, never at values; a key is told once a trace.
Source: basic/metadata#keys.
"""

from __future__ import annotations

import re
from typing import Any

from webapp.core.agui.world import World, quoted

RESERVED = "ag-ui"
MAX_KEYS = 50  # different keys that are told
_PREFIXED = re.compile(r"[./:#|]")


def check(w: World, metadata: Any) -> None:
    """`metadata` of an event, message, call, tool or interrupt; UNSET is none."""
    if not isinstance(metadata, dict):
        return
    told = w.trace.told
    for key in metadata:
        if _PREFIXED.search(key):
            continue
        known = told.get(("metadata", key))
        if known is not None:
            w.ledger.again(known, w.seq)
        elif ("metadata", key) not in told and w.trace.told_of["metadata"] < MAX_KEYS:
            w.trace.told_of["metadata"] += 1
            told["metadata", key] = _tell(w, key)


def _tell(w: World, key: str) -> Any:
    if key == RESERVED:
        return w.find(
            "AGUI-MET-01",
            f"metadata uses the key {quoted(key)}, which is the protocol’s own",
            "A later version may give it a meaning.",
            path="ag-ui",
        )
    return w.find(
        "AGUI-MET-02",
        f"the metadata key {quoted(key)} has no vendor prefix",
        "Two frameworks may use one bare word for two things; `example.com/key` belongs to one.",
        path=f"metadata {key}",
    )


def check_messages(w: World, messages: list[Any]) -> None:
    """Metadata inside whole messages and their calls."""
    for message in messages:
        check(w, message.metadata)
        calls = getattr(message, "toolCalls", None)
        for call in calls if isinstance(calls, list) else ():
            check(w, call.metadata)
