"""Live recordings: who records them, how far they are, when their bytes came; and traces that are kept.

Revision: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _key() -> sa.Column:
    return sa.Column("trace", sa.Integer, sa.ForeignKey("traces.pk", ondelete="CASCADE"), primary_key=True)


def upgrade() -> None:
    op.add_column("traces", sa.Column("pinned", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("ix_traces_status", "traces", ["status"])
    op.create_table(
        "captures",
        _key(),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("owner", sa.String(40), nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
        sa.Column("heard", sa.Float, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("parts", sa.Integer, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("form", sa.String(20), nullable=False),
        sa.Column("protocol", sa.String(10), nullable=False),
        sa.Column("masked", sa.Integer, nullable=False),
        sa.Column("head", sa.JSON, nullable=True),
        sa.Column("notes", sa.JSON, nullable=False),
        sa.Column("ended", sa.Float, nullable=True),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("ix_captures_owner", "captures", ["owner"])
    op.create_table(
        "arrivals",
        _key(),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("arrivals")
    op.drop_table("captures")
    op.drop_index("ix_traces_status", "traces")
    op.drop_column("traces", "pinned")
