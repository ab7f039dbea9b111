"""Signing in and out.

Rules of this file: handlers only. Whoever has no account and whoever has the wrong password are answered alike and as
late. A try is counted before anything is looked at, in a session of its own. A new sign-in has a new token; the one
the browser had before ends. Where the browser would drop the cookie, nothing is asked for.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from math import ceil
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from webapp.accounts import cookies, next, passwords, tries
from webapp.settings import Settings, is_loopback
from webapp.storage import sign_ins, users
from webapp.storage.db import Database
from webapp.storage.models import User
from webapp.views.account import wait_words
from webapp.web.audit import note
from webapp.web.deps import AppSettings, Db, DbSession, provider_of, render
from webapp.web.passwords import beside, small_form
from webapp.web.peers import address_of
from webapp.web.who import NOBODY, Asker, Role, Who

log = logging.getLogger("lanescope")
router = APIRouter(include_in_schema=False)

OF_NAME = tries.Throttle("sign-in name", most=10, seconds=300)  # from one place
# from everywhere: high, so that whoever knows a name cannot keep its owner out with a few wrong tries
OF_NAME_ANYWHERE = tries.Throttle("sign-in any", most=100, seconds=300)
OF_PLACE = tries.Throttle("sign-in place", most=50, seconds=300)
WRONG = "There is no account with this name and password. Check both, or ask an admin for a new password."


@dataclass(frozen=True, slots=True)
class _Found:
    """An account as it was read: what is needed once its session is closed."""

    pk: int
    password: str | None


@router.get("/sign-in")
def sign_in_page(
    request: Request,
    settings: AppSettings,
    asker: Asker,
    to: Annotated[str, Query(alias="next", max_length=4000)] = "/",
) -> Response:
    """The form; those who are in already go on."""
    if asker.kind != "nobody":
        return RedirectResponse(next.local(to), 303)
    return _not_here(request, settings, to) if _drops_cookie(request, settings) else form(request, to)


@router.post("/sign-in")
async def sign_in(request: Request, settings: AppSettings, database: Db) -> Response:
    """Name and password for a sign-in, or the form again with what is wrong."""
    given = await small_form(request)
    if _drops_cookie(request, settings):
        return _not_here(request, settings, given.get("next", "/"))
    name, password, to = given.get("name", ""), given.get("password", ""), given.get("next", "/")
    place = tries.place(address_of(request, settings))
    wait = await run_in_threadpool(_wait, database, name, place)
    if wait:
        told = f"That was tried too often. Try again in {wait_words(wait)}."
        answer = form(request, to, name, told, status=429)
        answer.headers["Retry-After"] = str(ceil(wait))
        return answer
    account = await run_in_threadpool(_account, database, name)
    fits, renewed = await beside(lambda: passwords.checked(password, account.password if account else None))
    if account is None or not fits:
        await run_in_threadpool(_refused, request, database, account, name)
        return form(request, to, name, WRONG, status=400)
    return await run_in_threadpool(_begun, request, settings, database, account, renewed, to)


@router.post("/sign-out")
def sign_out(request: Request, session: DbSession, settings: AppSettings, asker: Asker) -> Response:
    """End this browser's sign-in. One that has ended already is no fault."""
    token = cookies.shown(request.cookies, settings)
    if token and sign_ins.end_token(session, token):
        note(request, session, "signed out")
    return leaving(settings)


def leaving(settings: Settings) -> Response:
    """Away from pages that need an account: the cookie goes, and pages that the browser kept."""
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(**cookies.attributes(settings))
    answer.headers["Clear-Site-Data"] = '"cache"'
    answer.headers["Cache-Control"] = "no-store"
    return answer


