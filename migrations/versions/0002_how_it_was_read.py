"""How a recording was read and which lines were not understood; messages that a snapshot removed, by place; the
version a trace uses.

Revision: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

GONE = sa.text("gone IS NOT NULL")


def upgrade() -> None:
    op.add_column("traces", sa.Column("read_because", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("traces", sa.Column("strays", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("traces", sa.Column("version_used", sa.String(10), nullable=True))
    op.create_index(
        "items_gone", "items", ["trace", "gone"], unique=False, sqlite_where=GONE, postgresql_where=GONE
    )


def downgrade() -> None:
    op.drop_index("items_gone", "items")
    op.drop_column("traces", "version_used")
    op.drop_column("traces", "strays")
    op.drop_column("traces", "read_because")
