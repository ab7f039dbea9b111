"""A stored recording read anew: everything derived is replaced, everything given stays, a poor reading is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, func, select, update

from tests.readers.frames import frame
from tests.readers.wrapping import CLEAN, FAULT, line, sse
from webapp.core.replay import ENGINE_VERSION
from webapp.errors import BadInput, NotFound
from webapp.ingest.reread import forms, offers, rejudge, rejudge_all, reread
from webapp.ingest.upload import ingest
from webapp.readers.registry import FORMS
from webapp.settings import Settings, load_settings
from webapp.storage import originals, shares, traces
from webapp.storage.base import Base, hanging_on_traces
from webapp.storage.db import Database
from webapp.storage.models import EventRow, Original, Share, Trace

LOG = "".join(f"2026-09-01 10:00:0{n},123 DEBUG emit {line(event)}\n" for n, event in enumerate(FAULT))
CHAT = f"Look at this:\n\n```\n{LOG}what is this?\n```\nand\n> data: {line(CLEAN[0])}\n".encode()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


def keep(database: Database, settings: Settings, body: bytes, **more: Any) -> str:
    return ingest(database, [body], name="a trace", settings=settings, **more).id


def trace_of(database: Database, id_: str) -> Trace:
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        return trace


def derived(database: Database, id_: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that hangs on a trace but the original and the shares, and the trace's own."""
    with database.session() as session:
        pk = session.scalar(select(Trace.pk).where(Trace.id == id_))
        out: dict[str, list[tuple[Any, ...]]] = {}
        whole: Table = Base.metadata.tables["traces"]
        columns = [c for c in whole.columns if c.name not in ("pk", "id", "created")]
        out["traces"] = [tuple(row) for row in session.execute(select(*columns).where(whole.c.pk == pk))]
        for table in hanging_on_traces():
            if table.name not in ("originals", "shares"):
                columns = [c for c in table.columns if c.name != "trace"]
                rows = session.execute(select(*columns).where(table.c.trace == pk))
                out[table.name] = sorted((tuple(row) for row in rows), key=repr)
        return out


def test_every_table_of_a_trace_is_derived_or_kept() -> None:
    """A new table must say whether a new reading replaces its rows."""
    kept = {"originals", "shares", "captures", "arrivals"}
    assert {table.__tablename__ for table in traces.DERIVED} | kept == {t.name for t in hanging_on_traces()}


@pytest.mark.parametrize("form", ["markdown", "log"])
def test_read_anew_it_is_as_if_it_had_been_uploaded_so(
    database: Database, settings: Settings, tmp_path: Path, form: str
) -> None:
    """Events, items, findings, segments, checkpoints, density and summary are those of that form."""
    body = CHAT
    there = keep(database, settings, body)
    assert trace_of(database, there).format == "markdown"
    for chosen in ("log", "markdown", form):
        reread(database, there, form=chosen, settings=settings)
    got = derived(database, there)
    with database.session() as session:
        session.execute(update(Trace).where(Trace.id == there).values(sha256="x"))
    other = keep(database, settings, body, form=form)
    wanted = derived(database, other)
    with database.session() as session:
        columns = [c.name for c in Trace.__table__.columns if c.name not in ("pk", "id", "created")]
    place = columns.index("sha256")
    assert [row[:place] + row[place + 1 :] for row in got.pop("traces")] == [
        row[:place] + row[place + 1 :] for row in wanted.pop("traces")
    ]
    assert got == wanted


def test_what_people_gave_stays(database: Database, settings: Settings) -> None:
    """Id, name, note, ticket, time, run input and share links are not touched."""
    run_input = {"threadId": "t-1", "runId": "r-1", "messages": []}
    id_ = keep(database, settings, CHAT, run_input=run_input, source="chat.md")
    with database.session() as session:
        trace = traces.get(session, id_)
        assert trace is not None
        traces.rename(session, trace.pk, "the refund")
        traces.set_note(session, trace.pk, "seen twice")
        traces.set_ticket(session, trace.pk, "CASE-7")
        shares.create(session, trace.pk, name="desk", now=1.0, days=7, event=3)
    before = trace_of(database, id_)
    reread(database, id_, form="log", protocol="ag-ui", settings=settings)
    after = trace_of(database, id_)
    assert (after.format, after.read_as, after.read_because) == (
        "log",
        "a log of AG-UI events",
        ["it was chosen so"],
    )
    for name in ("pk", "id", "name", "note", "ticket", "created", "source", "size", "sha256", "input"):
        assert getattr(after, name) == getattr(before, name), name
    with database.session() as session:
        assert session.scalar(select(func.count()).select_from(Share)) == 1


