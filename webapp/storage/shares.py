"""Links that let someone read one trace.

Rules of this file: queries on `shares`. The token exists once, in the answer of `create`; the table has its
hash. A lookup by hash compares nothing secret: whoever times it learns about hashes of guesses.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from webapp.storage.ids import public_id
from webapp.storage.models import Share, Trace

TOKEN_BYTES = 24


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def create(
    session: Session,
    trace: int,
    *,
    name: str,
    now: float,
    days: float,
    panel: str = "events",
    event: int | None = None,
) -> tuple[Share, str]:
    """A new link and its token. now: unix seconds; panel, event: where the link opens."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    share = Share(
        id=public_id(),
        trace=trace,
        name=name[:120],
        token_hash=_hash(token),
        created=now,
        expires=now + days * 86_400,
        panel=panel,
        event=event,
    )
    session.add(share)
    session.flush()
    return share, token


def get_by_token(session: Session, token: str, now: float) -> Share | None:
    """The link of a token, unless it has expired or was revoked."""
    query = select(Share).where(
        Share.token_hash == _hash(token), Share.revoked.is_(None), Share.expires > now
    )
    return session.scalar(query)


def viewed(session: Session, share: Share, now: float) -> None:
    """Count one opening of a link."""
    session.execute(update(Share).where(Share.id == share.id).values(views=Share.views + 1, last_viewed=now))


def revoke(session: Session, trace: int, share_id: str, now: float) -> bool:
    """End a link of this trace for good; False when there is none with this id that still works."""
    share = session.get(Share, share_id)
    if share is None or share.trace != trace or share.revoked is not None:
        return False
    share.revoked = now
    return True


def list_of(session: Session, trace: int) -> Sequence[Share]:
    """Every link of a trace, newest first, those that ended included."""
    query = select(Share).where(Share.trace == trace)
    return session.scalars(query.order_by(Share.created.desc(), Share.id)).all()


def live(session: Session, now: float, limit: int = 500) -> Sequence[tuple[Share, Trace]]:
    """Links that work at `now`, of all traces, those that end first in front."""
    query = select(Share, Trace).join(Trace, Trace.pk == Share.trace)
    query = query.where(Share.revoked.is_(None), Share.expires > now).order_by(Share.expires, Share.id)
    return session.execute(query.limit(limit)).all()
