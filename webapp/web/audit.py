"""How handlers write a line of the audit.

Rules of this file: one function; what a line may hold is said in `storage/audit.py`.
"""

from __future__ import annotations

import time
from typing import Any

from fastapi import Request
from sqlalchemy.orm import Session

from webapp.storage import audit
from webapp.storage.audit import What
from webapp.web.who import Who, who_of


def note(
    request: Request, session: Session, what: What, about: str = "", *, who: Who | None = None, **detail: Any
) -> None:
    """Append what the asker of this request did, in the session that does it: it is kept when that is kept."""
    asker = who or who_of(request)
    audit.add(session, at=time.time(), who=asker.name, how=asker.kind, what=what, about=about, detail=detail)
