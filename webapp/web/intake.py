"""What a form sends: recordings, their run inputs, and which streams of a file were ticked.

Rules of this file: from form fields to `ingest`, and to a question when a file holds several streams; nothing is stored
before every question has its answer, and nothing of a file is kept while one is open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

from starlette.datastructures import FormData, UploadFile

from webapp.core.masking.masker import masked_text
from webapp.errors import BadInput
from webapp.ingest import choose
from webapp.ingest.choose import Choice
from webapp.ingest.reread import check_form, reread
from webapp.ingest.upload import Ingested, ingest
from webapp.settings import Settings
from webapp.storage.audit import By
from webapp.storage.db import Database

CHUNK = 256 * 1024  # bytes handed to ingest at once
MAX_PASTE = 32 * 1024 * 1024  # bytes of a form's text field, which is held in memory
PACKED = (".gz", ".zst", ".zip")
INPUT_SUFFIX = ".input.json"
PASTE_NAME = "pasted text"


@dataclass(frozen=True, slots=True)
class Recording:
    """One file of the form, or its text. source: None for a file, whose name it is."""

    name: str
    file: IO[bytes]
    source: str | None = None
    run_input: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A file that holds several streams. ticked: ids of those that are ticked when the page opens."""

    name: str
    choices: Sequence[Choice]
    notes: Sequence[str]
    ticked: frozenset[str]

    @property
    def sentence(self) -> str:
        return f"{self.name} holds {len(self.choices):,} streams. Which of them do you want to open?"


@dataclass(frozen=True, slots=True)
class Questions:
    """Nothing was stored: the same form has to come again with the streams ticked. text, name: as they were pasted."""

    files: Sequence[Question]
    text: str = ""
    name: str = ""
    again: bool = False  # it came back without a tick
    form: str = ""  # as which they are to be read, where that was chosen


def recordings_of(form: FormData) -> list[Recording]:
    """The recordings of a form; a run input goes with the recording it is named after. Raises BadInput."""
    files = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
    inputs = {_file_name(part): part for part in files if _file_name(part).endswith(INPUT_SUFFIX)}
    recordings = [part for part in files if _file_name(part) not in inputs]
    owners = _owners(inputs, [_file_name(part) for part in recordings])
    text = form.get("text")
    if isinstance(text, str) and text.strip():
        title = str(form.get("name") or "").strip()[:200] or PASTE_NAME
        # a form sends every line end as CRLF, whatever was pasted: the stream is not to be blamed for it
        pasted = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
        return [Recording(title, BytesIO(pasted), "paste")]
    if not recordings:
        raise BadInput("Nothing was sent: choose a file, or paste a recording.")
    run_inputs = {name: _run_input(owner, inputs[owner].file) for name, owner in owners.items()}
    return [
        Recording(_file_name(part), part.file, None, run_inputs.get(_file_name(part))) for part in recordings
    ]


def receive(
    form: FormData, database: Database, settings: Settings, by: By | None = None
) -> list[Ingested] | Questions:
    """Store what a form sends, or ask which streams are meant. by: who sends it."""
    recordings = recordings_of(form)
    chosen = chosen_form(form.get("as"))
    ticked = [str(value).partition("@") for value in form.getlist("part")]
    again = form.get("asked") is not None and not ticked
    wanted: list[list[str | None]] = []
    open_: list[Question] = []
    for recording in recordings:
        mine = [id_ for id_, _, name in ticked if name == recording.name]
        asked = None if mine else choose.ask(pieces_of(recording.file), settings, chosen)
        if mine:
            wanted.append([*mine])
        elif asked is None:
            wanted.append([None])
        elif ticked:
            wanted.append([])  # its streams were all left out
        else:
            # one who sent the question back without a tick is not made to take all the ticks off again
            every = frozenset() if again else frozenset(choice.id for choice in asked.choices)
            open_.append(Question(recording.name, asked.choices, asked.notes, every))
    if open_:
        text, name = form.get("text"), form.get("name")
        if isinstance(text, str) and settings.mask_secrets:
            text = masked_text(text)[0]  # it goes out again in the page that asks
        return Questions(
            open_,
            text if isinstance(text, str) else "",
            name if isinstance(name, str) else "",
            again=again,
            form=chosen or "",
        )
    if not any(wanted):
        raise BadInput("None of the ticked streams is in the file that was sent, so nothing was stored.")
    done = [
        store(recording, database, settings, id_, form=chosen, by=by)
        for recording, ids in zip(recordings, wanted, strict=True)
        for id_ in ids
    ]
    if chosen is not None:  # a recording that is here already is then read so as well
        for each in done:
            if each.duplicate:
                reread(database, each.id, form=chosen, settings=settings, by=by)
    return done


def store(
    recording: Recording,
    database: Database,
    settings: Settings,
    part: str | None = None,
    *,
    form: str | None = None,
    protocol: str | None = None,
    by: By | None = None,
) -> Ingested:
    """One recording, or one stream of it."""
    return ingest(
        database, pieces_of(recording.file), name=recording.name, source=recording.source or recording.name,
        settings=settings, run_input=recording.run_input, form=form, protocol=protocol, part=part, by=by,
    )  # fmt: skip


def store_parts(
    recording: Recording,
    database: Database,
    settings: Settings,
    wanted: Sequence[str],
    *,
    form: str | None = None,
    protocol: str | None = None,
    by: By | None = None,
) -> list[Ingested]:
    """The streams that are named, `all` for every one; without a name the only one. Raises ManyStreams."""
    if choose.ALL in wanted:
        asked = choose.ask(pieces_of(recording.file), settings, form)
        wanted = [] if asked is None else [choice.id for choice in asked.choices]
    ids: Sequence[str | None] = list(dict.fromkeys(wanted)) or [None]
    return [store(recording, database, settings, id_, form=form, protocol=protocol, by=by) for id_ in ids]


def chosen_form(value: object) -> str | None:
    """The form named in a field or query, None for none. Raises BadInput for one that does not exist."""
    name = value.strip() if isinstance(value, str) else ""
    return check_form(name) if name else None


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    """A file from its beginning."""
    file.seek(0)
    while piece := file.read(CHUNK):
        yield piece


def _stems(name: str) -> tuple[str, ...]:
    """What a recording may be called beside its run input: `run.sse.gz` is `run`, `run.sse` or itself."""
    plain = next((name.removesuffix(end) for end in PACKED if name.endswith(end)), name)
    return name, plain, name.rpartition(".")[0], plain.rpartition(".")[0]


def _owners(inputs: dict[str, UploadFile], recordings: Sequence[str]) -> dict[str, str]:
    """Name of a recording -> name of its run input; a run input without its recording is refused."""
    owners: dict[str, str] = {}
    for owner in inputs:
        stem = owner.removesuffix(INPUT_SUFFIX)
        matching = [name for name in recordings if stem in _stems(name)]
        if not matching:
            raise BadInput(f"{owner} is the run input of a recording called {stem}; send the two together.")
        owners.update(dict.fromkeys(matching, owner))
    return owners


def _file_name(part: UploadFile) -> str:
    """The file's own name: some clients send a whole path."""
    return (part.filename or "").replace("\\", "/").rpartition("/")[2][-200:] or "upload"


def _run_input(name: str, file: IO[bytes]) -> dict[str, Any]:
    try:
        value = json.loads(file.read(MAX_PASTE))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a JSON object, so nothing was stored; a run input is one.")
    return value
