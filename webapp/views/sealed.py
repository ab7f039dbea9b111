"""What a page says of a redacted trace, and the redacted files that a trace can be downloaded as.

Rules of this file: pure; words from what is stored with a trace. What is taken out is decided in `webapp/redact`, what
the reader of a link is told above the page in `views/share_levels.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from webapp.redact import LEVELS, marker
from webapp.storage.models import Trace
from webapp.views import names

STRUCTURE = "structure"
OUT = {
    STRUCTURE: "Texts were taken out: structure only.",
    "personal": "Personal data and secrets were taken out.",
}
FILES = {
    STRUCTURE: ("Redacted, structure only", "no texts, the verdict as it is"),
    "personal": ("Redacted, personal data out", "texts stay; names in them cannot be found"),
}
NO_STATE = "What the state held was taken out of this trace; when it changed, and how much, is still there."


@dataclass(frozen=True, slots=True)
class File:
    """A redacted file to download. about: a few words under the title."""

    level: str
    title: str
    about: str


def without_texts(trace: Trace) -> bool:
    """Whether markers stand where the texts of this trace were."""
    return trace.redaction == STRUCTURE


def text(trace: Trace, chars: int) -> str:
    """What stands for a text of this many characters in a trace without texts; "" for one that keeps them."""
    return marker(chars) if without_texts(trace) else ""


def line(trace: Trace) -> str:
    """The sentence beside the verdict; "" when nothing was taken out."""
    if not trace.redaction:
        return ""
    sealed = trace.sealed or {}
    engine = f"engine {sealed.get('engine') or trace.engine}"
    says = ", as the file says" if sealed.get("by") == "file" else ""
    return f"{OUT[trace.redaction]} The verdict is the one sealed before that, by {engine}{says}."


def removed(trace: Trace) -> str:
    """`Taken out: 41 texts, 3 arguments.`; "" when nothing is known."""
    counted = (trace.sealed or {}).get("removed") or {}
    most_first = sorted(counted.items(), key=lambda pair: -pair[1])
    known = [f"{names.count(number)} {_one(what) if number == 1 else what}" for what, number in most_first]
    more = f" and {names.count(len(known) - 8)} more kinds" if len(known) > 8 else ""
    return f"Taken out: {', '.join(known[:8])}{more}." if known else ""


def _one(what: str) -> str:
    """`text` of `texts`, `address` of `addresses`."""
    return what.removesuffix("es") if what.endswith("sses") else what.removesuffix("s")


def files(trace: Trace) -> tuple[File, ...]:
    """What can be downloaded; nothing of a trace that is still recorded or of which nothing was understood."""
    if trace.status == "live" or not trace.records or not trace.protocol:
        return ()
    levels = LEVELS if not without_texts(trace) else (STRUCTURE,)
    return tuple(File(level, *FILES[level]) for level in levels)
