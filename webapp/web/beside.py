"""What is written beside a request, so that a read does not wait for somebody else's long write.

Rules of this file: when it is written, not what. One thread an application writes it, in its own session and in the
order it came in; a request waits for it a moment, and then answers. Nothing is dropped without a line of the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from webapp.errors import Busy
from webapp.storage.db import Database, is_trouble

log = logging.getLogger("lanescope")

WAIT_SECONDS = 0.5  # so long a request waits for what is written beside it
MOST = 500  # that may be waiting; then nothing more is given away that could not be written down
TRIES = 3  # each waits as long as the database lets a writer wait
FULL = "The database is being written, so it could not be noted that this was taken; try again in a moment."

Write = Callable[[Session], None]


class Beside:
    """One an application. Threads may share it; its own thread starts with the first thing to write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._threads = ThreadPoolExecutor(1, "beside")
        self._waiting: set[Future[None]] = set()

    def write(self, write: Write, seconds: float = WAIT_SECONDS) -> None:
        """Have this written, by now or soon. seconds: until it is left to itself.

        Raises Busy when too much is waiting already, and what the database says when it refuses at once.
        """
        if len(self._waiting) >= MOST:
            raise Busy(FULL)
        task = self._threads.submit(self._written, write)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)
        try:
            task.result(seconds)
        except TimeoutError:
            task.add_done_callback(_lost)

    def close(self) -> None:
        """Wait until what came in so far is written."""
        wait(tuple(self._waiting))

    def _written(self, write: Write) -> None:
        for left in reversed(range(TRIES)):
            try:
                with self._database.session() as session:
                    write(session)
                return
            except SQLAlchemyError as error:
                if not left or not is_trouble(error):
                    raise


def _lost(task: Future[None]) -> None:
    if error := task.exception():
        log.error("a line of the audit could not be written: %s", getattr(error, "orig", None) or error)
