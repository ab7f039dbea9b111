"""The exchanges of a Teams stream, by place: what the user's bubble held as of a record.

Revision: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STREAM = sa.text("type IN ('delete', 'edit', 'final', 'informative', 'streaming')")


def upgrade() -> None:
    op.create_index(
        "events_stream",
        "events",
        ["trace", "lane", "reached", "seq", "type"],
        unique=False,
        sqlite_where=STREAM,
        postgresql_where=STREAM,
    )


def downgrade() -> None:
    op.drop_index("events_stream", "events")
