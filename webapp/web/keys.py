"""Keys of programs: making one and ending one.

Rules of this file: handlers that parse, call and render. The secret is in one answer, that of the form, which no cache
may keep. The list of one's keys stands on the page of one's account.
"""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from webapp.errors import BadInput, NotFound, Refused
from webapp.storage import keys
from webapp.views import keys as views
from webapp.views.names import page_number
from webapp.views.users import keys_address
from webapp.web.audit import note
from webapp.web.deps import AppSettings, DbSession, render
from webapp.web.peers import link_base
from webapp.web.who import Asker

router = APIRouter(include_in_schema=False)

NO_ACCOUNT = "A key belongs to an account, and you are signed in to none; an admin adds one under Users."


@router.post("/account/keys")
def make(
    request: Request,
    session: DbSession,
    settings: AppSettings,
    asker: Asker,
    name: Annotated[str, Form()] = "",
    scope: Annotated[str, Form()] = "",
    days: Annotated[str, Form()] = "",
) -> Response:
    """Make the key and show it, this once; or the form again with what is wrong."""
    if asker.user is None:
        raise Refused(NO_ACCOUNT)
    now = time.time()
    form, made, status = None, None, 200
    try:
        working = views.working(keys.list_of(session, asker.user), now)
        asked = views.read_form(asker.role, name, scope, days, working)
        key, secret = keys.make(
            session, asker.user, name=asked.name, scope=asked.scope, now=now, days=asked.days
        )
        note(request, session, "key made", key=key.id, name=key.name, scope=key.scope)
        made = views.made(key, secret, asked.days, link_base(request, settings))
    except BadInput as error:
        status, form = 400, views.form(asker.role, name, scope, days, error.sentence)
    answer = render(request, "pages/key.html", status, made=made, form=form)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/account/keys/{key_id}/revoke")
def revoke(
    request: Request,
    session: DbSession,
    asker: Asker,
    key_id: str,
    back: str = "",
    page: Annotated[str, Query(alias="keys")] = "1",
) -> Response:
    """End a key: one's own, or as an admin anybody's. One that has ended already stays so. back: `users` returns to
    this page of everybody's keys."""
    admin = asker.at_least("admin")
    if asker.user is None and not admin:
        raise Refused(NO_ACCOUNT)
    if (key := keys.get(session, key_id, None if admin else asker.user)) is None:
        raise NotFound("There is no such key.")
    if keys.revoke(session, key.id, time.time()) is not None:
        note(request, session, "key revoked", key=key.id, name=key.name)
    number = page_number(page)
    to_all = keys_address(number) if number > 1 else "/users"
    return RedirectResponse(to_all if back == "users" else "/account", 303)
