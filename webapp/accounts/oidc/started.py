"""A sign-in that was started: what the browser keeps until it is back from the provider.

Rules of this file: one signed cookie that lives minutes and counts once. Without it nobody can be signed in by an
address that somebody else made, and a code that was seen on its way is worth nothing.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import asdict, dataclass

from itsdangerous import BadSignature

from webapp.accounts import cookies
from webapp.accounts.cookies import Attributes
from webapp.accounts.secret import signer
from webapp.settings import Settings

COOKIE = "lanescope_oidc"
SECONDS = 600.0
_LONGEST = 4000
_PURPOSE = "oidc"


@dataclass(frozen=True, slots=True)
class Started:
    """state: comes back in the address; nonce: in the ID token; verifier: proves that who asks for the token is who
    left; to: the page that was asked for; at: unix seconds"""

    state: str
    nonce: str
    verifier: str
    to: str
    at: float


def start(to: str, now: float) -> Started:
    """to: a path of this server."""
    return Started(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48), to, now)


def attributes(settings: Settings) -> Attributes:
    """As those of the cookie of a sign-in: over https it is bound to this host, so that no other can plant one."""
    found = cookies.attributes(settings)
    found["key"] = f"__Host-{COOKIE}" if found["secure"] else COOKIE
    return found


def signed(started: Started, settings: Settings) -> str:
    """The cookie's value."""
    text = base64.urlsafe_b64encode(json.dumps(asdict(started)).encode())
    return signer(settings, _PURPOSE).sign(text).decode()


def read(cookie: str | None, settings: Settings, now: float) -> Started | None:
    """What a cookie's value says; None when there is none, it was not made here or is too old."""
    if not cookie or len(cookie) > _LONGEST:
        return None
    try:
        text = signer(settings, _PURPOSE).unsign(cookie.encode("utf-8", "replace"))
    except BadSignature:
        return None
    try:
        started = Started(**json.loads(base64.urlsafe_b64decode(text)))
    except (TypeError, ValueError):  # of a version with other members
        return None
    return started if 0 <= now - started.at <= SECONDS else None


def is_of(started: Started, state: str) -> bool:
    """Whether an address with this state ends this sign-in."""
    return secrets.compare_digest(started.state.encode(), state.encode("utf-8", "replace"))
