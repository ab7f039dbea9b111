"""Links that show less than everything, redacted copies they open, and verdicts told before texts were taken out.

Links made before this show the structure alone.

Revision: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

NUMBERS = {"sqlite_autoincrement": True}  # said again whenever the table is made anew, see 0008

HANGING = (
    "originals", "events", "runs", "lanes", "items", "density", "segments", "checkpoints", "findings", "captures",
    "arrivals", "shares",
)  # fmt: skip


def upgrade() -> None:
    with op.batch_alter_table("traces", table_kwargs=NUMBERS) as traces:
        traces.add_column(sa.Column("copy_of", sa.Integer, nullable=True))
        traces.add_column(sa.Column("redaction", sa.String(10), nullable=False, server_default=""))
        traces.add_column(sa.Column("sealed", sa.JSON, nullable=True))
        traces.create_foreign_key("fk_traces_copy_of", "traces", ["copy_of"], ["pk"], ondelete="CASCADE")
        traces.create_index("ix_traces_copy_of", ["copy_of"])
    with op.batch_alter_table("shares") as shares:
        shares.add_column(sa.Column("level", sa.String(10), nullable=False, server_default="structure"))
        shares.add_column(sa.Column("maker", sa.Integer, nullable=True))
        shares.create_foreign_key("fk_shares_maker", "users", ["maker"], ["pk"], ondelete="SET NULL")


def downgrade() -> None:
    for table in HANGING:  # foreign keys are switched off here
        op.execute(f"DELETE FROM {table} WHERE trace IN (SELECT pk FROM traces WHERE copy_of IS NOT NULL)")
    op.execute("DELETE FROM traces WHERE copy_of IS NOT NULL")
    with op.batch_alter_table("shares") as shares:
        shares.drop_constraint("fk_shares_maker", type_="foreignkey")
        shares.drop_column("maker")
        shares.drop_column("level")
    with op.batch_alter_table("traces", table_kwargs=NUMBERS) as traces:
        traces.drop_index("ix_traces_copy_of")
        traces.drop_constraint("fk_traces_copy_of", type_="foreignkey")
        for name in ("sealed", "redaction", "copy_of"):
            traces.drop_column(name)