def test_the_same_bytes_find_it_whatever_it_was_read_as(database: Database, settings: Settings) -> None:
    """Uploading again stores nothing, with or without a form."""
    id_ = keep(database, settings, CHAT)
    reread(database, id_, form="log", settings=settings)
    for more in ({}, {"form": "markdown"}, {"form": "log"}):
        again = ingest(database, [CHAT], name="again", settings=settings, **more)
        assert (again.id, again.duplicate) == (id_, True)
    assert trace_of(database, id_).format == "log"


@pytest.mark.parametrize("form", ["har", "har-stream", "eventstream", "copilotkit", "protobuf", "array"])
def test_a_form_that_gives_no_event_is_refused(database: Database, settings: Settings, form: str) -> None:
    """One sentence, and the old reading stays to the last row."""
    id_ = keep(database, settings, CHAT)
    before = derived(database, id_)
    with pytest.raises(BadInput) as refused:
        reread(database, id_, form=form, settings=settings)
    assert "stays as it was read" in refused.value.sentence
    assert derived(database, id_) == before


def test_finding_out_again_and_unknown_names(database: Database, settings: Settings) -> None:
    """No form: as at upload. A form or trace that does not exist is told; prose stays prose."""
    id_ = keep(database, settings, CHAT, form="log")
    reread(database, id_, settings=settings)
    assert trace_of(database, id_).format == "markdown"
    assert trace_of(database, id_).read_because == ["its events stand in a Markdown fence"]
    with pytest.raises(BadInput, match=r"the forms are .*sse, ndjson, array"):
        reread(database, id_, form="yaml", settings=settings)
    with pytest.raises(NotFound):
        reread(database, "nothing", settings=settings)
    prose = keep(database, settings, b"Dear support, it is broken.\n")
    with pytest.raises(BadInput, match="This is plain text; so the trace stays"):
        reread(database, prose, settings=settings)


def test_it_can_be_judged_by_the_other_protocol(database: Database, settings: Settings) -> None:
    """A Teams trace as AG-UI and back; what holds no activity at all stays what it is."""
    activity = {
        "type": "typing",
        "text": "x",
        "entities": [{"type": "streaminfo", "streamType": "informative"}],
    }
    id_ = keep(database, settings, f"{line(activity)}\n".encode())
    reread(database, id_, form="ndjson", protocol="ag-ui", settings=settings)
    assert trace_of(database, id_).protocol == "ag-ui"
    reread(database, id_, form="ndjson", settings=settings)
    assert trace_of(database, id_).protocol == "teams"
    events = keep(database, settings, "".join(f"{line(event)}\n" for event in CLEAN).encode())
    with pytest.raises(BadInput, match="no event"):
        reread(database, events, form="ndjson", protocol="teams", settings=settings)
    assert (trace_of(database, events).protocol, trace_of(database, events).verdict) == (
        "ag-ui",
        "conformant",
    )


def test_what_was_said_of_the_packing_stays(database: Database, settings: Settings) -> None:
    """A new reading sees the expanded text only."""
    id_ = keep(database, settings, gzip.compress(CHAT))
    reread(database, id_, form="log", settings=settings)
    kinds = [each["kind"] for each in trace_of(database, id_).artefacts]
    assert kinds[0] == "gzip"
    reread(database, id_, settings=settings)
    again = [each["kind"] for each in trace_of(database, id_).artefacts]
    assert again.count("gzip") == 1


