"""What all tables share. Rules of this file: the declarative base and the key that ties a row to its trace."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Table
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Every table; `Base.metadata` is what migrations are compared with."""


def trace_key() -> Mapped[int]:
    """The first part of a primary key: the trace the row belongs to."""
    return mapped_column(ForeignKey("traces.pk", ondelete="CASCADE"), primary_key=True)


def hanging_on_traces() -> list[Table]:
    """The tables whose rows belong to a trace, those that others point at last."""
    return [table for table in reversed(Base.metadata.sorted_tables) if "trace" in table.c]
