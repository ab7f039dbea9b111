"""How a recording was read, in words; what was said of the upload itself, which stays when it is read anew.

Revision: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# what was read before this revision
FORMS = {
    "sse": "server-sent events",
    "ndjson": "one JSON object a line",
    "array": "a JSON array or objects",
    "har": "a HAR file of connector calls",
}
KINDS = ("gzip", "gzip-trailing", "gzip-broken", "gzip-cut", "har-sifted")  # artefacts of the upload itself


def upgrade() -> None:
    op.add_column("traces", sa.Column("read_as", sa.String(100), nullable=False, server_default=""))
    op.add_column("traces", sa.Column("upload_notes", sa.JSON(none_as_null=True), nullable=True))
    traces = sa.table(
        "traces",
        sa.column("pk", sa.Integer),
        sa.column("format", sa.String),
        sa.column("read_as", sa.String),
        sa.column("artefacts", sa.JSON),
        sa.column("upload_notes", sa.JSON(none_as_null=True)),
    )
    for form, words in FORMS.items():
        op.execute(traces.update().where(traces.c.format == form).values(read_as=words))
    connection = op.get_bind()
    for pk, artefacts in connection.execute(sa.select(traces.c.pk, traces.c.artefacts)).all():
        notes = [each for each in artefacts or [] if each.get("kind") in KINDS]
        if notes:
            connection.execute(traces.update().where(traces.c.pk == pk).values(upload_notes=notes))


def downgrade() -> None:
    op.drop_column("traces", "upload_notes")
    op.drop_column("traces", "read_as")
