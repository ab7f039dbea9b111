"""One answer of a form to choose from, as radio buttons and lists of a form show it.

Rules of this file: the frozen context alone; what the answers are and mean is said by the form they stand in.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to choose from; told: what it means, "" where the label says enough."""

    value: str
    label: str
    chosen: bool
    told: str = ""
