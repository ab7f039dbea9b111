"""The tables of those who use an installation: accounts, sign-ins, keys of programs, and what was done.

Rules of this file: columns only, as in `models.py`. Nothing that opens a door is stored as it is: passwords are argon2
hashes, of tokens and keys only the SHA-256 is kept. No column holds text of a recording.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Float, ForeignKey, Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from webapp.storage.base import Base


class User(Base):
    """One account. Times are unix seconds. A number that was used once is never used again."""

    __tablename__ = "users"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012

    pk: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)  # in URLs
    name: Mapped[str] = mapped_column(String(80))  # as it is shown
    key: Mapped[str] = mapped_column(String(80), unique=True)  # the name case-folded: what one signs in with
    role: Mapped[str] = mapped_column(String(10))  # viewer | editor | admin
    password: Mapped[str | None] = mapped_column(String(300))  # argon2; None: signs in elsewhere only
    subject: Mapped[str | None] = mapped_column(String(500), unique=True)  # OpenID Connect: "issuer subject"
    created: Mapped[float] = mapped_column(Float)
    disabled: Mapped[float | None] = mapped_column(Float)  # since when it may not sign in
    seen: Mapped[float | None] = mapped_column(Float)  # last sign-in


class SignIn(Base):
    """A browser that is signed in. Only the cookie's SHA-256 is kept; deleting the row signs the browser out."""

    __tablename__ = "sign_ins"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)  # what the list of one's browsers names it by
    user: Mapped[int] = mapped_column(ForeignKey("users.pk", ondelete="CASCADE"), index=True)
    created: Mapped[float] = mapped_column(Float)
    seen: Mapped[float] = mapped_column(Float)
    expires: Mapped[float] = mapped_column(Float)
    agent: Mapped[str] = mapped_column(String(200), default="")  # the browser, as it names itself


class ApiKey(Base):
    """A key of a program. Only its SHA-256 is kept."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    user: Mapped[int] = mapped_column(ForeignKey("users.pk", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(80))
    scope: Mapped[str] = mapped_column(String(6))  # push | read | admin
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[float] = mapped_column(Float)
    expires: Mapped[float | None] = mapped_column(Float)
    used: Mapped[float | None] = mapped_column(Float)  # last use, to the minute
    revoked: Mapped[float | None] = mapped_column(Float)


class Try(Base):
    """How often something that is throttled was tried. key: kind and SHA-256 of who or from where."""

    __tablename__ = "tries"

    key: Mapped[str] = mapped_column(String(80), primary_key=True)
    begun: Mapped[float] = mapped_column(Float)  # start of the window that is counted
    count: Mapped[int] = mapped_column(Integer)


class Act(Base):
    """One line of the audit: appended, never changed (the database refuses it), see migration 0009.

    who: the name as it was then: an account, a link (`link ID`), `this machine`, `command line`
    """

    __tablename__ = "acts"
    __table_args__ = (
        Index("acts_trace", "about", "pk"),
        {"sqlite_autoincrement": True},
    )

    pk: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    at: Mapped[float] = mapped_column(Float, index=True)
    who: Mapped[str] = mapped_column(String(100))
    how: Mapped[str] = mapped_column(String(10))  # session | key | link | header | open | command
    what: Mapped[str] = mapped_column(String(20))  # uploaded, viewed, shared … : webapp/storage/audit.py
    about: Mapped[str] = mapped_column(String(12), default="")  # id of a trace; "" when about none
    detail: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)  # small, no text of a recording
