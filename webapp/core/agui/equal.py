"""Whether two JSON values are the same.

Rules of this file: as a client compares them, not as Python does: `1` and `1.0` are the same, `1` and `true` are not,
and the order of an object's members does not matter.
"""

from __future__ import annotations

from typing import Any


def same(one: Any, other: Any) -> bool:
    """Raises RecursionError for values nested deeper than Python can follow."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
