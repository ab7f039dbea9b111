"""Signing in at the provider: leaving for it, and coming back.

Rules of this file: handlers only. The browser leads from here to the provider and back with what one cookie holds;
whatever goes wrong is one sentence on the page on which one signs in. What the protocol wants is in `accounts/oidc`.
"""

from __future__ import annotations

import time
from math import ceil
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from webapp.accounts import next, tries
from webapp.accounts.oidc import people, started
from webapp.accounts.oidc.people import NoAccount
from webapp.accounts.oidc.provider import Person, Provider
from webapp.accounts.oidc.started import Started
from webapp.errors import BadInput, NotFound
from webapp.settings import Settings
from webapp.storage.db import Database
from webapp.views.account import wait_words
from webapp.web.audit import note
from webapp.web.deps import AppSettings, Db, provider_of
from webapp.web.peers import address_of, link_base
from webapp.web.sign_in import begin, form, signed_in
from webapp.web.who import NOBODY, Asker

router = APIRouter(include_in_schema=False)

BACK = "/sign-in/oidc/back"
OF_PLACE = tries.Throttle("oidc place", most=200, seconds=300)
MAX_CODE = 4096
NOT_OURS = "This sign-in was not started in this browser, was used already or took more than 10 minutes; start again."
_DECLINED = {"access_denied", "consent_required", "interaction_required", "login_required"}


@router.get("/sign-in/oidc")
async def leave(
    request: Request,
    settings: AppSettings,
    database: Db,
    asker: Asker,
    to: Annotated[str, Query(alias="next", max_length=4000)] = "/",
) -> Response:
    """Off to the provider; those who are in already go on."""
    provider = _provider(request)
    if asker.kind != "nobody":
        return RedirectResponse(next.local(to), 303)
    if wait := await run_in_threadpool(_wait, request, settings, database):
        return _often(request, to, wait)
    begun = started.start(next.local(to), time.time())
    try:
        address = await provider.leave(begun, _back(request, settings))
    except BadInput as error:
        return _told(request, to, error.sentence)
    answer = RedirectResponse(address, 303)
    answer.set_cookie(
        value=started.signed(begun, settings),
        max_age=int(started.SECONDS),
        **started.attributes(settings),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get(BACK)
async def come_back(request: Request, settings: AppSettings, database: Db) -> Response:
    """Back from the provider: signed in, or the sentence that says why not. What was started counts no more."""
    provider = _provider(request)
    attributes = started.attributes(settings)
    begun = started.read(request.cookies.get(attributes["key"]), settings, time.time())
    answer = await _entered(request, settings, database, provider, begun)
    answer.delete_cookie(**attributes)
    return answer


async def _entered(
    request: Request, settings: Settings, database: Database, provider: Provider, begun: Started | None
) -> Response:
    told = request.query_params
    if begun is None or not started.is_of(begun, told.get("state", "")):
        return _told(request, begun.to if begun else "/", NOT_OURS)
    if wait := await run_in_threadpool(_wait, request, settings, database):
        return _often(request, begun.to, wait)
    code = told.get("code", "")
    if "error" in told or not 0 < len(code) <= MAX_CODE:
        return _told(request, begun.to, _declined(told.get("error", ""), provider.config.name))
    try:
        person = await provider.person(code, told.get("iss"), begun, _back(request, settings))
        return await run_in_threadpool(_begun, request, settings, database, provider, person, begun)
    except NoAccount as error:
        await run_in_threadpool(_refused, request, database, error)
        return _told(request, begun.to, error.sentence, status=403)
    except BadInput as error:
        return _told(request, begun.to, error.sentence)


def _provider(request: Request) -> Provider:
    provider = provider_of(request)
    if provider is None:
        raise NotFound("There is nothing at this address.")
    return provider


def _back(request: Request, settings: Settings) -> str:
    """Where the provider sends the browser back to: it must be registered there, letter for letter."""
    return f"{link_base(request, settings)}{BACK}"


def _wait(request: Request, settings: Settings, database: Database) -> float:
    with database.session() as session:
        return OF_PLACE.wait(session, tries.place(address_of(request, settings)), time.time())


def _often(request: Request, to: str, wait: float) -> Response:
    answer = _told(request, to, f"That was tried too often. Try again in {wait_words(wait)}.", status=429)
    answer.headers["Retry-After"] = str(ceil(wait))
    return answer


def _told(request: Request, to: str, problem: str, status: int = 400) -> Response:
    return form(request, to, "", problem, status, there=True)


def _declined(error: str, name: str) -> str:
    """error: as the provider names it in the address, where anybody could write anything: it is not repeated."""
    if error in _DECLINED:
        return f"You were not signed in: it was declined at {name}. Try again, or ask who manages accounts there."
    if error in ("server_error", "temporarily_unavailable"):
        return f"The sign-in at {name} does not work just now; try again in a moment."
    return f"You were not signed in: {name} refused it. Try again, and if it stays so tell an admin of this Lanescope."


def _begun(
    request: Request,
    settings: Settings,
    database: Database,
    provider: Provider,
    person: Person,
    begun: Started,
) -> Response:
    with database.session() as session:
        entered = people.account_of(session, provider.config, person, time.time())
        who = signed_in(entered.user)
        if entered.done == "added":
            note(request, session, "user added", who=who, user=who.name, role=who.role)
        elif entered.done == "tied":
            note(request, session, "user changed", who=who, user=who.name, change="signs in at the provider")
        answer = RedirectResponse(next.local(begun.to), 303)
        begin(request, answer, session, entered.user, settings)
        return answer


def _refused(request: Request, database: Database, error: NoAccount) -> None:
    """A name that has no account here is not kept."""
    with database.session() as session:
        note(request, session, "not signed in", who=NOBODY, user=error.name)
