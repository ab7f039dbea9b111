"""The ladder as a file: SVG or Mermaid text of up to SAVED rungs.

Rules of this file: what `panels.ladder` shows, without the page around it.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.draw.ladder_file import mermaid, standalone
from webapp.draw.ladder_model import Ladder
from webapp.storage.models import Trace
from webapp.views.page import load, opens_at
from webapp.views.selection import Selection
from webapp.views.teams.ladder_facts import load as window
from webapp.views.teams.ladder_rungs import compose
from webapp.views.teams.ladder_words import summary

SAVED = 200  # rungs; a picture of more is nothing to look at


def picture(session: Session, trace: Trace, sel: Selection) -> str:
    """A stand-alone SVG file."""
    ladder = _ladder(session, trace, sel)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{standalone(ladder, summary(ladder, trace))}\n'


def text(session: Session, trace: Trace, sel: Selection) -> str:
    """Mermaid text."""
    ladder = _ladder(session, trace, sel)
    return mermaid(ladder, summary(ladder, trace))


def _ladder(session: Session, trace: Trace, sel: Selection) -> Ladder:
    page = load(session, trace, sel.event if sel.event is not None else opens_at(session, trace))
    return compose(session, trace, page, window(session, trace, sel, page, SAVED))
