"""What the reader of a link sees, in words: the three levels, as cards of the form and as the head of a shared page.

Rules of this file: words and pure functions. What is taken out is decided in `webapp/redact`; the examples below are
what it makes of the line in front of it, which a test holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.storage.models import Share, Trace
from webapp.storage.shares import EVERYTHING, LEVELS, PERSONAL, STRUCTURE
from webapp.views import dates
from webapp.views.live import LIVE
from webapp.views.vocabulary import of

TITLES = {
    STRUCTURE: "Structure only",
    PERSONAL: "Personal data and secrets taken out",
    EVERYTHING: "Everything",
}
SAID = "Write to mia@example.com"  # what the agent says in the examples
EXAMPLES = {
    STRUCTURE: "«redacted: 24 chars»",
    PERSONAL: "Write to •••••••••••••••",
    EVERYTHING: SAID,
}
_BEFORE = {
    STRUCTURE: "Its texts were taken out",
    PERSONAL: "Recognised personal data and secrets were taken out",
}
_TAKEN = {
    STRUCTURE: "texts, arguments, results and state are taken out",
    PERSONAL: "recognised personal data and secrets are overwritten",
    EVERYTHING: "everything is shown",
}


@dataclass(frozen=True, slots=True)
class Card:
    """One level to choose. possible: it can be chosen for this trace now; sure: it wants a second tick."""

    value: str
    title: str
    about: str
    example: str
    chosen: bool
    possible: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class SharedHead:
    """What stands above a shared page.

    until: `6 Dec 2026, 14:05 CET`; until_iso: the same for programs; taken: what is taken out; sealed: whose the
    verdict is, "" when nothing is taken out; meaning: what that means; live: it was being recorded when the page was
    made
    """

    until: str
    until_iso: str
    taken: str
    sealed: str
    meaning: str
    live: bool


def only_whole(trace: Trace) -> str:
    """Why nothing can be taken out of this trace, which is shown whole or not at all; "" when it can."""
    if trace.status == LIVE:
        return "This trace is still being recorded, and nothing can be taken out of it until that has ended."
    if not trace.protocol or not trace.records:
        return "Nothing of this recording was understood, so nothing can be told apart and taken out of it."
    return ""


def cards(trace: Trace, chosen: str) -> Sequence[Card]:
    """The levels, the most careful first. Where only all can be shown, nothing is chosen: that wants a decision."""
    whole = bool(only_whole(trace))
    return [
        Card(
            value=level,
            title=TITLES[level],
            about=_about(level, trace),
            example=EXAMPLES[trace.redaction if _at_most(level, trace) else level],
            chosen=level == chosen and (level == EVERYTHING or not whole),
            possible=level == EVERYTHING or not whole,
            sure=level == EVERYTHING and wants_sure(trace),
        )
        for level in LEVELS
    ]


def wants_sure(trace: Trace) -> bool:
    """Whether "everything" shows texts of somebody: not where they were taken out before the trace came here."""
    return trace.redaction != STRUCTURE


def judged(trace: Trace) -> str:
    """Whose verdict the reader of a link sees."""
    if not trace.redaction:
        return (
            "The verdict is the one told now, from all of the recording: taking texts out neither hides nor adds a "
            "finding."
        )
    return (
        f"This trace came here as a redacted file. The verdict is the one in that file, by {_engine(trace)}; nobody "
        "can make it again without what was taken out."
    )


def _at_most(level: str, trace: Trace) -> bool:
    """Whether the trace itself shows no more than this level."""
    return bool(trace.redaction) and LEVELS.index(level) >= LEVELS.index(trace.redaction)


def _about(level: str, trace: Trace) -> str:
    words = of(trace.protocol)
    if _at_most(level, trace):
        file = ", and the redacted file as it was uploaded" if level == EVERYTHING else ""
        return f"The trace as it is here{file}. {_BEFORE[trace.redaction]} before it came here."
    if level == STRUCTURE:
        return (
            f"Every {words.event} with its type, ids, order, size and time, and every finding. What was said is not: "
            "texts, arguments, results and state are replaced by their length."
        )
    if level == PERSONAL:
        return (
            "Texts stay. E-mail addresses, phone, account and card numbers, IP addresses and credentials in them are "
            "overwritten. A person’s name in a text cannot be found: look before you send."
        )
    return f"Every {words.event} and every text as recorded, and the original file."


def head(share: Share, trace: Trace, *, from_file: bool = False) -> SharedHead:
    """What the reader is told of the link: when it ends and what it shows.

    trace: what is shown, perhaps a copy; from_file: the trace it was made for is itself a redacted file that somebody
    uploaded
    """
    return SharedHead(
        until=dates.until(share.expires),
        until_iso=dates.local(share.expires).isoformat(timespec="minutes"),
        taken=_TAKEN[trace.redaction or EVERYTHING],
        sealed=f"verdict sealed before redaction, by {_engine(trace)}" if trace.redaction else "",
        meaning=_meaning(trace, from_file) if trace.redaction else "",
        live=trace.status == LIVE,
    )


def _engine(trace: Trace) -> str:
    return f"engine {(trace.sealed or {}).get('engine') or trace.engine}"


def _meaning(trace: Trace, from_file: bool) -> str:
    if from_file:
        return (
            "A redacted file was uploaded here, and it says that this verdict was made from the whole recording, by "
            f"{_engine(trace)}, before anything was taken out. Whoever shares it has no more than that file."
        )
    return (
        f"The verdict and the findings were made from the whole recording, by {_engine(trace)} of Lanescope, and kept "
        "as they were; then texts or data were taken out. So what is missing here neither hides a finding nor adds one."
    )
