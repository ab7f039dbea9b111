"""The head of the recorded response: status, content type, names of the other fields.

Revision: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("traces", sa.Column("head", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("traces", "head")
