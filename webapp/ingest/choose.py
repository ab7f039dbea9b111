"""A file with several streams, put to a person: which there are, before anything is stored.

Rules of this file: asking only; words for the page and the JSON interface. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from webapp.errors import BadInput, TooLarge, UserError
from webapp.ingest.mask_titles import masked_title
from webapp.readers import limits, parts
from webapp.readers.registry import FORMS
from webapp.readers.several import Part, Refused
from webapp.settings import Settings

ALL = parts.ALL


@dataclass(frozen=True, slots=True)
class Choice:
    """One stream. size: in words; events: how many, about, None where that is not known; what: phrases about it."""

    id: str
    title: str
    what: str
    size: str
    events: int | None
    form: str | None
    protocol: str | None


class ManyStreams(UserError):
    """The file holds several streams; which of them is for the person to say."""

    def __init__(self, found: Sequence[Part], notes: Sequence[str]) -> None:
        self.choices = tuple(_choice(part) for part in found)
        self.notes = tuple(masked_title(note) for note in notes)
        super().__init__(f"The file holds {len(found):,} streams; say which of them to open.")

    def listed(self) -> list[dict[str, Any]]:
        """The choices as the JSON interface gives them."""
        return [asdict(choice) for choice in self.choices]


def ask(chunks: Iterable[bytes], settings: Settings, form: str | None = None) -> ManyStreams | None:
    """The question a file asks, None when it asks none. form: as which it is to be read, if that was chosen.

    Raises UserError for a file that is not opened.
    """
    try:
        found, notes = parts.streams(chunks, bounds(settings), form)
    except limits.TooLarge as error:
        raise TooLarge(str(error)) from error
    except Refused as error:
        raise BadInput(str(error)) from error
    return ManyStreams(found, notes) if len(found) > 1 else None


def bounds(settings: Settings) -> limits.Limits:
    """The readers' limits as the settings have them."""
    return limits.Limits(
        max_expanded_bytes=settings.max_expanded_bytes,
        max_records=settings.max_records,
        max_record_bytes=settings.max_record_bytes,
    )


def _choice(part: Part) -> Choice:
    form = FORMS[part.form].title if part.form in FORMS else ""
    title = masked_title(part.title)  # an address may hold a credential
    what = " · ".join(dict.fromkeys(words for words in (form, *part.reasons) if words))
    return Choice(
        part.id, title, what, limits.in_words(part.size), part.events_guess, part.form, part.protocol
    )
