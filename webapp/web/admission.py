"""Who asks, and whether they may: found out before any handler runs, from headers alone.

Rules of this file: one look into the database a request at most, none for what is public and none a chunk. A key that
is wrong is refused, whatever else came with it. What an address needs is told by `access.py`, what a refusal looks like
by `errors.py`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from webapp.accounts import cookies
from webapp.errors import Busy, NotFound, Refused, SignInNeeded
from webapp.settings import Settings, is_loopback
from webapp.storage import keys, sign_ins, users
from webapp.storage.db import Database, is_trouble
from webapp.storage.models import User
from webapp.web.access import ROLE, Entry, Need, entry_of
from webapp.web.errors import is_for_programs
from webapp.web.peers import is_proxy
from webapp.web.who import LINK, NOBODY, OPEN, Kind, Role, Scope, Who

log = logging.getLogger("lanescope")

KEY_HEADER = "lanescope-key"  # where Authorization is the target's own
PROXY = "/proxy/"
LINKS = "/s/"
FILES = ("/static/", "/favicon")
OPEN_SECONDS = 2.0  # how long "there are no accounts" is believed
LONGEST_NAME = 80

NEEDED = "Sign in to go on; a program sends a key, as the header “Authorization: Bearer lsk_…”."
NEEDED_BY_PROXY = "A key with the scope push is needed here, in the header “Lanescope-Key: lsk_…”."
NEEDED_BY_PROGRAM = (
    "A key is needed here, in the header “Authorization: Bearer lsk_…”; make one on the page of your account."
)
NEEDED_TO_CHANGE = "You are not signed in, so nothing was changed. Sign in, go back and do it again."
BAD_KEY = "This key is not known, was revoked or has expired; make a new one on the page of your account."
NOTHING = "There is nothing at this address."
DISABLED = "Your account is disabled; ask an admin of this Lanescope."


_T = TypeVar("_T")
_Note = tuple[str, Callable[[Session], None]]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows of who makes it; each empty when it shows none."""

    key: str = ""
    token: str = ""  # of a sign-in
    name: str = ""  # as a proxy in front of us says


