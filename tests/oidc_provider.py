"""A small OpenID provider that listens on this machine: real pages, real keys, real checks of who asks for a token.

Rules of this file: it does what the specification asks of a provider and is strict with its client; a test makes it
lie by changing one of its members, and `reset` makes it honest again.
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

import httpx
import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT = "lanescope"
SECRET = "canary-client-secret-0000"
PASSWORD = "seven blue geese"
SIGNS = {"alg": "RS256"}

Claims = dict[str, Any]


@dataclass
class Provider:
    """url: its issuer; people: what it says of each; redirects: where it sends browsers back to.

    change: what becomes of the claims of an ID token; sign: how they become one; describe: what becomes of its
    description; broken: answers that are given instead, by path
    """

    url: str
    keys: list[RSAKey] = field(default_factory=lambda: [_first_key()])
    people: dict[str, Claims] = field(default_factory=dict)
    redirects: set[str] = field(default_factory=set)
    change: Callable[[Claims], Claims] = dict
    sign: Callable[[Claims], str] | None = None
    describe: Callable[[Claims], Claims] = dict
    broken: dict[str, Callable[[], Response]] = field(default_factory=dict)
    userinfo_only: bool = False
    asked: list[str] = field(default_factory=list)
    secrets_seen: list[str] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)
    _open: dict[str, str] = field(default_factory=dict)

    def reset(self) -> None:
        fresh = Provider(self.url)
        for name in ("people", "redirects", "broken", "asked", "secrets_seen", "_codes", "_open"):
            setattr(self, name, getattr(fresh, name))
        self.keys = self.keys[:1]
        self.change, self.sign, self.describe, self.userinfo_only = dict, None, dict, False

    def signed(self, claims: Claims, key: RSAKey | None = None, **header: str) -> str:
        key = key or self.keys[-1]
        return jwt.encode({**SIGNS, "kid": str(key.kid), **header}, claims, key)

    @property
    def opened(self) -> list[str]:
        """Every access token that it gave."""
        return list(self._open)

    # ── what a browser does there ────────────────────────────

    def sign_in(self, address: str, name: str, do: str = "sign in") -> str:
        """Follow a redirect to here as a browser does and fill the form in; gives where it leads back to."""
        with httpx.Client(
            trust_env=False, verify=False
        ) as browser:  # no TLS here; reading its roots takes long
            page = browser.get(address)
            assert page.status_code == 200, page.text
            asked = dict(parse_qsl(urlsplit(address).query))
            form = {**asked, "name": name, "password": PASSWORD, "do": do}
            answer = browser.post(f"{self.url}/authorize", data=form)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    # ── its pages ────────────────────────────────────────────

    def application(self) -> Starlette:
        pages: dict[str, tuple[str, Callable[[Request], Any]]] = {
            "/.well-known/openid-configuration": ("GET", self._description),
            "/authorize": ("*", self._authorize),
            "/token": ("POST", self._token),
            "/userinfo": ("GET", self._userinfo),
            "/keys": ("GET", self._keys),
        }

        def page(path: str, handler: Callable[[Request], Any]) -> Callable[[Request], Any]:
            async def answer(request: Request) -> Response:
                self.asked.append(path)
                if path in self.broken:
                    return self.broken[path]()
                told: Response = await handler(request)
                return told

            return answer

        return Starlette(
            routes=[
                Route(path, page(path, handler), methods=["GET", "POST"] if method == "*" else [method])
                for path, (method, handler) in pages.items()
            ]
        )

    async def _description(self, _request: Request) -> Response:
        told = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
        return JSONResponse(self.describe(told))

    async def _authorize(self, request: Request) -> Response:
        given = dict(await request.form()) if request.method == "POST" else dict(request.query_params)
        asked = {name: str(value) for name, value in given.items()}
        wanted = {"client_id": CLIENT, "response_type": "code", "code_challenge_method": "S256"}
        wrong = [name for name, value in wanted.items() if asked.get(name) != value]
        wrong += [name for name in ("state", "nonce", "code_challenge") if len(asked.get(name, "")) < 20]
        wrong += ["scope"] if "openid" not in asked.get("scope", "").split() else []
        if wrong or asked.get("redirect_uri") not in self.redirects:
            return HTMLResponse(f"cannot be used: {wrong or ['redirect_uri']}", 400)
        if request.method == "GET":
            kept = "".join(
                f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
                for name, value in asked.items()
            )
            return HTMLResponse(
                '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Provider</title>'
                f'<h1>The provider</h1><form method="post" action="/authorize">{kept}'
                '<label>User <input name="name"></label><label>Word <input name="password" type="password"></label>'
                '<button name="do" value="sign in">Go on</button><button name="do" value="decline">No</button>'
            )
        told = {"state": asked["state"], "iss": self.url}
        if asked.get("do") == "decline":
            told["error"] = "access_denied"
        elif asked.get("name") not in self.people or asked.get("password") != PASSWORD:
            return HTMLResponse("nobody of that name and word", 401)
        else:
            told["code"] = secrets.token_urlsafe(24)
            self._codes[told["code"]] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(told)}", 303)

    async def _token(self, request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        client, secret = form.get("client_id", ""), form.get("client_secret", "")
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme == "Basic":
            client, _, secret = (
                unquote_plus(part) for part in base64.b64decode(given).decode().partition(":")
            )
        self.secrets_seen.append(f"{'basic' if scheme else 'post'} {secret}")
        if (client, secret) != (CLIENT, SECRET):
            return JSONResponse({"error": "invalid_client"}, 401)
        asked = self._codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            asked is None
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != asked["redirect_uri"]
            or challenge.rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        access = f"canary-access-{secrets.token_urlsafe(16)}"
        self._open[access] = asked["name"]
        person, now = self.people[asked["name"]], int(time.time())
        told = {"sub": person["sub"]} if self.userinfo_only else person
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **told,
        }
        claims["at_hash"] = half_hash(access)
        made = (self.sign or self.signed)(self.change(claims))
        return JSONResponse(
            {"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": made},
            headers={"Cache-Control": "no-store"},
        )

    async def _userinfo(self, request: Request) -> Response:
        name = self._open.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        return JSONResponse(self.people[name]) if name else JSONResponse({}, 401)

    async def _keys(self, _request: Request) -> Response:
        return JSONResponse({"keys": [key.as_dict(private=False) for key in self.keys]})


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


@lru_cache(maxsize=1)
def _first_key() -> RSAKey:
    """One for every provider of a process: making it takes longer than signing in."""
    return new_key("one")


def half_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider that answers until the end of the block."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        provider = Provider(f"http://127.0.0.1:{listener.getsockname()[1]}")
        config = uvicorn.Config(provider.application(), log_level="error", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            until = time.monotonic() + 10
            while not server.started:
                assert time.monotonic() < until, "the provider did not start"
                time.sleep(0.01)
            yield provider
        finally:
            server.should_exit = True
            thread.join(10)
