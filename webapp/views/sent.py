"""What came of several recordings sent at once: the front page's address after it, and the line it then shows.

Rules of this file: words, and the query they travel in. Which traces the ids are is the caller's to look up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from webapp.storage.models import Trace
from webapp.views.names import plural

KNOWN = 20  # recordings that were here already, by name


@dataclass(frozen=True, slots=True)
class Sent:
    """stored: how many are new, a sentence; known: those that were here before, as (name, address); more: how many
    others were, in words, "" for none."""

    stored: str
    known: Sequence[tuple[str, str]]
    more: str


def address(stored: int, known: Sequence[str]) -> str:
    """The front page's address. stored: how many are new; known: ids of those that were here already."""
    query = [("stored", str(stored)), ("known", str(len(known))), *(("at", id_) for id_ in known[:KNOWN])]
    return f"/?{urlencode(query)}"


def told(stored: str, known: str, rows: Sequence[Trace]) -> Sent | None:
    """What such an address says, None when it says nothing. rows: the traces it names that are still there."""
    new, old = (int(text) if re.fullmatch(r"[0-9]{1,6}", text) else 0 for text in (stored, known))
    if not new and not rows:
        return None
    more = max(0, old - len(rows)) if rows else 0
    return Sent(
        f"{plural(new, 'recording')} {'was' if new == 1 else 'were'} stored."
        if new
        else "Nothing was stored.",
        [(row.name, f"/traces/{row.id}") for row in rows],
        f"and {more:,} more" if more else "",
    )
