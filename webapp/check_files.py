"""The recordings `lanescope check` is given: paths, folders, standard input, run inputs beside them.

Rules of this file: files only; what is in them is read elsewhere. Every fault is a UserError with one sentence.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from webapp.errors import UserError
from webapp.readers.packing.layers import plain_name
from webapp.readers.several import pieces_of, spooled

PIECE = 64 * 1024
MAX_INPUT_BYTES = 64 * 1024 * 1024  # a RunAgentInput with a long history


def expand(paths: list[str]) -> Iterator[str]:
    """Files of folders in order; run inputs and hidden files are no recordings."""
    for given in paths:
        if not given:
            raise UserError("An empty path names no recording.")
        path = Path(given)
        if given == "-" or not path.is_dir():
            yield given
            continue
        found = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        chosen = [str(p) for p in found if not p.name.endswith(".input.json")]
        if not chosen:
            raise UserError(f"The folder {given} holds no recording.")
        yield from chosen


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
