"""The traces this process judges while they are recorded.

Rules of this file: which are looked at in a round, and what happens when one fails. What was read and could not be
written is read again from the database, so nothing is judged that is not stored. A trace that cannot be judged harms no
other. It belongs to the recorder's thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy.orm import Session

from webapp.ingest.live import transactions
from webapp.ingest.live.analyst import Analyst, Gone
from webapp.ingest.live.transactions import Fresh
from webapp.settings import Settings
from webapp.storage import captures, traces
from webapp.storage.db import Database, is_trouble
from webapp.storage.models import Capture

log = logging.getLogger("lanescope")

UNJUDGED = (
    "Lanescope failed while it judged this recording; its log says where. The recording itself is whole: read it "
    "again, or download it."
)
Position = tuple[str, int, str]  # public id, records, status


class Bench:
    """publish: told how far a trace is, once that is in the database; gone: told which traces are no more.

    owner: whose recordings are judged here
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        owner: str,
        publish: Callable[[str, int, str], None],
        gone: Callable[[int], None],
    ) -> None:
        self._database = database
        self._settings = settings
        self._owner = owner
        self._publish = publish
        self._gone = gone
        self._analysts: dict[int, Analyst] = {}
        self._failed: set[int] = set()  # judged no more until they end
        self._due: set[int] = set()

    @property
    def busy(self) -> bool:
        """Whether any trace is being judged."""
        return bool(self._analysts or self._failed or self._due)

    @property
    def due(self) -> bool:
        """Whether something is left for the next round."""
        return bool(self._due)

    def add(self, trace: int) -> None:
        """Look at this trace in the next round, from its beginning."""
        self._forget(trace)
        self._due.add(trace)

    def check(self, known: Iterable[int]) -> set[int]:
        """Look, in the next round, at those of which more is stored than was judged: a signal may have been lost.

        Gives those that are not ours any more.
        """
        known = set(known) | self._analysts.keys() | self._failed
        with self._database.session() as session:
            rows = captures.of(session, sorted(known))
        for pk in known:
            capture, analyst = rows.get(pk), self._analysts.get(pk)
            behind = capture is not None and (
                capture.ended is not None or (analyst is not None and analyst.next_part < capture.parts)
            )
            if capture is None or behind:
                self._due.add(pk)
        return {pk for pk, capture in rows.items() if capture.owner != self._owner}

    def work(self, fresh: Mapping[int, Sequence[Fresh]]) -> None:
        """Judge what was stored: `traces.pk` -> parts, () for a trace of which parts may lie in the database.

        Raises what `is_trouble` when the database cannot be read or written; then the same traces are due again.
        """
        self._due |= fresh.keys()
        if not self._due:
            return
        due, behind = sorted(self._due), set[int]()
        try:
            self._tell(self._together(due, fresh, behind))
        except Exception:  # which of them it was is found out one by one
            for pk in due:  # what they have read is not written
                self._analysts.pop(pk, None)
            behind.clear()
            for pk in due:
                self._alone(pk, behind)
        self._due = behind

    def _together(
        self, due: Sequence[int], fresh: Mapping[int, Sequence[Fresh]], behind: set[int]
    ) -> list[Position]:
        told: list[Position] = []
        lost = []
        with self._database.session() as session:
            rows = captures.of(session, due)
            for pk in due:
                capture = rows.get(pk)
                if capture is None:
                    lost.append(pk)
                elif (position := self._judge(session, capture, fresh.get(pk, ()), behind)) is not None:
                    told.append(position)
        for pk in lost:
            self._forget(pk)
            self._gone(pk)
        return told

    def _alone(self, pk: int, behind: set[int]) -> None:
        try:
            self._tell(self._together([pk], {}, behind))
        except Gone:
            self._forget(pk)
            self._gone(pk)
        except Exception as error:
            self._analysts.pop(pk, None)
            if is_trouble(error):
                raise
            log.exception("a live recording could not be judged")
            self._failed.add(pk)
            self._give_up(pk)

    def _judge(
        self, session: Session, capture: Capture, fresh: Sequence[Fresh], behind: set[int]
    ) -> Position | None:
        pk = capture.trace
        if capture.owner != self._owner:  # another process took it for left, or it is over
            self._forget(pk)
            return None
        if pk in self._failed and capture.ended is None:
            return None
        analyst = self._analysts.get(pk)
        if analyst is None:
            traces.clear(session, pk)
            trace = traces.by_pk(session, pk)
            if trace is None:
                raise Gone
            analyst = self._analysts[pk] = Analyst(capture, trace.input, self._settings)
        for part in fresh:
            if part.part == analyst.next_part:
                analyst.feed(part.data, part.arrivals)
        caught_up = analyst.next_part >= capture.parts or analyst.catch_up(session)
        if not caught_up:
            behind.add(pk)
        if capture.ended is None or not caught_up:
            return _live(analyst.write(session))
        return self._finish(session, analyst, behind)

    def _finish(self, session: Session, analyst: Analyst, behind: set[int]) -> Position | None:
        """It ended; unless a batch, or the process that was taken for dead, goes on with it at this very moment."""
        pk = analyst.pk
        capture = captures.locked(session, pk)
        if capture is None:
            raise Gone
        if capture.owner != self._owner or capture.ended is None or capture.parts > analyst.next_part:
            behind.add(pk)
            return _live(analyst.write(session))
        judged = analyst.finish(session, capture)
        while judged is None and analyst.catch_up(session):
            judged = analyst.finish(session, capture)
        if judged is None:
            behind.add(pk)
            return _live(analyst.write(session))
        public, records, _ = judged
        trace = traces.by_pk(session, pk)
        assert trace is not None  # `finish` wrote to it
        transactions.close(session, trace, capture)
        if trace.masked is not None:
            trace.masked += analyst.masked
        del self._analysts[pk]
        self._failed.discard(pk)
        return public, records, trace.status

    def _give_up(self, pk: int) -> None:
        """Judging failed for another reason than the database; what was recorded stays."""
        try:
            with self._database.session() as session:
                trace, capture = traces.by_pk(session, pk), captures.locked(session, pk)
                if trace is None or capture is None or capture.owner != self._owner or capture.ended is None:
                    return
                traces.clear(session, pk)
                transactions.close(session, trace, capture)
                trace.status, trace.error = "failed", UNJUDGED
                told = (trace.id, trace.records, trace.status)
            self._failed.discard(pk)
            self._tell([told])
        except Exception as error:
            if is_trouble(error):
                raise
            log.exception("a live recording that cannot be judged could not be closed")

    def _forget(self, pk: int) -> None:
        self._analysts.pop(pk, None)
        self._failed.discard(pk)

    def _tell(self, positions: Sequence[Position]) -> None:
        for position in positions:
            self._publish(*position)


def _live(written: Position | None) -> Position | None:
    return None if written is None else (written[0], written[1], "live")
