"""Looking for what a person typed.

Rules of this file: turn typed words into SQL conditions that mean them literally. No table, no session.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlalchemy.orm import InstrumentedAttribute

MAX_TERMS = 8  # words of one search; the rest is not looked at
_TERM = re.compile(r'"([^"]+)"|(\S+)')


def terms(q: str) -> list[str]:
    """The words of a search; words between double quotes stay together."""
    return [quoted or word for quoted, word in _TERM.findall(q.replace("\0", " "))][:MAX_TERMS]


def contains(column: InstrumentedAttribute[Any], word: str) -> ColumnElement[bool]:
    """Whether the text holds the word, letter case aside; `%`, `_` and the backslash mean themselves."""
    return column.icontains(word, autoescape=True)


def raw_contains(column: InstrumentedAttribute[Any], word: str) -> ColumnElement[bool]:
    """The same for raw JSON, where a word may also stand escaped (`\\u00e9`, `\\"`)."""
    found = contains(column, word)
    spelled = {json.dumps(word, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)} - {word}
    return or_(found, *(contains(column, spelling) for spelling in sorted(spelled))) if spelled else found
