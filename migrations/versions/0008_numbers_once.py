"""A trace's number is never used again: what is remembered of a deleted trace cannot be taken for another's.

PostgreSQL's sequences never give one twice; SQLite does, unless the table says AUTOINCREMENT. It is made anew with
that; `storage.migrate` has switched foreign keys off, so that what hangs on the traces stays.

Revision: 0008
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _again(autoincrement=True)


def downgrade() -> None:
    _again(autoincrement=False)


def _again(autoincrement: bool) -> None:
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table(
            "traces", recreate="always", table_kwargs={"sqlite_autoincrement": autoincrement}
        ):
            pass
