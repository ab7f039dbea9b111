"""The recordings `lanescope check` is given: paths, folders, standard input, run inputs beside them.

Rules of this file: files only; what is in them is read elsewhere. Every fault is a UserError with one sentence.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from webapp.errors import UserError
from webapp.readers.detect import Detection
from webapp.readers.packing.layers import plain_name
from webapp.readers.several import pieces_of, spooled
from webapp.readers.signs import BINARY, MARKUP

PIECE = 64 * 1024
NAMED_SO = frozenset({".sse", ".ndjson", ".jsonl", ".har", ".transcript", ".log"})
# kinds of `core.foreign` that nobody takes for a capture of a stream
BESIDE = frozenset(
    {
        "prose",
        "long-prose",
        "source-python",
        "source-typescript",
        "image",
        "pdf",
        "html",
        "other-json",
        "run-input",
    }
)
BARE_REASONS = frozenset({BINARY, MARKUP})  # what it is, where no such kind is known
MAX_INPUT_BYTES = 64 * 1024 * 1024  # a RunAgentInput with a long history


class Given(NamedTuple):
    """A file to check. folder: the one it was found in, "" for a file that was named."""

    path: str
    folder: str = ""


def expand(paths: list[str]) -> Iterator[Given]:
    """Files of folders in order; run inputs and hidden files are no recordings."""
    for given in paths:
        if not given:
            raise UserError("An empty path names no recording.")
        path = Path(given)
        if given == "-" or not path.is_dir():
            yield Given(given)
            continue
        found = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        chosen = [str(p) for p in found if not p.name.endswith(".input.json")]
        if not chosen:
            raise UserError(nothing_in(given))
        yield from (Given(path, given) for path in chosen)


def nothing_in(folder: str) -> str:
    return f"The folder {folder} holds no recording."


def is_no_recording(path: str, found: Detection) -> bool:
    """Whether a file of a folder is something that lies beside recordings: a note, a program, a picture.

    A file that is named as recordings are, or is empty, or has something of a stream, is a recording that went wrong.
    """
    if found.form is not None or Path(plain_name(path)).suffix.lower() in NAMED_SO:
        return False
    return found.foreign in BESIDE or (found.foreign is None and not BARE_REASONS.isdisjoint(found.reasons))


def again(source: str, stack: ExitStack) -> Callable[[], Iterator[bytes]]:
    """The recording, as often as it is asked for; standard input is put aside for that."""
    if source != "-":
        return lambda: chunks_of(source)
    file = stack.enter_context(spooled(chunks_of(source)))
    return lambda: pieces_of(file)


def chunks_of(source: str) -> Iterator[bytes]:
    try:
        if source == "-":
            while piece := sys.stdin.buffer.read(PIECE):
                yield piece
            return
        with Path(source).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except OSError as error:
        raise UserError(f"It cannot be read: {(error.strerror or 'unknown reason').lower()}.") from error


def beside(source: str) -> dict[str, Any] | None:
    """NAME.input.json beside NAME.*"""
    if source == "-":
        return None
    path = Path(source)
    stem = path.name.split(".")[0]
    for candidate in (plain_name(path.name).rsplit(".", 1)[0], stem):
        sibling = path.with_name(f"{candidate}.input.json")
        if sibling.is_file() and sibling != path:
            return load_input(sibling)
    return None


def load_input(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_INPUT_BYTES:
            raise UserError(f"The run input {path.name} is larger than {MAX_INPUT_BYTES // 2**20} MB.")
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"The run input {path.name} is not readable JSON.") from error
    if not isinstance(value, dict):
        raise UserError(f"The run input {path.name} is not a JSON object.")
    return value
