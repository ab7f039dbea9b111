"""Alembic's entry: migrations run on the connection that `webapp.storage.migrate` hands over.

Safety rules: one revision a change of `webapp/storage/models.py`; additive where possible;
nothing PostgreSQL could not do; a revision that was released is never edited.
"""

from alembic import context

from webapp.storage.models import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
