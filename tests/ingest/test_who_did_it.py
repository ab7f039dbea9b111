"""Whose a trace is and what the audit says of it, whichever way it came in, changed or went."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.streams import finished, sse, started
from webapp.cli import app
from webapp.errors import UserError
from webapp.ingest import reread, retention
from webapp.ingest.live.recorder import Recorder
from webapp.ingest.samples import load_samples
from webapp.ingest.signals import signals_for
from webapp.ingest.upload import ingest
from webapp.settings import Settings, load_settings
from webapp.storage import audit, traces, users
from webapp.storage.audit import By
from webapp.storage.db import Database
from webapp.storage.models import Trace

RUN = sse(started(), finished())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, database_url="")


@pytest.fixture
def ada(database: Database) -> By:
    with database.session() as session:
        return By(users.add(session, name="Ada", role="admin", now=1.0).pk, "Ada", "session")


def lines(database: Database) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Oldest first: who, how, what, about which trace, details."""
    with database.session() as session:
        return [(act.who, act.how, act.what, act.about, act.detail) for act in audit.all_lines(session)]


def owner(database: Database, public: str) -> int | None:
    with database.session() as session:
        trace = traces.get(session, public)
        assert trace is not None
        return trace.owner


def test_an_upload_belongs_to_who_sent_it(database: Database, settings: Settings, ada: By) -> None:
    """Sending the same again, or what cannot be read, is no line."""
    done = ingest(database, [RUN], name="x", settings=settings, by=ada)
    assert ingest(database, [RUN], name="x", settings=settings, by=ada).duplicate
    with pytest.raises(UserError):
        ingest(database, [b""], name="x", settings=settings, by=ada)
    assert owner(database, done.id) == ada.user
    told = {"size": len(RUN), "records": 2}
    assert lines(database) == [("Ada", "session", "uploaded", done.id, told)]


def test_what_nobody_did_is_no_line(database: Database, settings: Settings, ada: By) -> None:
    """The samples of the first start belong to nobody; those that somebody asked for again are theirs."""
    assert load_samples(database, settings) > 1
    assert lines(database) == []
    with database.session() as session:
        gone = session.query(Trace).order_by(Trace.pk).first()
        assert gone is not None
        assert gone.owner is None
        traces.delete(session, gone.pk)
    assert load_samples(database, settings, ada) == 1
    ((who, _, what, about, _),) = lines(database)
    assert (who, what, owner(database, about)) == ("Ada", "uploaded", ada.user)


def test_a_recording_is_written_down_when_it_begins(database: Database, settings: Settings, ada: By) -> None:
    """With the way it came, before anything of it is judged."""
    recorder = Recorder(database, settings, signals_for(settings.database_url))
    live = asyncio.run(recorder.begin(name="x", source="live push", kind="push", by=ada))
    assert owner(database, live.id) == ada.user
    assert lines(database) == [("Ada", "session", "recorded", live.id, {"kind": "push"})]


def test_reading_anew_is_written_down_when_it_was_done(
    database: Database, settings: Settings, ada: By
) -> None:
    """As which form; what could not be read so leaves no line, and whose it is stays."""
    done = ingest(database, [RUN], name="x", settings=settings, by=By(None, "this machine", "open"))
    with pytest.raises(UserError):
        reread.reread(database, done.id, form="har", settings=settings, by=ada)
    reread.reread(database, done.id, form="sse", settings=settings, by=ada)
    reread.rejudge(database, done.id, settings, ada)
    told = [(who, what, about, detail["form"]) for who, _, what, about, detail in lines(database)[1:]]
    assert told == [("Ada", "read anew", done.id, "sse")] * 2
    assert owner(database, done.id) is None


def test_what_goes_by_itself_is_written_down(database: Database, settings: Settings) -> None:
    """Which trace and why; on the command line by whoever uses that."""
    first = ingest(database, [RUN], name="x", settings=settings).id
    limits = settings.model_copy(update={"retain_bytes": 1})
    assert len(retention.prune(database, limits).expired) == 1
    assert lines(database) == [("retention", "command", "deleted", first, {"why": "size"})]


@pytest.mark.databases("sqlite")
def test_the_command_line_is_written_down(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judging again, and deleting old traces; looking what would go is no act."""
    public = ingest(database, [RUN], name="x", settings=settings).id
    monkeypatch.setenv("LANESCOPE_DATABASE_URL", "")
    folder = ["--data-dir", str(settings.data_dir)]
    run = CliRunner().invoke
    assert run(app, ["rejudge", "--all", *folder]).exit_code == 0
    assert run(app, ["prune", "--bytes", "1", "--dry-run", *folder]).exit_code == 0
    assert run(app, ["prune", "--bytes", "1", *folder]).exit_code == 0
    told = [(who, how, what, about) for who, how, what, about, _ in lines(database)]
    assert told == [
        ("command line", "command", "read anew", public),
        ("command line", "command", "deleted", public),
    ]
