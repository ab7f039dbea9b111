"""No secret is in what a server writes down, at the most talkative level of every library in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy.exc import IntegrityError

from tests.ingest.call.agent import answering
from tests.oidc_provider import CLIENT, providing
from tests.streams import finished, message, sse, started
from webapp.accounts.passwords import hashed
from webapp.settings import load_settings
from webapp.storage import users
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate
from webapp.storage.models import User

ROOT = Path(__file__).resolve().parents[2]
WAIT = 30.0
# `lanescope serve`, but every logger says all it has to say, the one of every request included
TALKATIVE = """
import logging, sys
logging.basicConfig(level=1, stream=sys.stderr)
import uvicorn, uvicorn.config
uvicorn.config.LOGGING_CONFIG["handlers"]["access"]["stream"] = "ext://sys.stderr"
plain = uvicorn.Config
uvicorn.Config = lambda *given, **more: plain(*given, **{**more, "access_log": True, "log_level": "trace"})
for name in ("sqlalchemy.engine", "httpx", "httpcore", "authlib", "python_multipart", "lanescope", "asyncio"):
    logging.getLogger(name).setLevel(1)
from webapp.cli import main
main()
"""
SECRET = "canary-installation-secret-0123456789-abcdef"
CLIENT_SECRET = "canary-client-secret-0000"
PASSWORD, WRONG, NEXT = "canary four herons", "canary wrong geese", "canary new pelicans"
UPSTREAM, COOKIE, API_KEY, TYPED = "canary-upstream-1", "canary-cookie-2", "canary-apikey-3", "canary-typed-4"


class Told:
    """A running server. url: its address; secrets: name -> what must be in no line; log: the file of its lines."""

    def __init__(self, url: str, log: Path, provider: Any) -> None:
        self.url, self.log, self.provider = url, log, provider
        self.secrets = {
            "installation": SECRET, "client secret": CLIENT_SECRET, "password": PASSWORD, "wrong password": WRONG,
            "new password": NEXT, "upstream": UPSTREAM, "cookie": COOKIE, "api key": API_KEY, "typed": TYPED,
        }  # fmt: skip

    def browser(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=WAIT)


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    folder = tmp_path / "data"
    folder.mkdir()
    url = load_settings(data_dir=folder, database_url="").database_url
    migrate(url)
    database = open_database(url)
    with database.session() as session:
        users.add(session, name="Ada", role="admin", password_hash=hashed(PASSWORD), now=1.0)
    database.close()
    log = tmp_path / "log"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LANESCOPE_")}
    with answering() as agent, providing() as provider, log.open("wb") as written:
        provider.people = {"bea": {"sub": "s-bea", "preferred_username": "bea"}}
        environment = {
            **clean,
            "LANESCOPE_SECRET": SECRET,
            "LANESCOPE_TARGETS": f"shop={agent.url}",
            "LANESCOPE_OIDC_ISSUER": provider.url,
            "LANESCOPE_OIDC_CLIENT_ID": CLIENT,
            "LANESCOPE_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "LANESCOPE_OIDC_ROLE": "editor",
        }
        process = subprocess.Popen(
            [sys.executable, "-c", TALKATIVE, "serve", "--port", "0", "--data-dir", str(folder)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=written, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Lanescope is at "), log.read_text()
            address = line.split()[3]
            provider.redirects = {f"{address.rstrip('/')}/sign-in/oidc/back"}
            yield Told(address.rstrip("/"), log, provider)
        finally:
            process.terminate()
            process.wait(WAIT)


def go_through(told: Told) -> None:
    """Everything that is done with a secret, right and wrong; what is made on the way is added to the secrets."""
    run = sse(started(), *message("m", "Hello"), finished())
    with told.browser() as ada, told.browser() as nobody, told.browser() as bea:
        assert ada.post("/sign-in", data={"name": "Ada", "password": WRONG}).status_code == 400
        assert ada.post("/sign-in", data={"name": WRONG, "password": "x"}).status_code == 400
        assert ada.post("/sign-in", data={"name": "Ada", "password": PASSWORD}).status_code == 303
        told.secrets["session"] = ada.cookies["lanescope_session"]
        form = {
            "old": PASSWORD,
            "new": NEXT,
            "again": NEXT,
            "current": PASSWORD,
            "password": NEXT,
            "repeat": NEXT,
        }
        assert ada.post("/account/password", data=form).status_code < 500
        made = ada.post("/account/keys", data={"name": "k", "scope": "admin", "days": "30"})
        (key,) = set(re.findall(r"lsk_[\w-]{20,}", made.text))
        told.secrets["key"] = key
        with_key = {"Authorization": f"Bearer {key}"}
        assert nobody.get("/api/traces", headers=with_key).status_code == 200
        assert nobody.get("/api/traces", headers={"Authorization": f"Bearer {key[:-1]}"}).status_code == 401
        trace = nobody.post("/api/traces", content=run, headers=with_key).json()["id"]
        share = {"name": "x", "days": "7", "panel": "events", "event": "", "level": "structure"}
        (token,) = set(re.findall(r"/s/([\w-]{32})", ada.post(f"/traces/{trace}/share", data=share).text))
        told.secrets["token"] = token
        for path in (
            f"/s/{token}",
            f"/s/{token}/events?event=1",
            f"/s/{token}/original",
            f"/s/{token}/nothing",
        ):
            nobody.get(path)
        assert nobody.get(f"/s/{token}").status_code == 200
        passed = {
            "Lanescope-Key": key,
            "Authorization": f"Bearer {UPSTREAM}",
            "Cookie": f"c={COOKIE}",
            "X-Api-Key": API_KEY,
        }
        asked = {
            "threadId": "t",
            "runId": "r",
            "messages": [],
            "tools": [],
            "context": [],
            "state": {},
            "forwardedProps": {},
        }
        assert nobody.post("/proxy/shop/agent", json=asked, headers=passed).status_code == 200
        call = {"url": f"{told.url}/", "run_input": json.dumps(asked), "authorization": f"Bearer {TYPED}"}
        assert ada.post("/call", data=call).status_code < 500
        leaving = bea.get("/sign-in/oidc")
        assert leaving.status_code == 303
        back = told.provider.sign_in(leaving.headers["location"], "bea", "sign in")
        told.secrets["code"] = parse_qs(urlsplit(back).query)["code"][0]
        entered = bea.get(back)
        assert entered.status_code == 303, entered.text
        told.secrets["session of the provider"] = bea.cookies["lanescope_session"]
        assert told.provider.secrets_seen, "the provider was never told the secret, so nothing was tried"
        assert ada.post("/sign-out").status_code == 303


def test_no_secret_is_written_down(told: Told) -> None:
    """Whatever is done with it: a password, a cookie, a key, a link, a credential passed on, a code, the settings."""
    go_through(told)
    time.sleep(0.3)
    text = told.log.read_text(errors="replace")
    for sign in (
        "/sign-in",
        "/s/…",
        "/api/traces",
        "/proxy/shop",
        "POST /sign-in HTTP",
        "sqlalchemy.engine",
        "httpx",
    ):
        assert sign in text, f"the log tells nothing of {sign}, so the test would see nothing"
    lines = text.splitlines()
    found = {
        name: [line[:300] for line in lines if secret in line][:2]
        for name, secret in told.secrets.items()
        if secret in text
    }
    assert found == {}


def test_a_fault_of_the_database_is_told_without_what_was_to_be_stored(database: Database) -> None:
    """The traceback that the last net writes down names the statement and no value."""
    with database.session() as session:
        users.add(session, name="Ada", role="admin", now=1.0)
    with database.session() as session:
        session.add(User(id="x", name="canary-name", key="ada", role="canary-role", created=1.0))
        with pytest.raises(IntegrityError) as caught:
            session.flush()
        session.rollback()
    assert "INSERT INTO users" in str(caught.value)
    assert "canary" not in str(caught.value)


def test_a_database_that_cannot_be_reached_is_named_without_its_password(tmp_path: Path) -> None:
    """The sentence with which a start ends."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LANESCOPE_")}
    url = "postgresql+psycopg://ada:canary-password@127.0.0.1:1/lanescope"
    done = subprocess.run(
        [sys.executable, "-c", TALKATIVE, "serve", "--port", "0", "--data-dir", str(tmp_path)],
        cwd=ROOT, env={**clean, "LANESCOPE_DATABASE_URL": url}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "canary-password" not in done.stdout + done.stderr
