"""What a form is: a name, words for people, a score for the first bytes, a reader.

Rules of this file: the shapes only. Each form lives in its own module, which exports `FORM`; `registry` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webapp.readers.base import Reader
from webapp.readers.head import Head
from webapp.readers.limits import Limits


@dataclass(frozen=True, slots=True)
class Score:
    """How well the first bytes fit. value: 0 (a guess) to 1 (sure); reasons: phrases that follow "because ".

    protocol: ag-ui or teams, when the form itself says so; title: words that fit better than the form's own
    """

    value: float
    reasons: tuple[str, ...]
    protocol: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of input. name: its id (`--as NAME`, stored with a trace); title: follows "Read as ".

    about: one sentence for `lanescope formats`; score: None when it is certainly not this
    """

    name: str
    title: str
    about: str
    score: Callable[[Head], Score | None]
    reader: Callable[[Limits], Reader]
