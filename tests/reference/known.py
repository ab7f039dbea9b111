"""Differences from the reference client that are meant, each tied to a row of docs/reference.md.

Rules of this file: one entry a difference, as narrow as it can be told; what no entry explains fails the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.reference.compare import received


class Known(NamedTuple):
    """row: number in docs/reference.md (`—` where the comparison itself is the reason); words: why; applies: when."""

    row: str
    words: str
    applies: Callable[[str, dict[str, Any], Any], bool]


def _echoed(found: str, stream: dict[str, Any], ours: Any) -> bool:
    """The state alone differs, and no request but an echo with a state is there."""
    signs = (b'"RUN_STARTED"', b'"input"', b'"state"')
    echoes = any(all(sign in raw for sign in signs) for raw, _ in received(stream))
    return found.startswith("state") and "input" not in stream and echoes


def _scalar(found: str, stream: dict[str, Any], ours: Any) -> bool:
    """The state alone differs, and a patch met a state that is no object or list."""
    return found.startswith("state") and bool(ours.scalar_patched)


KNOWN = (
    Known("21", "an echoed input seeds the state when the request is not recorded", _echoed),
    Known("18", "the client’s patch library takes members of a scalar for absent ones", _scalar),
)


def explained(found: str, stream: dict[str, Any], ours: Any) -> Known | None:
    """The entry that explains a difference; None when none does."""
    return next((known for known in KNOWN if known.applies(found, stream, ours)), None)
