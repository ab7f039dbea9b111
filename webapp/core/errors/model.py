"""What is known of an error sentence: its wording, and what was found in a text.

Rules of this file: data only.
"""

from __future__ import annotations

import re

import msgspec

from webapp.core.rules import Advice


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """One known wording.

    name:     slug, unique
    protocol: ag-ui | teams
    pattern:  finds it in a text; named groups are the ids in it (see LABELS)
    means:    whole sentences for a support engineer
    rules:    catalogue ids, the likeliest first
    kind:     kind of the item it is about, so that causes can name it; reasons: of `Finding.reason`, likeliest first
    answer:   key of `teams.answers` it is, when it is an answer of the service
    """

    name: str
    protocol: str
    pattern: re.Pattern[str]
    means: str
    rules: tuple[str, ...] = ()
    kind: str | None = None
    reasons: tuple[str, ...] = ()
    answer: str | None = None


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A known wording found in a text.

    said: the sentence as it stands there, in one line, "" where no text was asked about; ids: (what it is, value);
    causes: likeliest first, without repeats; start: its place in the text
    """

    wording: Wording
    said: str
    start: int
    ids: tuple[tuple[str, str], ...] = ()
    causes: tuple[Advice, ...] = ()


# named group -> what the value is
LABELS = {
    "message": "message id", "call": "tool call id", "step": "step", "subagent": "subagent", "other": "the other one",
    "event": "event", "span": "reasoning span", "open": "still open", "interrupt": "interrupt", "field": "member",
    "path": "path", "status": "status", "item": "item", "code": "code", "thread": "pending",
}  # fmt: skip
