"""Messages of a conversation that came whole: in the request, in a run's echo of it, in a snapshot.

Rules of this file: where such a message stands and what it says; each record is read at most once a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from webapp.storage import events, items
from webapp.storage.models import ItemRow, Trace
from webapp.storage.storable import storable
from webapp.views.content import members
from webapp.views.page import PageContext

MAX_SNAPSHOT = 20_000_000  # characters of a snapshot's payload that are read: more than a record may have
MAX_ECHO = 2_000_000
MAX_BACK = 20  # earlier snapshots that are looked through for a message that was kept


@dataclass(frozen=True, slots=True)
class Seed:
    """A message that came whole. source: record that brought it, None = the request; message: as sent, if known.

    id is as the database has it, so that it finds what was streamed; `message` may hold what no database takes.
    """

    id: str
    role: str
    source: int | None
    message: dict[str, Any] | None


Slot = Seed | ItemRow


class Whole:
    """As of record `upto`."""

    def __init__(self, session: Session, trace: Trace, page: PageContext, upto: int) -> None:
        self.session, self.trace, self.page, self.upto = session, trace, page, upto
        self._whole: dict[str, Seed] = {}
        self._echoes: dict[int, list[Seed]] = {}
        self._read: dict[int, dict[str, dict[str, Any]]] = {}

    def base(self) -> tuple[int | None, list[Seed]]:
        """The record of the newest snapshot, None = there is none yet; and what came whole."""
        wanted = "MESSAGES_SNAPSHOT" in self.trace.types
        held = items.snapshot(self.session, self.trace.pk, self.upto) if wanted else None
        if held is None or held.messages is None:
            return None, self.asked()
        out = []
        for id_, role, *source in held.messages:
            came = source[0] if source and source[0] is not None else held.seq
            out.append(Seed(storable(id_), storable(role), came, None))
        return held.seq, out

    def asked(self) -> list[Seed]:
        """Messages of the request that was uploaded, or of the one the first run echoes."""
        given = (self.trace.input or {}).get("messages")
        if isinstance(given, list):
            return _seeds(given, None)
        first = self.page.runs[0].first if self.page.runs else None
        return self.echo(first) if first is not None and first <= self.upto else []

    def echo(self, seq: int) -> list[Seed]:
        if seq not in self._echoes:
            raw = events.payloads(self.session, self.trace.pk, [seq], MAX_ECHO).get(seq, "")
            body = members(raw) if '"messages"' in raw else {}
            given = body.get("input")
            self._echoes[seq] = _seeds(given.get("messages"), seq) if isinstance(given, dict) else []
        return self._echoes[seq]

    def filled(self, seed: Slot) -> Slot:
        """A seed with its message, read from the record that brought it; the same object for the same seed."""
        if not isinstance(seed, Seed) or seed.message is not None or seed.source is None:
            return seed
        if seed.id in self._whole:
            return self._whole[seed.id]
        source: int | None = seed.source
        message = self._sent(seed.source).get(seed.id)
        if message is None:  # kept by the client although the snapshot does not list it
            source, message = self._before(seed)
        made = self._whole[seed.id] = Seed(seed.id, seed.role, source, message)
        return made

    def _sent(self, seq: int) -> dict[str, dict[str, Any]]:
        """Messages of a snapshot by id."""
        if seq not in self._read:
            raw = events.payloads(self.session, self.trace.pk, [seq], MAX_SNAPSHOT)
            sent = members(raw.get(seq, "")).get("messages")
            found = [m for m in sent if isinstance(m, dict)] if isinstance(sent, list) else []
            self._read[seq] = {storable(str(m.get("id"))): m for m in reversed(found)}
        return self._read[seq]

    def _before(self, seed: Seed) -> tuple[int | None, dict[str, Any] | None]:
        """Where a message stands that the newest snapshot does not list: an earlier one, or the request."""
        seq = seed.source or 0
        for _ in range(MAX_BACK):
            held = items.snapshot(self.session, self.trace.pk, seq - 1)
            if held is None:
                break
            seq = held.seq
            if seed.id in self._sent(seq):
                return seq, self._sent(seq)[seed.id]
            if all(id_ != seed.id for id_, *_ in held.messages or ()):
                return seed.source, None  # it was streamed since
        asked = next((each for each in self.asked() if each.id == seed.id), None)
        return (seed.source, None) if asked is None else (asked.source, asked.message)


def _seeds(messages: Any, source: int | None) -> list[Seed]:
    found = messages if isinstance(messages, list) else []
    return [
        Seed(storable(str(m["id"])), storable(str(m.get("role", ""))), source, m)
        for m in found
        if isinstance(m, dict) and "id" in m
    ]