class Admission:
    """One an application."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._may_be_open = is_loopback(settings.host) and not (
            settings.trusted_header or settings.oidc_issuer
        )
        self._accounts = not self._may_be_open
        self._looked = float("-inf")  # when no account was seen last
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def admit(self, request: Request, database: Database) -> Who:
        """Who makes this request, which they may. Raises SignInNeeded, Refused or NotFound; Busy when the database
        cannot be asked."""
        path: str = request.scope["path"]
        entry = entry_of(request.method, path)
        public = entry is not None and entry.need is Need.PUBLIC
        if path.startswith(LINKS) and (public or entry is None):
            request.state.who = LINK  # the token in the address decides, whoever opens it
            if entry is None:
                raise NotFound(NOTHING)
            return LINK
        if public and path.startswith(FILES):
            request.state.who = NOBODY
            return NOBODY
        try:
            who = await self._who(request, database)
        except (SignInNeeded, Refused):
            if not public:
                raise
            who = NOBODY
        request.state.who = who
        if public:
            return who
        if who.kind == "nobody":
            raise SignInNeeded(_needed(request))
        check(who, entry)
        return who

    async def _who(self, request: Request, database: Database) -> Who:
        now = time.time()
        if self._may_be_open and not self._accounts:
            # whoever has just added the first account is led to the sign-in: it must not lead them back
            if abs(now - self._looked) < OPEN_SECONDS and request.scope["path"] != "/sign-in":
                return OPEN
            # from the first account on it stays so: the last admin cannot be removed
            self._accounts = await _asked(database, users.any_accounts)
            if not self._accounts:
                self._looked = now
                return OPEN
        shown = shown_by(request, self._settings)
        if shown == Shown():
            return NOBODY
        who, note = await _asked(database, lambda session: self._found(session, shown, now))
        if note is not None:
            self._note(database, *note)
        return who

    def _found(self, session: Session, shown: Shown, now: float) -> tuple[Who, _Note | None]:
        """Whose it is, and what is to be noted of its use. Raises SignInNeeded for a bad key, Refused."""
        if shown.key:
            known = keys.found(session, shown.key, now)
            if known is None:
                raise SignInNeeded(BAD_KEY)
            key, user = known
            due = key.used is None or now - key.used >= keys.USED_SECONDS
            who = _account("key", user, cast(Scope, key.scope))
            return who, (f"key {key.id}", lambda fresh: keys.used(fresh, key, now)) if due else None
        if shown.name:
            named = users.by_name(session, shown.name)
            if named is None or not users.is_spelt(named, shown.name):
                return Who("header", shown.name, self._settings.trusted_role), None
            if named.disabled is not None:
                raise Refused(DISABLED)
            return _account("header", named), None
        signed_in = sign_ins.found(session, shown.token, now)
        if signed_in is None:
            return NOBODY, None
        row, user = signed_in
        due = now - row.seen >= sign_ins.TOUCH_SECONDS
        days = self._settings.session_days

        def touch(fresh: Session) -> None:
            if again := sign_ins.found(fresh, shown.token, now):
                sign_ins.touch(fresh, again[0], now, days)

        return _account("session", user), (f"sign-in {row.id}", touch) if due else None

    def _note(self, database: Database, about: str, write: Callable[[Session], None]) -> None:
        """Note the last use beside the request: while another writes, it must not wait."""
        if about in self._noting:
            return

        async def noted() -> None:
            try:
                await _asked(database, write)
            except Busy:
                log.warning("the last use of a %s could not be noted", about.partition(" ")[0])
            finally:
                self._noting.pop(about, None)

        self._noting[about] = asyncio.create_task(noted())


def check(who: Who, entry: Entry | None) -> None:
    """Whether this asker may. Raises Refused, with what is missing; NotFound where there is no route.

    What the table does not know is for admins: they hear from the application what is wrong with the address.
    """
    if entry is None:
        if not who.at_least("admin") or who.scope not in ("", "admin"):
            raise NotFound(NOTHING)
    elif not entry.key_allows(who):
        wanted = f"a key with the scope {entry.keys}" if entry.keys else "you to be signed in; no key will do"
        raise Refused(f"This key has the scope {who.scope}, and this needs {wanted}.")
    elif not entry.role_allows(who):
        raise Refused(
            f"This needs the role {ROLE[entry.need]}, and yours is {who.role}; ask an admin of this Lanescope."
        )


def shown_by(request: Request, settings: Settings) -> Shown:
    """What its headers show. Raises SignInNeeded for a key that cannot be one, or two names."""
    headers = request.headers
    proxied = request.scope["path"].startswith(PROXY)
    name = ""
    if settings.trusted_header and is_proxy(request, settings):
        name = _named(headers.getlist(settings.trusted_header))
    if proxied:
        if key := headers.get(KEY_HEADER):
            return Shown(key=key.strip())
        # any site may make a browser call through here, so what a browser adds by itself counts for nothing
        by_browser = "origin" in headers or "sec-fetch-site" in headers
        return Shown(name="" if by_browser else name)
    if len(headers.getlist("authorization")) > 1:
        raise SignInNeeded(BAD_KEY)
    scheme, _, given = headers.get("authorization", "").partition(" ")
    given = given.strip()
    # a proxy in front may send its own on; what looks like a key of ours is one
    if scheme.lower() == "bearer" and (given.startswith(keys.PREFIX) or not name):
        if not given.startswith(keys.PREFIX):
            raise SignInNeeded(BAD_KEY)
        return Shown(key=given)
    if name:
        return Shown(name=name)
    return Shown(token=cookies.shown(request.cookies, settings) or "")


def _named(values: list[str]) -> str:
    """The name in the trusted header. Two of them are one too many: the proxy passed on what a client wrote."""
    if len(values) > 1:
        raise SignInNeeded(
            "The proxy in front of Lanescope sent two names; it must replace the header, not add to it."
        )
    name = " ".join("".join(values).encode("latin-1").decode("utf-8", "replace").split())
    return name if len(name) <= LONGEST_NAME and name.isprintable() else ""


def _account(kind: Kind, user: User, scope: Scope = "") -> Who:
    return Who(kind, user.name, cast(Role, user.role), user.pk, scope)


def _needed(request: Request) -> str:
    if request.scope["path"].startswith(PROXY):
        return NEEDED_BY_PROXY
    if is_for_programs(request):
        return NEEDED_BY_PROGRAM
    if request.method in ("GET", "HEAD"):
        return NEEDED
    headers = request.headers
    by_page = "origin" in headers or "hx-request" in headers or "text/html" in headers.get("accept", "")
    return NEEDED_TO_CHANGE if by_page else NEEDED_BY_PROGRAM


async def _asked(database: Database, question: Callable[[Session], _T]) -> _T:
    """Ask the database in a thread, with a session of its own. Raises Busy when it cannot answer."""

    def ask() -> _T:
        with database.session() as session:
            return question(session)

    try:
        return await run_in_threadpool(ask)
    except SQLAlchemyError as error:
        if not is_trouble(error):
            raise
        raise Busy("The database cannot be asked now who you are; try again in a moment.") from error
