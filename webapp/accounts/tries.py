"""Throttling: how often something may be tried.

Rules of this file: one table counts for all workers, in one statement a try. It keeps hashes of who tried and no names
or addresses. Callers count in a session of its own, which is committed whatever becomes of the request.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, delete
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.orm import Session

from webapp.storage.models import Try

_FORGET_SECONDS = 86_400.0  # no window is longer


@dataclass(frozen=True, slots=True)
class Throttle:
    """At most `most` tries of one kind in a window of `seconds`, counted from the first.

    kind: up to 15 characters, the same wherever it is counted
    """

    kind: str
    most: int
    seconds: float

    def wait(self, session: Session, who: str, now: float) -> float:
        """Count one try of `who` and say how many seconds to wait before the next is allowed; 0: go on.

        now: unix seconds
        """
        insert: Any = insert_sqlite if session.get_bind().dialect.name == "sqlite" else insert_postgresql
        over = Try.begun <= now - self.seconds
        counted = (
            insert(Try)
            .values(key=self._key(who), begun=now, count=1)
            .on_conflict_do_update(
                index_elements=[Try.key],
                set_={
                    "begun": case((over, now), else_=Try.begun),
                    # a count far beyond the limit says no more than one just beyond it
                    "count": case((over, 1), (Try.count > self.most, Try.count), else_=Try.count + 1),
                },
            )
            .returning(Try.begun, Try.count)
        )
        begun, count = session.execute(counted).one()
        return max(0.0, float(begun) + self.seconds - now) if count > self.most else 0.0

    def forget(self, session: Session, who: str) -> None:
        """What was tried counts no more: it succeeded."""
        session.execute(delete(Try).where(Try.key == self._key(who)))

    def _key(self, who: str) -> str:
        return f"{self.kind}:{hashlib.sha256(who.encode('utf-8', 'replace')).hexdigest()}"


def forget_old(session: Session, now: float) -> None:
    """What was tried in windows that are over. Not done with a try: two that clean up would wait for each other."""
    session.execute(delete(Try).where(Try.begun < now - _FORGET_SECONDS))


def place(address: str) -> str:
    """What tries from an address are counted under: an IPv6 subscriber has 2^64 addresses and is one place."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
