"""The provider: where its pages are, leaving for it, and what it says who came back.

Rules of this file: the order of the protocol and its sentences. What the provider answers is believed only as far as
`tokens.py` checks it; a fault is one sentence for the person, with the reason in the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc.jwk import KeySet

from webapp.accounts.oidc import tokens, wire
from webapp.accounts.oidc.config import Config, is_safe
from webapp.accounts.oidc.started import Started
from webapp.accounts.oidc.wire import Odd, Unreachable
from webapp.errors import BadInput

log = logging.getLogger("lanescope")

KEPT_SECONDS = 3600.0  # what the provider says of itself
IN_ALL_SECONDS = 20.0
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_MAX_LABEL = 200


@dataclass(frozen=True, slots=True)
class Person:
    """Who came back. subject: "issuer sub", never anybody else's; label: what the claim says that names an account,
    "" when it says nothing; sure: the provider vouches that it is theirs"""

    subject: str
    label: str
    sure: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """What a provider says of itself."""

    issuer: str
    authorize: str
    token: str
    keys_at: str
    userinfo: str
    algorithms: tuple[object, ...]
    post_secret: bool
    read: float


class Provider:
    """One an application."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._known: _Known | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def leave(self, started: Started, back: str) -> str:
        """The address at the provider to send a browser to. back: where it comes back to. Raises BadInput."""
        async with self._faults(), wire.client(here=self.config.here) as http:
            known = await self._discover(http)
        return str(
            prepare_grant_uri(
                known.authorize,
                self.config.client_id,
                "code",
                redirect_uri=back,
                scope=f"openid {'email' if self.config.claim == 'email' else 'profile'}",
                state=started.state,
                nonce=started.nonce,
                code_challenge=create_s256_code_challenge(started.verifier),
                code_challenge_method="S256",
            )
        )

    async def person(self, code: str, issuer: str | None, started: Started, back: str) -> Person:
        """Who came back with this code. issuer: as the address says, if it does; back: as it was when leaving.

        Raises BadInput.
        """
        async with self._faults(), wire.client(here=self.config.here) as http:
            known = await self._discover(http)
            if issuer is not None and issuer != known.issuer:
                raise Odd("the browser came back from another provider")
            answer = await self._token(http, known, code, started, back)
            claims = await self._checked(http, known, answer, started)
            subject = claims["sub"]
            if not _label(claims, self.config.claim) and known.userinfo:
                claims = await self._more(http, known, answer, subject)
            return Person(
                f"{known.issuer} {subject}", _label(claims, self.config.claim), self._is_sure(claims)
            )

    def _is_sure(self, claims: dict[str, Any]) -> bool:
        """An address of mail is somebody's only once it was verified; some write that as a text."""
        verified = claims.get("email_verified")
        return self.config.claim != "email" or verified is True or verified == "true"

    async def _discover(self, http: httpx.AsyncClient) -> _Known:
        if self._known is not None and time.monotonic() - self._known.read < KEPT_SECONDS:
            return self._known
        address = f"{self.config.issuer.rstrip('/')}/.well-known/openid-configuration"
        status, told = await wire.ask(http, "GET", address)
        issuer = told.get("issuer")
        if status != 200 or not isinstance(issuer, str):
            raise Odd(f"there is no description at the provider (status {status})")
        if issuer.rstrip("/") != self.config.issuer.rstrip("/"):
            raise Odd("the provider calls itself otherwise than LANESCOPE_OIDC_ISSUER")
        found = {name: told.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
        for name, url in found.items():
            if not isinstance(url, str) or not is_safe(url, here=self.config.here):
                raise Odd(f"the provider’s {name} is missing or without https")
        more = told.get("userinfo_endpoint")
        ways = told.get("token_endpoint_auth_methods_supported")
        algorithms = told.get("id_token_signing_alg_values_supported")
        self._known = _Known(
            issuer=issuer,
            authorize=str(found["authorization_endpoint"]),
            token=str(found["token_endpoint"]),
            keys_at=str(found["jwks_uri"]),
            userinfo=more if isinstance(more, str) and is_safe(more, here=self.config.here) else "",
            algorithms=tuple(algorithms) if isinstance(algorithms, list) else ("RS256",),
            post_secret=isinstance(ways, list)
            and "client_secret_post" in ways
            and "client_secret_basic" not in ways,
            read=time.monotonic(),
        )
        return self._known

    async def _token(
        self, http: httpx.AsyncClient, known: _Known, code: str, started: Started, back: str
    ) -> dict[str, Any]:
        """What the provider gives for the code."""
        way = "client_secret_post" if known.post_secret else "client_secret_basic"
        auth = ClientAuth(self.config.client_id, self.config.secret, way if self.config.secret else "none")
        body = prepare_token_request(
            "authorization_code", redirect_uri=back, code=code, code_verifier=started.verifier
        )
        url, headers, body = auth.prepare("POST", known.token, dict(_FORM), body)
        status, told = await wire.ask(http, "POST", url, headers=headers, body=body)
        if status == 200:
            return told
        if told.get("error") == "invalid_grant":
            raise BadInput(f"This sign-in at {self.config.name} was used already or is too old; start again.")
        raise Odd(f"the provider gives no token (status {status}): are client id and secret right?")

    async def _checked(
        self, http: httpx.AsyncClient, known: _Known, answer: dict[str, Any], started: Started
    ) -> dict[str, Any]:
        """Claims of the ID token; the keys are fetched anew when it is signed with one we have not seen."""
        for fresh in (False, True):
            try:
                return tokens.claims_of(
                    answer.get("id_token"),
                    await self._read_keys(http, known, fresh),
                    issuer=known.issuer,
                    client_id=self.config.client_id,
                    nonce=started.nonce,
                    access_token=answer.get("access_token"),
                    algorithms=known.algorithms,
                )
            except tokens.UnknownKey:
                continue
        raise Odd("the ID token is signed with a key that the provider does not have")

    async def _read_keys(self, http: httpx.AsyncClient, known: _Known, fresh: bool) -> KeySet:
        now = time.monotonic()
        if self._keys is None or fresh or now - self._keys[0] >= KEPT_SECONDS:
            _, told = await wire.ask(http, "GET", known.keys_at)
            self._keys = (now, tokens.keys_of(told.get("keys")))
        return self._keys[1]

    async def _more(
        self, http: httpx.AsyncClient, known: _Known, answer: dict[str, Any], subject: str
    ) -> dict[str, Any]:
        """Many providers put the name not into the ID token but where the access token opens it."""
        access = answer.get("access_token")
        if not isinstance(access, str) or not access.isascii() or not access.isprintable():
            return {}
        headers = {"Authorization": f"Bearer {access}"}
        status, told = await wire.ask(http, "GET", known.userinfo, headers=headers)
        if status != 200 or told.get("sub") != subject:
            raise Odd("what the provider tells of the person is about another")
        return told

    @asynccontextmanager
    async def _faults(self) -> AsyncIterator[None]:
        """A bound on the time of it all, and sentences for what goes wrong."""
        name = self.config.name
        try:
            async with asyncio.timeout(IN_ALL_SECONDS):
                yield
        except (Unreachable, TimeoutError):
            log.warning("signing in: the provider does not answer")
            raise BadInput(f"The sign-in at {name} cannot be reached now; try again in a moment.") from None
        except Odd as odd:
            log.warning("signing in: %s", odd)
            raise BadInput(
                f"The sign-in at {name} could not be checked, so nobody was signed in; try again, and if it stays so "
                "tell an admin of this Lanescope: its log says why."
            ) from None


def _label(claims: dict[str, Any], claim: str) -> str:
    found = claims.get(claim)
    return found.strip() if isinstance(found, str) and len(found) <= _MAX_LABEL else ""
