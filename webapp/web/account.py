"""The page of one's own account: role, password, browsers that are signed in, keys.

Rules of this file: handlers that parse, call and render; each acts on the account that asks and no other. Keys are
made and revoked in `web/keys.py`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from webapp.accounts import cookies, passwords, tries
from webapp.errors import BadInput, Refused
from webapp.settings import Settings
from webapp.storage import keys, sign_ins, users
from webapp.storage.db import Database
from webapp.storage.models import User
from webapp.views import account as views
from webapp.views import keys as key_views
from webapp.web.audit import note
from webapp.web.deps import AppSettings, Db, DbSession, render
from webapp.web.passwords import beside, small_form
from webapp.web.sign_in import leaving
from webapp.web.who import Asker, Who

router = APIRouter(include_in_schema=False)

OF_PASSWORD = tries.Throttle("password", most=10, seconds=300)


@router.get("/account")
def account_page(
    request: Request, session: DbSession, settings: AppSettings, asker: Asker, changed: str = ""
) -> Response:
    return _page(request, session, settings, asker, changed=changed == "password")


@router.post("/account/password")
async def change_password(request: Request, settings: AppSettings, database: Db, asker: Asker) -> Response:
    """Set a new password; every other browser of the account is signed out."""
    form = await small_form(request)
    read = partial(_stored, database, asker)
    name, stored = await run_in_threadpool(read)
    try:
        if await run_in_threadpool(_wait, database, asker) > 0:
            raise BadInput("That was tried too often. Try again in five minutes.")
        new = await beside(lambda: _new_hash(form, name, stored))
        await run_in_threadpool(_changed, request, settings, database, asker, stored, new)
    except BadInput as error:
        return await run_in_threadpool(_again, request, settings, database, asker, error.sentence)
    return RedirectResponse("/account?changed=password", 303)


@router.post("/account/sign-ins/{sign_in_id}/end")
def end_one(
    request: Request, session: DbSession, settings: AppSettings, asker: Asker, sign_in_id: str
) -> Response:
    """Sign one of one's browsers out; this one goes to the form."""
    user = _own(session, asker)
    this = _this(request, session, settings)
    if sign_ins.end(session, user.pk, sign_in_id):
        note(request, session, "signed out", user=user.name, browsers=1)
    return leaving(settings) if sign_in_id == this else RedirectResponse("/account", 303)


@router.post("/account/sign-ins/end")
def end_all(request: Request, session: DbSession, settings: AppSettings, asker: Asker) -> Response:
    """Sign every browser of the account out, this one too."""
    user = _own(session, asker)
    count = sign_ins.end_all(session, user.pk)
    note(request, session, "signed out", user=user.name, browsers=count)
    return leaving(settings)


def _own(session: Session, asker: Who) -> User:
    """The account that asks. Raises Refused when it is none."""
    user = users.by_pk(session, asker.user) if asker.user is not None else None
    if user is None:
        raise Refused("You are signed in to no account here, so there is nothing to change.")
    return user


def _this(request: Request, session: Session, settings: Settings) -> str:
    """The id of the sign-in that this browser has; "" for none."""
    token = cookies.shown(request.cookies, settings)
    found = sign_ins.found(session, token, time.time()) if token else None
    return found[0].id if found else ""


def _page(
    request: Request, session: Session, settings: Settings, asker: Who, status: int = 200, **told: Any
) -> Response:
    user = users.by_pk(session, asker.user) if asker.user is not None else None
    if user is None:
        return render(request, "pages/account.html", account=None, keys=None, may=views.MAY[asker.role])
    now = time.time()
    account = views.account(
        user,
        sign_ins.list_of(session, user.pk, now),
        _this(request, session, settings),
        settings.session_days,
        now,
        **told,
    )
    own_keys = key_views.keys(keys.list_of(session, user.pk), user.role, now)
    return render(request, "pages/account.html", status, account=account, keys=own_keys, may=account.may)


def _stored(database: Database, asker: Who) -> tuple[str, str]:
    """Name and hash of the account that asks. Raises Refused when it has no password."""
    with database.session() as session:
        user = _own(session, asker)
        if user.password is None:
            raise Refused("This account has no password here: it is signed in elsewhere. Change it there.")
        return user.name, user.password


def _wait(database: Database, asker: Who) -> float:
    with database.session() as session:
        return OF_PASSWORD.wait(session, str(asker.user), time.time())


def _new_hash(form: dict[str, str], name: str, stored: str) -> str:
    """The hash of the new password. Raises BadInput with the one thing to change."""
    if not passwords.matches(form.get("now", ""), stored):
        raise BadInput("The password you have now is another one; nothing was changed.")
    new = form.get("new", "")
    if new != form.get("again", ""):
        raise BadInput("The new password was typed in two ways; nothing was changed.")
    passwords.check_new(new, name)
    return passwords.hashed(new)


def _changed(
    request: Request, settings: Settings, database: Database, asker: Who, stored: str, new: str
) -> None:
    with database.session() as session:
        user = _own(session, asker)
        if user.password != stored:
            raise BadInput("The password was changed from elsewhere meanwhile; nothing was changed here.")
        users.set_password(session, user, new)
        sign_ins.end_all(session, user.pk, but=_this(request, session, settings))
        OF_PASSWORD.forget(session, str(user.pk))
        note(request, session, "user changed", user=user.name, change="new password")


def _again(request: Request, settings: Settings, database: Database, asker: Who, problem: str) -> Response:
    with database.session() as session:
        return _page(request, session, settings, asker, 400, problem=problem)
