"""Accounts for tests, and browsers that are signed in to them."""

from __future__ import annotations

import time

from fastapi import FastAPI
from fastapi.testclient import TestClient

from webapp.accounts import cookies
from webapp.settings import Settings
from webapp.storage import sign_ins, users
from webapp.storage.db import Database

BASE = "http://127.0.0.1:8321"


def person(database: Database, name: str, role: str) -> int:
    """A new account; its number."""
    with database.session() as session:
        return users.add(session, name=name, role=role, now=time.time()).pk


def browser(
    app: FastAPI,
    settings: Settings,
    database: Database,
    user: int | None = None,
    beside: TestClient | None = None,
) -> TestClient:
    """A browser of its own, signed in to an account (by its number) or to none; it follows no redirect.

    beside: one for which the application was started; the two then share its event loop.
    """
    client = TestClient(app, base_url=BASE, follow_redirects=False)
    if beside is not None:
        client.portal = beside.portal
    if user is not None:
        with database.session() as session:
            _, token = sign_ins.begin(session, user, now=time.time(), agent="test", days=1)
        client.cookies.set(cookies.name(settings), cookies.signed(token, settings))
    return client
