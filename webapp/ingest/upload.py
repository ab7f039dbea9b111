"""A recording comes in: kept, read, judged and stored in one pass and one transaction.

Rules of this file: the order of things and what is said when one fails. Either the whole trace is there afterwards or
nothing of it. The chunks should come from near by (memory or a spooled file): while they do, the database is being
written.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from webapp.core import Replay
from webapp.errors import BadInput, TooLarge, UserError
from webapp.ingest.analyse import analyse
from webapp.ingest.keep import Keeper
from webapp.readers import detect, limits
from webapp.readers.unpack import MAGIC, Gunzip
from webapp.settings import Settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.storage.ids import public_id
from webapp.storage.models import Trace
from webapp.storage.plain import storable

DEFAULTS = limits.Limits()
MAX_UPLOAD_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ingested:
    """id: of the trace in URLs; duplicate: it was there already and nothing was stored."""

    id: str
    duplicate: bool


class _Known(Exception):
    """The same bytes with the same run input are stored already; carries the public id."""
