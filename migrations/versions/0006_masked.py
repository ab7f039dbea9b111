"""How many credentials were overwritten before a recording was stored; null: they were not looked for.

Revision: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("traces", sa.Column("masked", sa.Integer, nullable=True))


def downgrade() -> None:
    op.drop_column("traces", "masked")