def test_lines_are_numbered_as_the_new_form_has_them(database: Database, settings: Settings) -> None:
    """CR ends a line of an SSE stream and of no other form; parts of the original know it both ways."""
    rows = [f"data: {line(CLEAN[1])}\r\r\n" for _ in range(3000)]
    id_ = keep(database, settings, "".join(rows).encode())
    assert trace_of(database, id_).format == "sse"

    def begins() -> list[int]:
        with database.session() as session:
            return list(session.scalars(select(Original.line).order_by(Original.part)))

    as_sse = begins()
    assert len(as_sse) > 2
    assert as_sse[-1] > 1
    pk = trace_of(database, id_).pk
    with database.session() as session:
        last = originals.lines(session, pk, 5999, 1)
    reread(database, id_, form="log", settings=settings)
    as_log = begins()
    assert as_log != as_sse
    assert all(there in (2 * here - 1, 2 * here) for here, there in zip(as_log, as_sse, strict=True))
    reread(database, id_, form="sse", settings=settings)
    assert begins() == as_sse
    with database.session() as session:
        assert originals.lines(session, pk, 5999, 1) == last


def test_binary_that_was_not_seen_at_upload_is_laid_out_when_it_is(
    database: Database, settings: Settings
) -> None:
    """Its lines are those of hexadecimal text, as if it had been recognised."""
    body = b"".join(frame(event) for event in CLEAN)
    told = keep(database, settings, body)
    assert trace_of(database, told).format == "protobuf"
    with database.session() as session:
        session.execute(update(Trace).values(sha256="x"))
    id_ = keep(database, settings, body, form="sse")
    assert trace_of(database, id_).verdict == "unchecked"
    reread(database, id_, form="protobuf", settings=settings)
    got, wanted = trace_of(database, id_), trace_of(database, told)
    assert (got.verdict, got.events, got.lines) == ("conformant", 5, wanted.lines)
    assert got.artefacts == wanted.artefacts
    with database.session() as session:
        assert b"".join(originals.text(session, got.pk)) == b"".join(originals.text(session, wanted.pk))


def test_one_trace_is_one_stream(database: Database, settings: Settings) -> None:
    """A form under which the file holds several asks for another upload."""
    from tests.readers.several import two_connections

    id_ = keep(database, settings, two_connections(), form="ndjson")
    with pytest.raises(BadInput, match="the file holds 2 streams"):
        reread(database, id_, form="agui-devtools", settings=settings)


def test_forms_that_fit_are_offered_first(database: Database, settings: Settings) -> None:
    """With score and reasons, best first; the others follow; the present one is marked."""
    id_ = keep(database, settings, CHAT)
    with database.session() as session:
        offered = offers(session, trace_of(database, id_))
    assert [offer.name for offer in offered[:2]] == ["markdown", "log"]
    assert [offer.current for offer in offered[:2]] == [True, False]
    assert offered[0].reasons == ("its events stand in a Markdown fence",)
    assert {offer.name for offer in offered} == set(FORMS)
    scores = [-1.0 if offer.score is None else offer.score for offer in offered]
    assert scores == sorted(scores, reverse=True)
    assert [offer.name for offer in forms()] == list(FORMS)


def test_traces_of_an_older_engine_are_judged_again(database: Database, settings: Settings) -> None:
    """All of them or one; the form and the words for it stay, even where a person chose them."""
    old = keep(database, settings, sse(FAULT).encode())
    chosen = keep(database, settings, CHAT, form="log")
    unread = keep(database, settings, b"prose\n")
    new = keep(database, settings, sse(CLEAN).encode())
    wanted = {id_: derived(database, id_) for id_ in (old, chosen, unread)}
    with database.session() as session:
        session.execute(
            update(Trace).where(Trace.id != new).values(engine="0", verdict="conformant", errors=7)
        )
        session.execute(delete(EventRow))
    told = list(rejudge_all(database, settings))
    assert [(each.id, each.before, each.after, each.fault) for each in told] == [
        (old, "conformant", "rejected", ""),
        (chosen, "conformant", "rejected", ""),
        (unread, "conformant", "unchecked", ""),
    ]
    assert {id_: derived(database, id_) for id_ in wanted} == wanted
    assert trace_of(database, old).engine == ENGINE_VERSION
    assert list(rejudge_all(database, settings)) == []
    assert len(list(rejudge_all(database, settings, every=True))) == 4
    rejudge(database, new, settings)
    assert json.loads(json.dumps(trace_of(database, new).types))["RUN_STARTED"] == 1
