"""The index of Teams streams is asked for less: most events are of AG-UI, and one look at their first letter tells.

Revision: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

KINDS = "type IN ('delete', 'edit', 'final', 'informative', 'streaming')"
COLUMNS = ["trace", "lane", "reached", "seq", "type"]


def upgrade() -> None:
    _again(f"type > 'a' AND {KINDS}")


def downgrade() -> None:
    _again(KINDS)


def _again(words: str) -> None:
    where = sa.text(words)
    op.drop_index("events_stream", "events")
    op.create_index("events_stream", "events", COLUMNS, sqlite_where=where, postgresql_where=where)
