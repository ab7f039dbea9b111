"""Small help for sentences: lists, articles, ids that look alike.

Rules of this file: words only; it knows kinds of items by their nouns and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from webapp.core.agui.world import NOUNS
from webapp.core.records import Item

MAX_LISTED = 4  # places or names that a sentence lists
MAX_COMPARED = 2_000  # items a lookalike is sought among: bounds the work of a trace full of orphans


def a_noun(kind: str) -> str:
    """The kind with its article."""
    return f"{'an' if NOUNS[kind][0] in 'aeiou' else 'a'} {NOUNS[kind]}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and 3 more"."""
    if len(names) > MAX_LISTED:
        names = [*names[:MAX_LISTED], f"{len(names) - MAX_LISTED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def lookalike(id_: str, items: Iterable[Item]) -> Item | None:
    """An item whose id is the same letters in another case, with other white space or separators."""
    wanted = _fold(id_)
    for item in islice(items, MAX_COMPARED):
        if item.id != id_ and _fold(item.id) == wanted and item.opened is not None:
            return item
    return None


def _fold(text: str) -> str:
    return "".join(text.split()).replace("-", "").replace("_", "").casefold()
