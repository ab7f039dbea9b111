"""A long list a page at a time: which rows a page has, what is said of them, and where the next ones are.

Rules of this file: pure; numbers and addresses. A page that is past the end is the last one, so that a list which has
become shorter is never shown empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pages:
    """Where one page stands in its list. number: 1-based; shown: `1–50 of 138 shown`; newer, older: addresses of the
    pages beside it, "" where there is none."""

    number: int
    shown: str
    newer: str
    older: str


def fitting(number: int, size: int, found: int) -> int:
    """The page to show when `number` is asked for, of `found` rows, `size` on each."""
    return max(1, min(number, -(-found // size)))


def pages(number: int, size: int, found: int, href: Callable[[int], str]) -> Pages:
    """number: as `fitting` says; href: address of a page."""
    first, last = (number - 1) * size + 1, min(number * size, found)
    return Pages(
        number=number,
        shown=f"{first:,}–{last:,} of {found:,} shown" if found else "0 of 0 shown",
        newer=href(number - 1) if number > 1 else "",
        older=href(number + 1) if last < found else "",
    )
