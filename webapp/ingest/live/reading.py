"""How a live recording is read: as an upload of the same bytes, in the same words.

Rules of this file: what only recordings have to know of it. Which form and protocol they have, `readers/pushed` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from webapp.core.records import Record
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.incoming import prepared
from webapp.readers.base import Account
from webapp.readers.detect import Detection
from webapp.readers.limits import Limits
from webapp.readers.lines import BOM
from webapp.readers.pushed import Pushed

FORMS = ("sse", "ndjson")  # in which a recording can be said to come
GUESSED = "?"  # behind a form that nobody named: batches are completed by it, and it is not read by it
RECORDED = "it was recorded as it came"


def reading(
    form: str, protocol: str, limits: Limits, cleaner: Cleaner, settled: Detection | None = None
) -> Pushed:
    """form, protocol: as `captures` has them, "" where nobody named one; settled: as of `Pushed`."""

    def through(records: Iterator[Record], found: Detection, account: Account) -> Iterator[Record]:
        return prepared(cleaner.records(records, found.form), account)

    named = None if form.endswith(GUESSED) else form or None
    return Pushed(named, protocol or None, limits, through, settled)


def told(found: Detection) -> Detection:
    """As the page tells it."""
    return found if found.form is None else replace(found, reasons=(RECORDED, *found.reasons))


def form_of(begun: bytes) -> str | None:
    """How the lines of a recording that begins so are told apart; None: nothing but white space came yet."""
    start = begun.removeprefix(BOM).lstrip()
    if not start:
        return None
    return "ndjson" if start.startswith((b"{", b"[")) else "sse"
