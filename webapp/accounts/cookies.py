"""The cookie that says which sign-in a browser has.

Rules of this file: its name, its value and its attributes. The value is a signed token, so that a made-up one is
refused without asking the database; what the token stands for is `storage/sign_ins.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

from itsdangerous import BadSignature

from webapp.accounts.secret import signer
from webapp.settings import Settings

COOKIE = "lanescope_session"
_LONGEST = 300  # a value beyond it was not made here


class Attributes(TypedDict):
    """What a browser is told of the cookie, as `Response.set_cookie` and `delete_cookie` take it."""

    key: str
    path: str
    secure: bool
    httponly: bool
    samesite: Literal["lax"]


def name(settings: Settings) -> str:
    """Over https the name binds it to this host: no other host of the domain can set one."""
    return f"__Host-{COOKIE}" if needs_https(settings) else COOKIE


def attributes(settings: Settings) -> Attributes:
    return {
        "key": name(settings),
        "path": "/",
        "secure": needs_https(settings),
        "httponly": True,
        "samesite": "lax",
    }


def signed(token: str, settings: Settings) -> str:
    """The cookie's value for a token."""
    return signer(settings, "session").sign(token).decode()


def token_of(cookie: str | None, settings: Settings) -> str | None:
    """The token of a cookie's value; None when there is none or it was not made here."""
    if not cookie or len(cookie) > _LONGEST:
        return None
    try:
        return signer(settings, "session").unsign(cookie.encode("utf-8", "replace")).decode()
    except (BadSignature, UnicodeDecodeError):
        return None


def needs_https(settings: Settings) -> bool:
    """Whether browsers keep and send it over https alone. At this machine's own names they do so over http, too."""
    return settings.public_url.startswith("https://")


def shown(sent: Mapping[str, str], settings: Settings) -> str | None:
    """The token of the sign-in among a request's cookies; None when there is none that was made here."""
    return token_of(sent.get(name(settings)), settings)
