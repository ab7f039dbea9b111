"""Settings: environment variables that begin with `LANESCOPE_`, each with a default that works on one
machine.

Rules of this file: a leaf; values and their checks only. Nothing here opens a file, a socket or a database.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from webapp.errors import StartError

_MB = 1024 * 1024
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a last label of this kind makes a resolver read an address
_TARGET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_LISTED = re.compile(r"(?:\[(?P<six>[0-9a-f:./]+)\]|(?P<plain>[^\[\]:]+))(?::(?P<port>[0-9]{1,5}))?")
_HEADER = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
# what every client sends, or what means something else
_NOT_TRUSTED = {
    "host",
    "cookie",
    "authorization",
    "origin",
    "referer",
    "user-agent",
    "accept",
    "lanescope-key",
}


class Settings(BaseSettings):
    """One value a setting. `LANESCOPE_PORT=9000` sets `port`; README lists them all."""

    model_config = SettingsConfigDict(env_prefix="LANESCOPE_", frozen=True, extra="ignore")

    data_dir: Path = Field(Path("data"), description="folder of the database; made when missing")
    host: str = Field("127.0.0.1", description="address to listen on; one that others reach needs accounts")
    port: int = Field(8321, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    workers: int = Field(1, ge=1, le=64, description="server processes; more than one needs PostgreSQL")
    database_url: str = Field("", description="SQLAlchemy URL; empty means SQLite in data_dir")
    public_url: str = Field("", description="address people use, for share links; empty: the one listened on")
    max_upload_bytes: int = Field(256 * _MB, ge=1, description="largest upload, in bytes as sent")
    max_expanded_bytes: int = Field(1024 * _MB, ge=1, description="largest upload once expanded, in bytes")
    max_records: int = Field(2_000_000, ge=1, description="most records read from one trace")
    max_record_bytes: int = Field(16 * _MB, ge=1, description="largest single record, in bytes")
    max_depth: int = Field(200, ge=1, description="nesting of JSON that needs no warning")
    max_findings: int = Field(
        10_000, ge=1, description="most findings kept of one trace; the rest is counted"
    )
    mask_secrets: bool = Field(True, description="overwrite credentials before a recording is stored")
    retain_days: int = Field(0, ge=0, le=36_500, description="days after which a trace is deleted; 0: never")
    retain_bytes: int = Field(
        0, ge=0, description="bytes of recordings kept, the oldest deleted first; 0: no limit"
    )
    sharing: bool = Field(True, description="whether traces can be shared by link; off ends those there are")
    share_days: int = Field(7, ge=1, le=3650, description="days a share link lives unless chosen otherwise")

    secret: SecretStr = Field(
        SecretStr(""), description="what cookies are signed with; empty: made once, in data_dir"
    )
    secret_file: str = Field("", description="file that holds it instead")
    session_days: int = Field(30, ge=1, le=90, description="days a sign-in lives while it is not used")

    call_hosts: str = Field(
        "localhost, 127.0.0.0/8, [::1]",
        description="hosts that may be called: names, addresses or networks, each with :port or without",
    )

    trusted_header: str = Field(
        "", description="header in which a proxy in front names who asks, e.g. X-Forwarded-User"
    )
    trusted_proxies: str = Field(
        "127.0.0.0/8, ::1", description="addresses or networks of the proxies that are believed"
    )
    trusted_role: Literal["viewer", "editor", "admin"] = Field(
        "viewer", description="role of who is named so and has no account of that name"
    )

    oidc_issuer: str = Field("", description="OpenID Connect provider people sign in at, as it calls itself")
    oidc_client_id: str = Field("", description="what this installation is called there")
    oidc_client_secret: SecretStr = Field(SecretStr(""), description="its secret there, if it has one")
    oidc_client_secret_file: str = Field("", description="file that holds it instead")
    oidc_name: str = Field("your organisation", description="what people call the provider")
    oidc_claim: Literal["preferred_username", "email"] = Field(
        "preferred_username", description="what the provider says that is the name of an account here"
    )
    oidc_role: Literal["none", "viewer", "editor"] = Field(
        "none", description="role of the account made for whoever signs in first; none: no account is made"
    )

    targets: Annotated[dict[str, str], NoDecode] = Field(
        default_factory=dict, description="upstreams of the recording proxy, name=url,name=url"
    )

    @field_validator("targets", mode="before")
    @classmethod
    def _targets(cls, value: Any) -> Any:
        return listed_targets(value) if isinstance(value, str) else value

    @field_validator("targets")
    @classmethod
    def _target_urls(cls, value: dict[str, str]) -> dict[str, str]:
        return {name: _target_url(name, url) for name, url in value.items()}

    @field_validator("secret")
    @classmethod
    def _secret(cls, value: SecretStr) -> SecretStr:
        if 0 < len(value) < 32:
            raise ValueError("it must have 32 characters or more; 48 random ones are good")
        return value

    @field_validator("call_hosts")
    @classmethod
    def _call_hosts(cls, value: str) -> str:
        listed_hosts(value)
        return value

    @field_validator("trusted_header")
    @classmethod
    def _trusted_header(cls, value: str) -> str:
        value = value.strip().lower()
        if value and (not _HEADER.fullmatch(value) or value in _NOT_TRUSTED):
            raise ValueError("must be the name of a header that the proxy sets itself, like X-Forwarded-User")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _trusted_proxies(cls, value: str) -> str:
        listed_networks(value)
        return value

    @field_validator("public_url")
    @classmethod
    def _public_url(cls, value: str) -> str:
        value = value.rstrip("/")
        if value:
            parts = urlsplit(value)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
                raise ValueError("must look like https://lanescope.example.com, without a path")
        return value

    def model_post_init(self, _context: Any) -> None:
        if not self.database_url:
            path = (self.data_dir / "lanescope.db").resolve()
            object.__setattr__(self, "database_url", f"sqlite:///{path}")

    @property
    def base_url(self) -> str:
        """What links that leave this machine begin with, without a final slash."""
        if self.public_url:
            return self.public_url
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def uses_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")


@dataclass(frozen=True, slots=True)
class ListedHost:
    """One host that may be called. name: lower case, "" for a network; port: None = any."""

    name: str
    network: ipaddress.IPv4Network | ipaddress.IPv6Network | None
    port: int | None


def is_host_name(name: str) -> bool:
    """Whether it is a name as DNS has them, in lower case, and cannot be read as an address."""
    return (
        len(name) <= 253
        and _NAME.fullmatch(name) is not None
        and _NUMBER.fullmatch(name.rpartition(".")[2]) is None
    )


def listed_hosts(text: str) -> tuple[ListedHost, ...]:
    """`agent.example.com:8000, 10.0.0.0/8, [::1]` taken apart. Raises ValueError with words for the reader."""
    entries = [entry.strip().lower() for entry in text.split(",")]
    return tuple(_listed(entry) for entry in entries if entry)


def _listed(entry: str) -> ListedHost:
    bare = f"[{entry}]" if entry.count(":") > 1 and "[" not in entry else entry
    found = _LISTED.fullmatch(bare)
    port = int(found["port"]) if found is not None and found["port"] else None
    if found is None or (port is not None and not 0 < port < 65536):
        raise ValueError(
            f"{entry!r} is no host: write a name, an address or a network, then :port if need be"
        )
    host = found["six"] or found["plain"]
    if is_host_name(host):
        return ListedHost(host, None, port)
    try:
        network = ipaddress.ip_network(host)
    except ValueError as error:
        raise ValueError(f"{entry!r} is no host name, and no address or network: {error}") from None
    return ListedHost("", network, port)


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def listed_networks(text: str) -> tuple[Network, ...]:
    """`10.0.0.5, 10.1.0.0/16, ::1` taken apart. Raises ValueError with words for the reader."""
    entries = [entry.strip() for entry in text.split(",")]
    try:
        return tuple(ipaddress.ip_network(entry) for entry in entries if entry)
    except ValueError as error:
        raise ValueError(f"it lists addresses and networks: {error}") from None


def listed_targets(text: str) -> dict[str, str]:
    """`shop=http://127.0.0.1:8000/agent,teams=https://…` taken apart. Raises ValueError with words for the reader."""
    found: dict[str, str] = {}
    for entry in filter(None, (each.strip() for each in text.split(","))):
        name, equals, url = (part.strip() for part in entry.partition("="))
        if not equals or "/" in name:
            raise ValueError(f"{entry!r} has no name: write name=url, with commas between several")
        if name in found:
            raise ValueError(f"the name {name!r} is there twice")
        found[name] = url
    return found


def _target_url(name: str, url: str) -> str:
    """The URL without a final slash; ValueError says what is wrong with it."""
    if not _TARGET.fullmatch(name):
        raise ValueError(f"{name!r} is no name: up to 40 letters, digits, dots, hyphens and underscores")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not re.fullmatch(r"[!-~]+", url):
        raise ValueError(f"{url!r} must look like http://127.0.0.1:8000 or https://agent.example.com/path")
    if parts.username is not None or "?" in url or "#" in url or ".." in parts.path:
        raise ValueError(f"the address of {name!r} must be without user, query, fragment and “..”")
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host name or address (no port, no brackets) can only mean this machine."""
    name = host.lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def load_settings(**given: Any) -> Settings:
    """Settings from the environment; members of `given` that are not None win over it.

    Raises StartError naming the first variable that cannot be used.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        reason = first["msg"].removeprefix("Value error, ")
        raise StartError(f"LANESCOPE_{name} cannot be used: {reason[:1].lower()}{reason[1:]}.") from None
