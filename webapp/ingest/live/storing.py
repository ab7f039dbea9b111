"""What a round took, into the database: all together, or one by one where one of them cannot be stored.

Rules of this file: who is told what. The transactions are in `transactions`. It belongs to the recorder's thread.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from webapp.errors import Busy
from webapp.ingest.live import transactions
from webapp.ingest.live.pending import Taken
from webapp.ingest.live.transactions import Kept
from webapp.storage.db import Database, is_trouble

log = logging.getLogger("lanescope")


def store(database: Database, taken: Sequence[Taken], owner: str) -> Kept:
    """Store what came; a recording that alone cannot be stored, whatever the reason, ends where it is.

    Raises what `is_trouble`, and then nothing is lost: what is not stored is taken again.
    """
    try:
        kept = transactions.keep(database, taken, owner)
    except Exception as error:
        if is_trouble(error):
            _later(taken)
            raise
        if len(taken) == 1:
            log.exception("a recording cannot be stored, and ends here")
            return _given_up(database, taken[0])
    else:
        for each in taken:
            each.live.done(each)
        return kept
    whole = Kept()
    for number, each in enumerate(taken):
        try:
            one = store(database, [each], owner)
        except Exception:
            _later(taken[number + 1 :])
            raise
        whole.fresh |= one.fresh
        whole.anew += one.anew
    return whole


def _given_up(database: Database, taken: Taken) -> Kept:
    taken.live.not_done(taken)
    taken.live.fail(Busy(transactions.UNKEPT))
    transactions.give_up(database, taken.live.pk)
    return Kept()


def _later(taken: Sequence[Taken]) -> None:
    for each in taken:
        each.live.not_done(each)
