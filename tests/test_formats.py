"""`lanescope formats`, `check --as` and `rejudge` as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import update

from tests.commands import lanescope as run
from tests.readers.several import two_connections
from tests.readers.wrapping import FAULT, line, sse
from webapp.ingest.upload import ingest
from webapp.readers.registry import FORMS
from webapp.settings import load_settings
from webapp.storage.db import Database
from webapp.storage.models import Trace

LOG = "".join(f"2026-09-01 10:00:0{n},123 DEBUG emit {line(event)}\n" for n, event in enumerate(FAULT))
CHAT = f"Look:\n\n```\n{LOG}what is this?\n```\n".encode()


def test_every_form_is_listed(tmp_path: Path) -> None:
    """Name, title and a sentence, for people and for programs."""
    code, out, _ = run("formats", cwd=tmp_path)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if line[:1].strip()] == list(FORMS)
    listed = json.loads(run("formats", "--format", "json", cwd=tmp_path)[1])
    assert listed == [
        {"name": form.name, "title": form.title, "about": form.about} for form in FORMS.values()
    ]


def test_a_recording_is_read_as_it_is_told(tmp_path: Path) -> None:
    """The report bears the form and its words; left out, both are found."""
    for args, form, words in (
        ((), "markdown", "a stream in Markdown"),
        (("--as", "log"), "log", "a log of AG-UI events"),
    ):
        report = json.loads(run("check", "-", "--format", "json", *args, cwd=tmp_path, given=CHAT)[1])
        assert (report["format"], report["read_as"], report["events"]) == (form, words, 5)
        assert f"read as {words}" in run("check", "-", *args, cwd=tmp_path, given=CHAT)[1]
    report = json.loads(run("check", "-", "--format", "json", cwd=tmp_path, given=b"prose")[1])
    assert (report["format"], report["read_as"]) == (None, None)


def test_the_form_says_how_a_file_is_taken_apart(tmp_path: Path) -> None:
    """Two connections of an export; as plain JSON lines they are one stream."""
    body = two_connections()
    assert run("check", "-", cwd=tmp_path, given=body)[1].count("read as") == 2
    assert run("check", "-", "--as", "ndjson", cwd=tmp_path, given=body)[1].count("read as") == 1


def test_a_form_that_does_not_fit_is_no_pass(tmp_path: Path) -> None:
    """Nothing could be checked."""
    code, out, _ = run("check", "-", "--as", "har", cwd=tmp_path, given=CHAT)
    assert (code, out.split()[0]) == (2, "UNCHECKED")


def test_an_unknown_form_is_a_sentence_with_all_names(tmp_path: Path) -> None:
    """And exit code 2."""
    code, _, err = run("check", "-", "--as", "yaml", cwd=tmp_path, given=CHAT)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert all(name in err for name in FORMS)


def test_traces_of_an_older_engine_are_judged_again(tmp_path: Path, database: Database) -> None:
    """Each is named with its verdict, and what it was; nothing is left to do then."""
    settings = load_settings(data_dir=tmp_path)
    ingest(database, [sse(FAULT).encode()], name="a\x1b[31m.sse", settings=settings)
    with database.session() as session:
        session.execute(update(Trace).values(engine="0", verdict="conformant"))
    code, out, err = run("rejudge", "--data-dir", str(tmp_path), cwd=tmp_path)
    assert (code, err) == (0, "")
    assert ": rejected (was conformant)\n1 trace judged again.\n" in out
    assert "\x1b" not in out
    assert run("rejudge", "--data-dir", str(tmp_path), cwd=tmp_path)[1] == "0 traces judged again.\n"
    assert "1 trace judged" in run("rejudge", "--all", "--data-dir", str(tmp_path), cwd=tmp_path)[1]
