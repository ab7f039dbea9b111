"""Links that let someone read one trace.

Rules of this file: queries on `shares`. The token exists once, in the answer of `create`; the table has its
hash. A lookup by hash compares nothing secret: whoever times it learns about hashes of guesses.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from webapp.errors import NotFound
from webapp.storage.db import write_first
from webapp.storage.ids import fingerprint, public_id
from webapp.storage.models import Share, Trace, User

TOKEN_BYTES = 24
GONE = "This trace was deleted meanwhile, so no link was made."
# what the reader of a link sees; all but the last open a redacted copy of the trace
STRUCTURE, PERSONAL, EVERYTHING = LEVELS = ("structure", "personal", "everything")


def create(
    session: Session,
    trace: int,
    *,
    name: str,
    now: float,
    days: float,
    panel: str = "events",
    event: int | None = None,
    level: str = STRUCTURE,
    maker: int | None = None,
) -> tuple[Share, str]:
    """A new link and its token.

    now: unix seconds; panel, event: where the link opens; level: what its reader sees; maker: `users.pk`.
    Raises NotFound when the trace is gone by now.
    """
    write_first(session)
    # it cannot be deleted until this session ends; whoever makes a redacted copy of it is not waited for
    held = select(Trace.pk).where(Trace.pk == trace).with_for_update(key_share=True)
    if session.scalar(held) is None:
        raise NotFound(GONE)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    share = Share(
        id=public_id(),
        trace=trace,
        name=name[:120],
        token_hash=fingerprint(token),
        created=now,
        expires=now + days * 86_400,
        panel=panel,
        event=event,
        level=level,
        maker=maker,
    )
    session.add(share)
    session.flush()
    return share, token


def get_by_token(session: Session, token: str, now: float) -> Share | None:
    """The link of a token, unless it has expired or was revoked."""
    return session.scalar(select(Share).where(Share.token_hash == fingerprint(token), *_works(now)))


def viewed(session: Session, share: Share, now: float) -> None:
    """Count one opening of a link."""
    session.execute(update(Share).where(Share.id == share.id).values(views=Share.views + 1, last_viewed=now))


def names_of(session: Session, ids: Iterable[str]) -> dict[str, str]:
    """What these links are called, by id; of those that are gone nothing."""
    wanted = set(ids)
    if not wanted:
        return {}
    found = session.execute(select(Share.id, Share.name).where(Share.id.in_(wanted)))
    return {id_: name for id_, name in found}  # noqa: C416


def name_for(session: Session, trace: int, name: str) -> str:
    """This name, or where a link to the trace has it already, the first free one of `name (2)`, `name (3)` …"""
    taken = set(session.scalars(select(Share.name).where(Share.trace == trace)))
    number, free = 2, name[:120]
    while free in taken:
        tail = f" ({number})"
        number, free = number + 1, f"{name[: 120 - len(tail)]}{tail}"
    return free


def revoke(session: Session, trace: int, share_id: str, now: float) -> Share | None:
    """End a link of this trace for good; None when there is none with this id that was not revoked yet."""
    share = session.get(Share, share_id)
    if share is None or share.trace != trace or share.revoked is not None:
        return None
    share.revoked = now
    return share


def revoke_all(session: Session, now: float, trace: int | None = None) -> Sequence[Share]:
    """End every link that works at `now`, of one trace or of all; those that were ended."""
    query = select(Share).where(*_works(now)).order_by(Share.created, Share.id)
    ended = session.scalars(query if trace is None else query.where(Share.trace == trace)).all()
    for share in ended:
        share.revoked = now
    return ended


def makers(session: Session, shares: Iterable[Share]) -> dict[int, str]:
    """Names of those who made these links, by `users.pk`; who is gone is not among them."""
    known = {share.maker for share in shares if share.maker is not None}
    if not known:
        return {}
    found = session.execute(select(User.pk, User.name).where(User.pk.in_(known)))
    return {pk: name for pk, name in found}  # noqa: C416


def _works(now: float) -> tuple[ColumnElement[bool], ...]:
    return Share.revoked.is_(None), Share.expires > now


def list_of(session: Session, trace: int) -> Sequence[Share]:
    """Every link of a trace, newest first, those that ended included."""
    query = select(Share).where(Share.trace == trace)
    return session.scalars(query.order_by(Share.created.desc(), Share.id)).all()


def live(session: Session, now: float, *, offset: int = 0, limit: int = 50) -> Sequence[tuple[Share, Trace]]:
    """A page of the links that work at `now`, of all traces, newest first."""
    query = select(Share, Trace).join(Trace, Trace.pk == Share.trace)
    query = query.where(*_works(now)).order_by(Share.created.desc(), Share.id)
    return session.execute(query.offset(offset).limit(limit)).all()


def count_live(session: Session, now: float) -> int:
    """How many links work at `now`, of all traces."""
    return session.scalar(select(func.count()).select_from(Share).where(*_works(now))) or 0
