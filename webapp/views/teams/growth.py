"""How one text goes on from what is on screen, in one line: what stands, what is new, where they part.

Rules of this file: pure; text in, short escaped pieces out. Places are counted in UTF-16 code units, as Teams does.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.teams import compare
from webapp.redact import marked, marker
from webapp.views.content import showable
from webapp.views.names import clip, count, plural

KEPT = 16  # characters of what stands already, its end
NEW = 160  # characters of what came new
LOST = 40  # characters of what is on screen and was not repeated


@dataclass(frozen=True, slots=True)
class Growth:
    """say: plain words before; kept: the end of what stands; lost: what stands and was not sent; new: what is new.

    words: what to say behind; breaks: the text does not extend what is on screen
    """

    say: str = ""
    kept: str = ""
    lost: str = ""
    new: str = ""
    words: str = ""
    breaks: bool = False

    @property
    def ascii(self) -> bool:
        return (self.kept + self.lost + self.new).isascii()


def whole(text: str | None, say: str = "") -> Growth:
    """A text that stands for itself."""
    if text is None or text == "":
        return Growth("no text")
    return Growth(say, new=showable(clip(text, NEW)))


def growth(old: str | None, new: str | None, edits: bool = False) -> Growth:
    """old: what is on screen, None when nothing is; new: what was sent; edits: it may replace the text."""
    if new is None or new == "" or not old:
        return whole(new)
    if (count_new := marked(new)) is not None:
        return _redacted(marked(old), count_new)
    if new == old:
        return Growth("the same text again:", kept=_end(old))
    same = compare.shared(old, new)
    if compare.extends(old, new):
        return Growth(kept=_end(old[:same]), new=showable(clip(new[same:], NEW)))
    if edits:
        return whole(new, "now reads:")
    at = count(compare.shared_units(old, new) + 1)  # as the finding and the prefix diff count
    return Growth(
        kept=_end(old[:same]),
        lost=showable(clip(old[same:], LOST)),
        new=showable(clip(new[same:], NEW // 2)),
        words=f"differs at character {at}",
        breaks=True,
    )


def _redacted(old: int | None, new: int) -> Growth:
    """Texts that were taken out are not compared: how long they were is all there is."""
    words = "taken out, so not compared"
    if old is not None and old != new:
        more = plural(abs(new - old), "character")
        words += f"; {more} {'more' if new > old else 'fewer'} than on screen"
    return Growth(new=marker(new), words=words)


def _end(text: str) -> str:
    return showable(text if len(text) <= KEPT else f"…{text[-KEPT:]}")
