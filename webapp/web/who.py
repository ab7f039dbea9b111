"""Who asks: an account, a key, a link, anybody at this machine, or nobody that is known.

Rules of this file: what handlers and pages may know of the asker, and how they get it. Who it is was found out before
any handler runs (`web/admission.py`); whether they may is told by one table (`web/access.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request

from webapp.storage import keys

Kind = Literal["open", "session", "key", "header", "link", "nobody"]
Role = Literal["", "viewer", "editor", "admin"]
Scope = Literal["", keys.Scope]  # "": it is no key
RANKS: dict[Role, int] = {"": 0, "viewer": 1, "editor": 2, "admin": 3}


@dataclass(frozen=True, slots=True)
class Who:
    """The asker.

    kind:  open: this installation has no accounts and listens on this machine only; link: what stands under /s/ and
           is opened by its token; nobody: not signed in
    name:  as the audit names it
    user:  `users.pk`; None when it is no account
    scope: of a key, what it may at most
    """

    kind: Kind
    name: str
    role: Role
    user: int | None = None
    scope: Scope = ""

    def at_least(self, role: Role) -> bool:
        """Whether this role, or one that may more, is theirs."""
        return RANKS[self.role] >= RANKS[role]

    def may_delete(self, owner: int | None) -> bool:
        """Whether a trace of this owner is theirs to delete: an editor deletes their own, an admin any."""
        return self.at_least("admin") or (
            self.at_least("editor") and owner is not None and owner == self.user
        )


OPEN = Who("open", "this machine", "admin")
LINK = Who("link", "a link", "")
NOBODY = Who("nobody", "nobody", "")


def who_of(request: Request) -> Who:
    """Who asks, as found out before the handler ran; nobody when that was not looked at."""
    who: Who = getattr(request.state, "who", NOBODY)
    return who


Asker = Annotated[Who, Depends(who_of)]
