"""What was set about the provider, checked as a whole.

Rules of this file: settings in, one frozen value out, or a sentence for whoever starts the server. Nothing is asked of
the provider here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from webapp.errors import StartError
from webapp.settings import Settings, is_loopback

MAX_ISSUER = 200  # it is kept with each account
MAX_NAME = 60
_SIGNS = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Config:
    """One provider.

    issuer: as the provider calls itself; secret: "" for a client without one; name: what people call it; claim: what
    names an account; role: of an account that is made, "" when none is
    """

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    name: str
    claim: str
    role: str

    @property
    def here(self) -> bool:
        """It runs on this machine, so that it may do without https."""
        return urlsplit(self.issuer).scheme == "http"


def config_of(settings: Settings) -> Config | None:
    """The provider of the settings, None without one. Raises StartError naming what cannot be used."""
    issuer, client = settings.oidc_issuer.strip(), settings.oidc_client_id.strip()
    if not issuer and not client:
        return None
    if not issuer or not client:
        missing = "LANESCOPE_OIDC_CLIENT_ID" if issuer else "LANESCOPE_OIDC_ISSUER"
        raise StartError(f"Signing in with OpenID Connect needs {missing} too; set it.")
    if not is_safe(issuer, here=True) or len(issuer) > MAX_ISSUER or "?" in issuer:
        raise StartError(
            "LANESCOPE_OIDC_ISSUER cannot be used: it must look like https://login.example.com/path; http is for a "
            "provider on this machine only."
        )
    if not _SIGNS.fullmatch(client):
        raise StartError("LANESCOPE_OIDC_CLIENT_ID cannot be used: it is made of letters, numbers and signs.")
    name = " ".join(settings.oidc_name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise StartError(f"LANESCOPE_OIDC_NAME cannot be used: it has 1 to {MAX_NAME} characters.")
    role = "" if settings.oidc_role == "none" else settings.oidc_role
    return Config(issuer, client, _secret(settings), name, settings.oidc_claim, role)


def is_safe(url: str, *, here: bool) -> bool:
    """Whether what goes to this address is read by nobody on the way: https, or http to this machine where the whole
    provider is (`here`)."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not _SIGNS.fullmatch(url) or not host or parts.username is not None or "#" in url:
        return False
    return parts.scheme == "https" or (here and parts.scheme == "http" and is_loopback(host))


def _secret(settings: Settings) -> str:
    given, file = settings.oidc_client_secret.get_secret_value(), settings.oidc_client_secret_file
    if given and file:
        raise StartError("LANESCOPE_OIDC_CLIENT_SECRET and its _FILE are both set; keep one of them.")
    secret = given or (_read(Path(file)) if file else "")
    if secret and not _SIGNS.fullmatch(secret):
        raise StartError("The client secret for OpenID Connect is damaged: it has signs that no secret has.")
    return secret


@lru_cache(maxsize=8)
def _read(path: Path) -> str:
    try:
        text = path.read_text("utf-8").strip()
    except UnicodeDecodeError:
        raise StartError("The file of LANESCOPE_OIDC_CLIENT_SECRET_FILE is no text.") from None
    except OSError as error:
        raise StartError(
            f"The file of LANESCOPE_OIDC_CLIENT_SECRET_FILE cannot be read: {error.strerror}."
        ) from None
    if not text:
        raise StartError("The file of LANESCOPE_OIDC_CLIENT_SECRET_FILE is empty.")
    return text
