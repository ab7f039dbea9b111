"""When the shared state is written down, so that no page applies more than a bounded number of patches.

Rules of this file: counting and encoding; no session. A checkpoint is due after PATCHES patches or PATCH_BYTES of
them. It costs as much as the state is big, so the patches since the last one must be as big, or SPARE pays the rest:
a trace's checkpoints are never larger than its patches and SPARE together. A snapshot is its own checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

PATCHES = 1_000
PATCH_BYTES = 64 * 1024
SPARE = 16 * 1024 * 1024
MAX_STATE = 4 * 1024 * 1024  # a larger one is rebuilt from the newest snapshot event instead
STATE_TYPES = frozenset({"STATE_SNAPSHOT", "STATE_DELTA"})


class States:
    """now: gives the state as it stands after the record at hand."""

    def __init__(self, now: Callable[[], Any]) -> None:
        self._now = now
        self._patches = 0
        self._bytes = 0
        self._size = 0  # of the state when it was last measured
        self._spare = SPARE

    def add(self, type_: str, size: int) -> str | None:
        """One state record of `size` bytes; the state as JSON when a checkpoint is due."""
        if type_ == "STATE_SNAPSHOT":
            self._patches = self._bytes = 0
            self._size = size
            return None
        self._patches += 1
        self._bytes += size
        if self._patches < PATCHES and self._bytes < PATCH_BYTES:
            return None
        if self._size > MAX_STATE or self._size - self._bytes > self._spare:
            return None
        text = encoded(self._now())
        self._size = MAX_STATE + 1 if text is None else len(text)
        if text is None or self._size > MAX_STATE:
            return None
        self._spare -= max(0, self._size - self._bytes)
        self._patches = self._bytes = 0
        return text


def encoded(value: Any) -> str | None:
    """The value as JSON without a character that a database refuses; None when it nests too deep."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, OverflowError, RecursionError, TypeError):
        pass
    try:
        return json.dumps(value)  # lone surrogates stay escapes
    except (ValueError, RecursionError, TypeError):
        return None
