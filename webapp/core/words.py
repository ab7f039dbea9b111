"""Small help for sentences: what kinds of items are called, lists and articles.

Rules of this file: words only, and none of one protocol alone; it judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

NOUNS = {
    "text": "message",
    "tool": "tool call",
    "reasoning": "reasoning message",
    "span": "reasoning span",
    "step": "step",
    "subagent": "subagent",
    "activity": "activity",
    "result": "tool result",
}
MAX_LISTED = 4  # places or names that a sentence lists


def a_noun(kind: str) -> str:
    """The kind with its article."""
    return f"{'an' if NOUNS[kind][0] in 'aeiou' else 'a'} {NOUNS[kind]}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and 3 more"."""
    if len(names) > MAX_LISTED:
        names = [*names[:MAX_LISTED], f"{len(names) - MAX_LISTED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
