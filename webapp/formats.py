"""`lanescope formats`: the forms of input that can be read.

Rules of this file: the registry told on a terminal or as JSON; no web code is imported.
"""

from __future__ import annotations

import json
import textwrap
from typing import Annotated, Literal

import typer

from webapp.readers.registry import FORMS

WIDTH = 100  # characters of a line


def formats(
    format_: Annotated[
        Literal["text", "json"], typer.Option("--format", help="json: one array of objects.")
    ] = "text",
) -> None:
    """List the forms of input: the name for `lanescope check --as`, its title, and what it is."""
    forms = list(FORMS.values())
    if format_ == "json":
        told = [{"name": form.name, "title": form.title, "about": form.about} for form in forms]
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return
    room = max(len(form.name) for form in forms) + 2
    for form in forms:
        print(f"{form.name:<{room}}{form.title}")
        print(textwrap.fill(form.about, WIDTH, initial_indent=" " * room, subsequent_indent=" " * room))
