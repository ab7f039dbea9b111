"""How handlers write a line of the audit, or tell who asks to those who write it.

Rules of this file: who asks, put into the words of `storage/audit.py`, which says what a line may hold.
"""

from __future__ import annotations

import time
from typing import Any

from fastapi import Request
from sqlalchemy.orm import Session

from webapp.storage import audit
from webapp.storage.audit import By, What
from webapp.web.beside import Beside, Write
from webapp.web.who import Who, who_of


def note(
    request: Request, session: Session, what: What, about: str = "", *, who: Who | None = None, **detail: Any
) -> None:
    """Append what the asker of this request did, in the session that does it: it is kept when that is kept."""
    asker = who or who_of(request)
    audit.add(session, at=time.time(), who=asker.name, how=asker.kind, what=what, about=about, detail=detail)


def note_beside(
    request: Request,
    what: What,
    about: str = "",
    *,
    who: Who | None = None,
    also: Write | None = None,
    once: float = 0.0,
    **detail: Any,
) -> None:
    """Append what the asker took away or looked at, beside the request, which changes nothing and so waits for nobody.
    Called when the answer is ready. also: what is written with it; once: seconds in which the same by the same is one
    line."""
    asker, now = who or who_of(request), time.time()

    def write(session: Session) -> None:
        if also is not None:
            also(session)
        if once and audit.happened(session, what, about, asker.name, since=now - once):
            return
        audit.add(
            session, at=now, who=asker.name, how=asker.kind, what=what, about=about, detail=dict(detail)
        )

    beside: Beside = request.app.state.beside
    beside.write(write)


def by(request: Request) -> By:
    """The asker of this request, for what is done and written down further in."""
    who = who_of(request)
    return By(who.user, who.name, who.kind)
