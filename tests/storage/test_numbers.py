"""The migration that makes the numbers of traces unique for ever keeps everything that hangs on them."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command

from webapp.ingest.samples import load_samples
from webapp.storage import migrate
from webapp.storage.db import open_database
from webapp.storage.models import Base


def test_an_older_database_keeps_every_row(tmp_path: Path) -> None:
    """Traces, originals, events and the rest are the same after the table was made anew."""
    url = f"sqlite:///{tmp_path}/old.db"
    old = open_database(url)
    config = migrate.config()
    with old.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0007")
        connection.commit()
    load_samples(old)

    def rows() -> dict[str, list[tuple[object, ...]]]:
        with old.engine.connect() as connection:
            return {
                table.name: sorted(map(tuple, connection.execute(sa.select(table))), key=repr)
                for table in Base.metadata.sorted_tables
            }

    before = rows()
    old.close()
    migrate.migrate(url)
    assert rows() == before
    assert before["events"]
    with old.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    old.close()
