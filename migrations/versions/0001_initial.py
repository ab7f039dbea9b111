"""The first schema: traces, their originals, and everything derived from them.

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "shares",
    "segments",
    "runs",
    "originals",
    "lanes",
    "items",
    "findings",
    "events",
    "density",
    "checkpoints",
    "traces",
)  # children first


def upgrade() -> None:
    op.create_table(
        "traces",
        sa.Column("pk", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("source", sa.String(length=300), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("ticket", sa.String(length=100), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=False),
        sa.Column("protocol", sa.String(length=10), nullable=False),
        sa.Column("protocol_version", sa.String(length=40), nullable=True),
        sa.Column("engine", sa.String(length=20), nullable=False),
        sa.Column("verdict", sa.String(length=14), nullable=False),
        sa.Column("rejected_at", sa.Integer(), nullable=True),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.Column("heads", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("not_understood", sa.Integer(), nullable=False),
        sa.Column("artefacts", sa.JSON(), nullable=False),
        sa.Column("skipped_rules", sa.JSON(), nullable=False),
        sa.Column("input", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("clock", sa.String(length=12), nullable=False),
        sa.Column("clock_source", sa.String(length=10), nullable=True),
        sa.Column("started", sa.Float(), nullable=True),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.Column("fatals", sa.Integer(), nullable=False),
        sa.Column("errors", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.Integer(), nullable=False),
        sa.Column("infos", sa.Integer(), nullable=False),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("types", sa.JSON(), nullable=False),
        sa.Column("lane_count", sa.Integer(), nullable=False),
        sa.Column("item_count", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("messages_seen", sa.Integer(), nullable=False),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("headline_event", sa.Integer(), nullable=True),
        sa.Column("headline_party", sa.String(length=12), nullable=True),
        sa.PrimaryKeyConstraint("pk"),
        sa.UniqueConstraint("id"),
    )
    op.create_index(op.f("ix_traces_created"), "traces", ["created"], unique=False)
    op.create_index(op.f("ix_traces_sha256"), "traces", ["sha256"], unique=False)
    op.create_index(op.f("ix_traces_verdict"), "traces", ["verdict"], unique=False)
    op.create_table(
        "checkpoints",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("open", sa.JSON(), nullable=False),
        sa.Column("messages", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "seq"),
    )
    op.create_index(
        "checkpoints_state",
        "checkpoints",
        ["trace", "seq"],
        unique=False,
        sqlite_where=sa.text("state IS NOT NULL"),
        postgresql_where=sa.text("state IS NOT NULL"),
    )
    op.create_table(
        "density",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "lane", "bucket", "kind"),
    )
    op.create_table(
        "events",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=True),
        sa.Column("ts", sa.BigInteger(), nullable=True),
        sa.Column("prefix_at", sa.Float(), nullable=True),
        sa.Column("type", sa.String(length=60), nullable=True),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=True),
        sa.Column("change", sa.String(length=8), nullable=True),
        sa.Column("reached", sa.Integer(), nullable=False),
        sa.Column("severity", sa.Integer(), nullable=True),
        sa.Column("synth", sa.Text(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "seq"),
    )
    op.create_index(
        "events_activity",
        "events",
        ["trace", "item", "seq"],
        unique=False,
        sqlite_where=sa.text("type IN ('ACTIVITY_DELTA', 'ACTIVITY_SNAPSHOT')"),
        postgresql_where=sa.text("type IN ('ACTIVITY_DELTA', 'ACTIVITY_SNAPSHOT')"),
    )
    op.create_index(
        "events_heads",
        "events",
        ["trace", "seq"],
        unique=False,
        sqlite_where=sa.text("head = 1"),
        postgresql_where=sa.text("head = 1"),
    )
    op.create_index(
        "events_hits",
        "events",
        ["trace", "seq", "severity"],
        unique=False,
        sqlite_where=sa.text("severity IS NOT NULL"),
        postgresql_where=sa.text("severity IS NOT NULL"),
    )
    op.create_index(
        "events_state",
        "events",
        ["trace", "type", "seq", "lane"],
        unique=False,
        sqlite_where=sa.text("type IN ('STATE_DELTA', 'STATE_SNAPSHOT')"),
        postgresql_where=sa.text("type IN ('STATE_DELTA', 'STATE_SNAPSHOT')"),
    )
    op.create_table(
        "findings",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=40), nullable=False),
        sa.Column("rule", sa.String(length=20), nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("severity", sa.Integer(), nullable=False),
        sa.Column("event", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=30), nullable=True),
        sa.Column("run", sa.Integer(), nullable=True),
        sa.Column("lane", sa.Text(), nullable=True),
        sa.Column("item_kind", sa.String(length=12), nullable=True),
        sa.Column("item_id", sa.Text(), nullable=True),
        sa.Column("label", sa.String(length=30), nullable=True),
        sa.Column("party", sa.String(length=12), nullable=False),
        sa.Column("related", sa.JSON(), nullable=False),
        sa.Column("cause", sa.String(length=40), nullable=True),
        sa.Column("after_rejection", sa.Boolean(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "ord"),
    )
    op.create_index("findings_event", "findings", ["trace", "event"], unique=False)
    op.create_index("findings_rule", "findings", ["rule"], unique=False)
    op.create_table(
        "items",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("via", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("opened", sa.Integer(), nullable=True),
        sa.Column("closed", sa.Integer(), nullable=True),
        sa.Column("closed_by", sa.Integer(), nullable=True),
        sa.Column("gone", sa.Integer(), nullable=True),
        sa.Column("result", sa.Integer(), nullable=True),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("chars_seen", sa.Integer(), nullable=False),
        sa.Column("t0", sa.Float(), nullable=True),
        sa.Column("t1", sa.Float(), nullable=True),
        sa.Column("severity", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "ord"),
    )
    op.create_index(
        "items_activity",
        "items",
        ["trace", "ord"],
        unique=False,
        sqlite_where=sa.text("kind = 'activity'"),
        postgresql_where=sa.text("kind = 'activity'"),
    )
    op.create_index("items_first", "items", ["trace", "first"], unique=False)
    op.create_index(
        "items_id",
        "items",
        ["trace", "id"],
        unique=False,
        postgresql_where=sa.text("length(id) < 600"),
    )
    op.create_index(
        "items_wide",
        "items",
        ["trace", "first"],
        unique=False,
        sqlite_where=sa.text("closed IS NULL AND kind <> 'activity' OR last - first >= 1024"),
        postgresql_where=sa.text("closed IS NULL AND kind <> 'activity' OR last - first >= 1024"),
    )
    op.create_table(
        "lanes",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("started", sa.Integer(), nullable=True),
        sa.Column("ended", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "ord"),
    )
    op.create_table(
        "originals",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "part"),
    )
    op.create_table(
        "runs",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("outcome", sa.String(length=12), nullable=False),
        sa.Column("claimed", sa.String(length=12), nullable=True),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "ord"),
    )
    op.create_table(
        "segments",
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("burst", sa.Integer(), nullable=False),
        sa.Column("burst_last", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("reached", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace", "first"),
    )
    op.create_index("segments_item", "segments", ["trace", "item", "first"], unique=False)
    op.create_table(
        "shares",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("trace", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("revoked", sa.Float(), nullable=True),
        sa.Column("views", sa.Integer(), nullable=False),
        sa.Column("last_viewed", sa.Float(), nullable=True),
        sa.Column("panel", sa.String(length=14), nullable=False),
        sa.Column("event", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["trace"], ["traces.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index(op.f("ix_shares_trace"), "shares", ["trace"], unique=False)


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
