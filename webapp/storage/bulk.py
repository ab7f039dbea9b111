"""Many rows at once.

Rules of this file: inserts and the few updates of analysis. It speaks to the driver itself, because tuples through it
cost half of what they cost through Core (PostgreSQL has its COPY: `copying`; rows of events may be written beside
their analysis: `event_writer`). Rows with JSON go through Core, which encodes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Dialect, Table, insert, update
from sqlalchemy.orm import Session

from webapp.storage.copying import copy_rows, takes_copies
from webapp.storage.models import (
    Arrival,
    Base,
    Checkpoint,
    EventRow,
    FindingRow,
    ItemRow,
    LaneRow,
    Original,
    RunRow,
    Segment,
)

MOST_BOUND = 900  # values in one statement: SQLite took 999 at most before 3.32


def _table(model: type[Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


def columns(model: type[Base]) -> tuple[str, ...]:
    """The column names of a table in the order a row's tuple must have."""
    return tuple(column.name for column in _table(model).columns)


def _marks(dialect: Dialect, count: int) -> list[str]:
    """Placeholders in the driver's style."""
    if dialect.paramstyle == "qmark":
        return ["?"] * count
    return ["%s"] * count  # of PostgreSQL's driver


def _insert(session: Session, model: type[Base], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert tuples in the order of the table's columns."""
    if rows:
        _insert_columns(session, model, list(zip(*rows, strict=True)))


def _insert_columns(session: Session, model: type[Base], values: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows given as one tuple a column, in the order of the table's columns."""
    if takes_copies(session):
        _check_width(model, values)
        copy_rows(session, _table(model), zip(*values, strict=True))
        return
    dialect = session.get_bind().dialect
    run = session.connection().exec_driver_sql
    # other drivers send many statements at once
    for statement, rows in inserts(dialect, model, values, MOST_BOUND if dialect.name == "sqlite" else 0):
        run(statement, rows)


def inserts(
    dialect: Dialect, model: type[Base], values: Sequence[tuple[Any, ...]], most: int
) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Statements that insert rows given as one tuple a column, each with the values of its executions.

    Binding values is much of the cost, so a column with one null or integer in all rows becomes a literal. SQLite
    builds the lists of partial indexes (`type IN (…)`) anew for each statement, so one statement inserts many rows:
    as many as `most` values allow.
    """
    _check_width(model, values)
    fixed = tuple(_literal(column) for column in values)
    bound = [column for column, literal in zip(values, fixed, strict=True) if literal is None]
    count, width = len(values[0]), len(bound)
    many = most // width if bound else 1
    if many <= 1:
        return [
            (_statement(dialect, model, fixed, 1), list(zip(*bound, strict=True)) if bound else [()] * count)
        ]
    flat = tuple(chain.from_iterable(zip(*bound, strict=True)))
    size, whole = many * width, count - count % many
    made = []
    if whole:
        groups = [flat[at : at + size] for at in range(0, whole * width, size)]
        made.append((_statement(dialect, model, fixed, many), groups))
    if whole < count:
        made.append((_statement(dialect, model, fixed, count - whole), [flat[whole * width :]]))
    return made


def _check_width(model: type[Base], values: Sequence[tuple[Any, ...]]) -> None:
    if len(values) != len(_table(model).columns):
        raise ValueError(f"{model.__tablename__} has {len(_table(model).columns)} columns, not {len(values)}")


@lru_cache(maxsize=16)  # one batch is much like the next, and the text of many rows is long
def _statement(dialect: Dialect, model: type[Base], fixed: tuple[str | None, ...], rows: int) -> str:
    """The SQL that inserts so many rows. fixed: the literal of each column, None where a value is bound."""
    table = _table(model)
    quote = dialect.identifier_preparer.quote
    into = ", ".join([quote(column.name) for column in table.columns])
    marks = iter(_marks(dialect, fixed.count(None) * rows))
    each = (", ".join([literal or next(marks) for literal in fixed]) for _ in range(rows))
    return f"INSERT INTO {quote(table.name)} ({into}) VALUES {', '.join([f'({row})' for row in each])}"


def _literal(column: tuple[Any, ...]) -> str | None:
    """The SQL of a column that has the same null or integer everywhere; None when it must be bound."""
    first = column[0]
    if (first is None or type(first) is int) and column.count(first) == len(column):
        return "NULL" if first is None else str(first)
    return None


def add_events(session: Session, values: Sequence[tuple[Any, ...]]) -> None:
    """values: one tuple a column, in the order of the table's columns; none at all when there is no row."""
    if values:
        _insert_columns(session, EventRow, values)


def add_segments(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, Segment, rows)


def add_items(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, ItemRow, rows)


def add_originals(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, Original, rows)


def add_arrivals(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, Arrival, rows)


def turn_parts(session: Session, trace: int) -> None:
    """Make the expanded text (parts -1, -2 …) the original (0, 1 …), which has no parts yet."""
    part = -Original.part - 1
    query = update(Original).where(Original.trace == trace, Original.part < 0).values(part=part)
    session.execute(query.execution_options(synchronize_session=False))


def add_lanes(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, LaneRow, rows)


def add_runs(session: Session, rows: Sequence[tuple[Any, ...]]) -> None:
    _insert(session, RunRow, rows)


def add_checkpoints(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        session.execute(insert(_table(Checkpoint)), list(rows))


def add_findings(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        session.execute(insert(_table(FindingRow)), list(rows))


def _update(
    session: Session, model: type[Base], column: str, key: str, rows: Sequence[tuple[Any, ...]]
) -> None:
    if not rows:
        return
    quote = session.get_bind().dialect.identifier_preparer.quote
    value, trace, place = _marks(session.get_bind().dialect, 3)
    session.connection().exec_driver_sql(
        f"UPDATE {quote(_table(model).name)} SET {quote(column)} = {value} "
        f"WHERE {quote('trace')} = {trace} AND {quote(key)} = {place}",
        list(rows),
    )


def set_severities(session: Session, rows: Sequence[tuple[int | None, int, int]]) -> None:
    """(severity, trace, seq) of events whose worst finding is known only at the end."""
    _update(session, EventRow, "severity", "seq", rows)


def set_part_lines(session: Session, rows: Sequence[tuple[int, int, int]]) -> None:
    """(line, trace, part) of parts of an original whose line numbers depend on the form found later."""
    _update(session, Original, "line", "part", rows)