def form(
    request: Request,
    to: str,
    name: str = "",
    problem: str = "",
    status: int = 200,
    *,
    there: bool = False,
    instead: str = "",
) -> Response:
    """The page on which one signs in. to: where it leads; problem: why it did not work; there: at the provider;
    instead: the address at which one can, where not at this."""
    provider = provider_of(request)
    context = {"to": next.local(to), "name": name[: users.MAX_NAME], "problem": problem, "there": there}
    context["instead"] = instead
    context["provider"] = provider.config.name if provider else ""
    answer = render(request, "pages/sign_in.html", status, **context)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _drops_cookie(request: Request, settings: Settings) -> bool:
    """Whether this browser came over plain http and would drop a cookie that is for https: the right password would
    lead back to the form, without a word.

    What speaks TLS in front of us hides the scheme, so that it is told by what a browser adds: `Origin` to a form;
    `Sec-Fetch-Site` to whatever it asks for over https. To this machine's own names it sends such a cookie over http.
    """
    if not cookies.needs_https(settings):
        return False
    origin = urlsplit(request.headers.get("origin", ""))
    if origin.scheme in ("http", "https"):
        return origin.scheme == "http" and not is_loopback(origin.hostname or "")
    if request.method == "POST" or "sec-fetch-site" in request.headers:
        return False
    shown = request.url.hostname or ""
    return shown != urlsplit(settings.public_url).hostname and not is_loopback(shown)


def _not_here(request: Request, settings: Settings, to: str) -> Response:
    """The page without its form, and where there is one."""
    log.warning("A sign-in over http was refused: LANESCOPE_PUBLIC_URL is %s", settings.public_url)
    told = (
        f"Nobody can sign in at this address, because it is not encrypted. Use {settings.public_url} instead."
    )
    return form(request, to, "", told, 400, instead=settings.public_url)


def _wait(database: Database, name: str, place: str) -> float:
    """Count the try. One from a place that may not try is not held against the name."""
    now, key = time.time(), users.key_of(name)
    with database.session() as session:
        return (
            OF_PLACE.wait(session, place, now)
            or OF_NAME.wait(session, f"{place} {key}", now)
            or OF_NAME_ANYWHERE.wait(session, key, now)
        )


def _account(database: Database, name: str) -> _Found | None:
    with database.session() as session:
        user = users.by_name(session, name)
        return None if user is None or user.disabled is not None else _Found(user.pk, user.password)


def _refused(request: Request, database: Database, account: _Found | None, name: str) -> None:
    """A name without an account is not kept: it may be a password in the wrong place."""
    with database.session() as session:
        user = users.by_name(session, name)
        note(request, session, "not signed in", who=NOBODY, user=user.name if user else "")


def _begun(
    request: Request, settings: Settings, database: Database, account: _Found, renewed: str | None, to: str
) -> Response:
    with database.session() as session:
        user = users.by_pk(session, account.pk)
        # in the moment since it was read, the account may have been disabled or given another password
        if user is None or user.disabled is not None or user.password != account.password:
            return form(request, to, "", WRONG, status=400)
        if renewed is not None:
            users.set_password(session, user, renewed)
        place = tries.place(address_of(request, settings))
        OF_NAME.forget(session, f"{place} {user.key}")
        answer = RedirectResponse(next.local(to), 303)
        begin(request, answer, session, user, settings)
        return answer


def begin(request: Request, answer: Response, session: DbSession, user: User, settings: Settings) -> None:
    """Sign this browser in as `user`: the row, the cookie and a line of the audit."""
    old = cookies.shown(request.cookies, settings)
    if old:
        sign_ins.end_token(session, old)
    agent = request.headers.get("user-agent", "")
    days = settings.session_days
    _, token = sign_ins.begin(session, user.pk, now=time.time(), agent=agent, days=days)
    note(request, session, "signed in", who=signed_in(user))
    answer.set_cookie(
        value=cookies.signed(token, settings),
        max_age=sign_ins.ABSOLUTE_DAYS * 86_400,
        **cookies.attributes(settings),
    )
    answer.headers["Cache-Control"] = "no-store"


def signed_in(user: User) -> Who:
    """Who asks, once this account is signed in."""
    roles: dict[str, Role] = {"viewer": "viewer", "editor": "editor", "admin": "admin"}
    return Who("session", user.name, roles.get(user.role, ""), user.pk)
