"""Settings: environment variables that begin with `LANESCOPE_`, each with a default that works on one
machine.

Rules of this file: a leaf; values and their checks only. Nothing here opens a file, a socket or a database.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from webapp.errors import StartError

_MB = 1024 * 1024


class Settings(BaseSettings):
    """One value a setting. `LANESCOPE_PORT=9000` sets `port`; README lists them all."""

    model_config = SettingsConfigDict(env_prefix="LANESCOPE_", frozen=True, extra="ignore")

    data_dir: Path = Field(Path("data"), description="folder of the database; made when missing")
    host: str = Field("127.0.0.1", description="address to listen on; loopback only")
    port: int = Field(8321, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    database_url: str = Field("", description="SQLAlchemy URL; empty means SQLite in data_dir")
    public_url: str = Field("", description="address people use, for share links; empty: the one listened on")
    max_upload_bytes: int = Field(256 * _MB, ge=1, description="largest upload, in bytes as sent")
    max_expanded_bytes: int = Field(1024 * _MB, ge=1, description="largest upload once expanded, in bytes")
    max_records: int = Field(2_000_000, ge=1, description="most records read from one trace")
    max_record_bytes: int = Field(16 * _MB, ge=1, description="largest single record, in bytes")
    max_depth: int = Field(200, ge=1, description="deepest nesting of JSON that is judged")
    max_findings: int = Field(
        10_000, ge=1, description="most findings kept of one trace; the rest is counted"
    )
    mask_secrets: bool = Field(True, description="overwrite credentials before a recording is stored")
    share_days: int = Field(7, ge=1, le=3650, description="days a share link lives unless chosen otherwise")

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
