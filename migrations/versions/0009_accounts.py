"""Accounts, sign-ins, keys of programs, what is throttled, the audit; and who added a trace.

The audit is append-only by the database itself: triggers refuse to change or delete a line.

Revision: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

NUMBERS = {"sqlite_autoincrement": True}  # said again whenever the table is made anew, see 0008

_REFUSED = "the audit is append-only"


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("pk", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("key", sa.String(80), nullable=False, unique=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("password", sa.String(300), nullable=True),
        sa.Column("subject", sa.String(500), nullable=True, unique=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("disabled", sa.Float, nullable=True),
        sa.Column("seen", sa.Float, nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sign_ins",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("user", sa.Integer, sa.ForeignKey("users.pk", ondelete="CASCADE"), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
        sa.Column("agent", sa.String(200), nullable=False),
    )
    op.create_index("ix_sign_ins_user", "sign_ins", ["user"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("user", sa.Integer, sa.ForeignKey("users.pk", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("scope", sa.String(6), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=True),
        sa.Column("used", sa.Float, nullable=True),
        sa.Column("revoked", sa.Float, nullable=True),
    )
    op.create_index("ix_api_keys_user", "api_keys", ["user"])
    op.create_table(
        "tries",
        sa.Column("key", sa.String(80), primary_key=True),
        sa.Column("begun", sa.Float, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "acts",
        sa.Column("pk", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("who", sa.String(100), nullable=False),
        sa.Column("how", sa.String(10), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("about", sa.String(12), nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_acts_at", "acts", ["at"])
    op.create_index("acts_trace", "acts", ["about", "pk"])
    _append_only()
    with op.batch_alter_table("traces", table_kwargs=NUMBERS) as traces:
        traces.add_column(sa.Column("owner", sa.Integer, nullable=True))
        traces.create_foreign_key("fk_traces_owner", "users", ["owner"], ["pk"], ondelete="SET NULL")
        traces.create_index("ix_traces_owner", ["owner"])


def downgrade() -> None:
    with op.batch_alter_table("traces", table_kwargs=NUMBERS) as traces:
        traces.drop_index("ix_traces_owner")
        traces.drop_constraint("fk_traces_owner", type_="foreignkey")
        traces.drop_column("owner")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER acts_append_only ON acts")
        op.execute("DROP FUNCTION acts_append_only()")
    for table in ("acts", "tries", "api_keys", "sign_ins", "users"):
        op.drop_table(table)


def _append_only() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER acts_no_{act.lower()} BEFORE {act} ON acts "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION acts_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON acts "
        "FOR EACH STATEMENT EXECUTE FUNCTION acts_append_only()"
    )
