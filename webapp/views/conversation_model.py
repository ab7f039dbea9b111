"""What one entry of the conversation says.

Rules of this file: data only; words are plain, sentences carry the two marks (`#12`, backticks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from webapp.views.bodies import Body


@dataclass(frozen=True, slots=True)
class Lost:
    """What was sent and never reached the user. words: a sentence; body: its text, on demand."""

    words: str
    body: Body | None


@dataclass(slots=True)
class Call:
    """One tool call inside a message. result: None = there is none yet, `result_words` say why.

    state_cls: growing | cut | done | never; at: record of the result; first, last: of the call itself
    """

    dom: str
    name: str
    id: str
    args: Body | None
    state: str = ""
    state_cls: str = ""
    first: int | None = None
    last: int | None = None
    result: Body | None = None
    result_words: str = ""
    at: int | None = None
    lost: Lost | None = None
    current: bool = False


@dataclass(slots=True)
class Entry:
    """One message of the list. who: its role; notes: sentences; cls: its kind, or `never`, or `gone`.

    first, last: records of its life, None = unknown; quiet: said where there is no text; chips: parts that are
    no text; folded: reasoning, opened on demand; unseen: it began after the client had stopped
    """

    dom: str
    cls: str
    who: str
    name: str = ""
    id: str = ""
    lane: str = ""
    lane_cls: str = ""
    state: str = ""
    state_cls: str = ""
    growing: bool = False
    body: Body | None = None
    quiet: str = ""
    chips: Sequence[str] = ()
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    first: int | None = None
    last: int | None = None
    lost: Lost | None = None
    folded: bool = False
    unseen: bool = False
    current: bool = False
