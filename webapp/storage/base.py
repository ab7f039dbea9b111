"""What all tables share. Rules of this file: the declarative base and the key that ties a row to its trace."""

from __future__ import annotations

from sqlalchemy import ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Every table; `Base.metadata` is what migrations are compared with."""


def trace_key() -> Mapped[int]:
    """The first part of a primary key: the trace the row belongs to."""
    return mapped_column(ForeignKey("traces.pk", ondelete="CASCADE"), primary_key=True)
