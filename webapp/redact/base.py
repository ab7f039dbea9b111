"""What every redactor is: records in, records without texts out, and what was taken out, counted.

Rules of this file: the interface and the hiding of one value. What is kept of a record is in `agui`, `teams` and
`personal`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

from webapp.redact.markers import marked, marker
from webapp.redact.texts import Place, overwritten, places
from webapp.redact.values import size

MAX_IDS = 500_000  # ids that are remembered for the sentences of findings


class Redactor(ABC):
    """Of one trace. Show it all records (`look`, when `looks`), then have each made anew (`record`), in order; then
    give it the run input (`value`), and only then sentences (`words`), since they keep the ids that were named before.

    looks: all records must be shown to `look` first, since a text comes in pieces
    removed: what was taken out so far: texts, arguments, results, states, names, members … -> how many
    """

    looks = False

    def __init__(self) -> None:
        self.removed: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.aliases: dict[str, str] = {}  # ids of which a part was overwritten -> what they are now
        self._alike: Counter[str] = Counter()

    def look(self, payload: bytes) -> None:  # noqa: B027  # structure needs no look
        """Take note of a record that will be redacted."""

    @abstractmethod
    def record(self, payload: bytes) -> bytes | None:
        """The record as JSON with its texts out; None when it is no JSON object. Never raises."""

    @abstractmethod
    def words(self, sentence: str) -> str:
        """A sentence of a finding, or the reason a rule was skipped, with what it quotes of the trace taken out."""

    @abstractmethod
    def value(self, value: object) -> object:
        """Another JSON value that belongs to the trace: the run input, the head of the response."""

    # ── one value ────────────────────────────────────────────

    def hidden(self, value: Any, what: str) -> Any:
        """A value of the same JSON type that tells its size at most. what: under which name it is counted."""
        if isinstance(value, str):
            return self.text(value, what)
        if value is None:
            return None
        if isinstance(value, dict):
            if not value:
                return {}
            inner = value.get("redacted") if len(value) == 1 else None
            if isinstance(inner, str) and marked(inner) is not None:
                return value
            self.removed[what] += 1
            return {"redacted": marker(size(value))}
        if isinstance(value, list):
            if not value or (len(value) == 1 and isinstance(value[0], str) and marked(value[0]) is not None):
                return value
            self.removed[what] += 1
            return [marker(size(value))]
        if value:
            self.removed[what] += 1
        return False if isinstance(value, bool) else 0

    def text(self, text: str, what: str) -> str:
        """The marker of a text; an empty one and a marker stay."""
        if not text or marked(text) is not None:
            return text
        self.removed[what] += 1
        return marker(len(text))

    def kept_id(self, text: str) -> str:
        """An id that may stay; of one that is made of an address or a secret that part is overwritten, so that equal
        ids stay equal and different ones different."""
        if text in self.ids:
            return text
        known = self.aliases.get(text)
        if known is not None:
            return known
        found = places(text, is_id=True)
        return self._alias(text, found) if found else self.name_id(text)

    def _alias(self, text: str, found: list[Place]) -> str:
        if len(self.aliases) >= MAX_IDS:
            return self.text(text, "ids")
        made = overwritten(text, found, self.removed)
        self._alike[made] += 1
        if self._alike[made] > 1:
            made = f"{made}-{self._alike[made]}"
        self.aliases[text] = made
        return self.name_id(made)

    def name_id(self, text: str) -> str:
        """An id that is kept, and known to `words` from now on."""
        if len(self.ids) < MAX_IDS:
            self.ids.add(text)
        return text
