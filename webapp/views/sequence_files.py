"""The sequence diagram as a file: SVG or Mermaid text of up to SAVED rows.

Rules of this file: what `panels.sequence` shows, without the page around it; of a Teams recording its ladder.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.draw.mermaid import mermaid
from webapp.draw.sequence_file import standalone
from webapp.draw.sequence_model import Diagram
from webapp.storage.models import Trace
from webapp.views.page import load
from webapp.views.panels.sequence import sentence, window
from webapp.views.selection import Selection
from webapp.views.teams import ladder_files

SAVED = 400  # rows; a picture of more is nothing to look at
MARKS = SAVED * 40


def picture(session: Session, trace: Trace, sel: Selection) -> str:
    """A stand-alone SVG file."""
    if trace.protocol == "teams":
        return ladder_files.picture(session, trace, sel)
    diagram = _diagram(session, trace, sel)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{standalone(diagram, sentence(diagram, trace))}\n'


def text(session: Session, trace: Trace, sel: Selection) -> str:
    """Mermaid text."""
    if trace.protocol == "teams":
        return ladder_files.text(session, trace, sel)
    diagram = _diagram(session, trace, sel)
    return mermaid(diagram, sentence(diagram, trace))


def _diagram(session: Session, trace: Trace, sel: Selection) -> Diagram:
    page = load(session, trace, sel.event if sel.event is not None else trace.headline_event or 0)
    return window(session, trace, sel, page, SAVED, SAVED, marks=MARKS)[0]
