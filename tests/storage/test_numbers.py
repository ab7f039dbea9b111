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
    """Traces, originals, events and the rest are the same after their table went back to 0007 and was made anew."""
    url = f"sqlite:///{tmp_path}/old.db"
    migrate.migrate(url)
    old = open_database(url)
    load_samples(old)
    config = migrate.config()

    def rows() -> dict[str, list[tuple[object, ...]]]:
        with old.engine.connect() as connection:
            return {
                table.name: sorted(map(tuple, connection.execute(sa.select(table))), key=repr)
                for table in Base.metadata.sorted_tables
            }

    before = rows()
    with old.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        config.attributes["connection"] = connection
        command.downgrade(config, "0007")
        connection.commit()
    old.close()
    migrate.migrate(url)
    assert rows() == before
    assert before["events"]
    with old.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    old.close()
