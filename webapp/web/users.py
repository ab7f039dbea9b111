"""The admins' page of accounts: adding, changing and removing them.

Rules of this file: handlers that parse, call and render. A password is made here, never typed, and stands in one
answer, which no cache may keep. A change that cannot be made leaves everything as it was and says why on the page.
"""

from __future__ import annotations

import secrets
import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from webapp.accounts import passwords
from webapp.errors import BadInput, NotFound
from webapp.settings import Settings
from webapp.storage import keys, sign_ins, users
from webapp.storage.models import User
from webapp.views import users as views
from webapp.views.names import page_number
from webapp.views.pages import fitting
from webapp.web.audit import note
from webapp.web.deps import AppSettings, DbSession, render
from webapp.web.who import NOBODY, Asker, Who

router = APIRouter(include_in_schema=False)

PASSWORD_BYTES = 15  # 20 characters


def new_password() -> str:
    """One that nobody can guess, to be changed by whoever it is for."""
    return secrets.token_urlsafe(PASSWORD_BYTES)


def signs_in_elsewhere(settings: Settings) -> bool:
    """Whether an account without a password can be of use here."""
    return bool(settings.trusted_header or settings.oidc_issuer)


@router.get("/users")
def page(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    asker: Asker,
    keys_page: Annotated[str, Query(alias="keys")] = "1",
) -> Response:
    return _page(request, session, settings, asker, keys_page=page_number(keys_page))


@router.post("/users")
def add(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    asker: Asker,
    name: Annotated[str, Form()] = "",
    role: Annotated[str, Form()] = "",
    without: Annotated[str, Form()] = "",
) -> Response:
    """Add an account and show its password, this once. The first one leads to the sign-in."""
    first = not users.any_accounts(session)
    elsewhere = signs_in_elsewhere(settings)
    password = "" if without == "1" and elsewhere else new_password()
    try:
        users.check_first(session, role)
        user = users.add(
            session,
            name=name,
            role=role,
            password_hash=passwords.hashed(password) if password else None,
            now=time.time(),
        )
    except BadInput as error:
        form = views.form(first, elsewhere, name, role, without == "1")
        return _page(request, session, settings, asker, error, form=form)
    note(request, session, "user added", user=user.name, role=user.role)
    made = views.Made(user.name, f"The account {user.name} was added.", password)
    if first and asker.kind == "open":  # whoever asked is nobody from now on
        answer = render(request, "pages/first_admin.html", made=made, who=NOBODY, accounts=True)
        answer.headers["Cache-Control"] = "no-store"
        return answer
    return _page(request, session, settings, asker, made=made)


@router.post("/users/{user_id}")
def change(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    asker: Asker,
    user_id: str,
    do: Annotated[str, Form()] = "",
    role: Annotated[str, Form()] = "",
) -> Response:
    """do: `role`, `password`, `disable`, `enable` or `sign-out`."""
    user = _found(session, user_id)
    made: views.Made | None = None
    try:
        if do == "role":
            users.set_role(session, user, role)
            note(request, session, "user changed", user=user.name, role=user.role)
        elif do == "password":
            made = _new_password(request, session, user)
        elif do == "disable":
            users.disable(session, user, time.time())
            sign_ins.end_all(session, user.pk)
            note(request, session, "user changed", user=user.name, change="disabled")
        elif do == "enable":
            users.enable(session, user)
            note(request, session, "user changed", user=user.name, change="enabled")
        elif do == "sign-out":
            ended = sign_ins.end_all(session, user.pk)
            note(request, session, "signed out", user=user.name, browsers=ended)
            made = views.Made(user.name, f"{user.name} was signed out of {_browsers(ended)}.", "")
        else:
            raise BadInput("Choose what to change from the page.")
    except BadInput as error:
        return _page(request, session, settings, asker, error)
    if made is not None:
        return _page(request, session, settings, asker, made=made)
    return RedirectResponse("/users", 303)


@router.post("/users/{user_id}/remove")
def remove(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    asker: Asker,
    user_id: str,
    sure: Annotated[str, Form()] = "",
) -> Response:
    """Ask once more; then remove the account. Its traces stay, and belong to nobody."""
    user = _found(session, user_id)
    if sure != "1":
        return render(request, "pages/user_remove.html", removal=views.removal(user, asker.user))
    name = user.name
    try:
        users.remove(session, user)
    except BadInput as error:
        return _page(request, session, settings, asker, error)
    note(request, session, "user removed", user=name)
    return RedirectResponse("/users", 303)


def _new_password(request: Request, session: Session, user: User) -> views.Made:
    """Whoever is signed in with the old one is not any more."""
    password = new_password()
    users.set_password(session, user, passwords.hashed(password))
    sign_ins.end_all(session, user.pk)
    note(request, session, "user changed", user=user.name, change="new password")
    return views.Made(user.name, f"{user.name} has a new password and was signed out everywhere.", password)


def _browsers(count: int) -> str:
    return "one browser" if count == 1 else f"{count} browsers"


def _found(session: Session, user_id: str) -> User:
    user = users.by_id(session, user_id)
    if user is None:
        raise NotFound("There is no such account; it was removed, or the address is not complete.")
    return user


def _page(
    request: Request,
    session: Session,
    settings: Settings,
    asker: Who,
    error: BadInput | None = None,
    *,
    made: views.Made | None = None,
    form: views.UserForm | None = None,
    keys_page: int = 1,
) -> Response:
    first = not users.any_accounts(session)
    found, size = keys.count_all(session), views.KEYS_AT_ONCE
    number = fitting(keys_page, size, found)
    view = views.page(
        users.list_all(session),
        keys.list_all(session, offset=(number - 1) * size, limit=size),
        form or views.form(first, signs_in_elsewhere(settings)),
        number,
        found,
        now=time.time(),
        own=asker.user,
        problem="" if error is None else error.sentence,
        made=made,
    )
    answer = render(request, "pages/users.html", 200 if error is None else 400, page=view)
    answer.headers["Cache-Control"] = "no-store"
    return answer
