"""Whether a private event tells of a pause: a name that asks for leave, and a value that does not take it back.

Rules of this file: words of names, which are guesses, so what is in doubt is no pause. A name is taken apart into its
words first, since `uninterrupted` contains no interrupt and `no_interrupt` tells of none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

LONGEST = 200  # characters of a name that is looked at
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ASKED = r"(?:request(?:ed|s)?|requires?|required|need(?:s|ed)?|pending)"
_WAITS = r"(?:await(?:s|ing)?|wait(?:s|ing)?(?: for)?|pending|needs?|requires?|requiring)"
_LEAVE = r"(?:approval|confirmation)"
_WHOSE = r"(?:user|human|manual|tool|tool call|action)"
# words with single spaces between them; a space may be missing where a name is written in one
_PAUSE = re.compile(
    rf"\b(?:interrupts?|oninterrupt|hitl|human ?in ?the ?loop)\b"
    rf"|\b{_LEAVE} ?{_ASKED}\b"
    rf"|\b(?:{_WAITS}|request(?:s|ed|ing)?) ?(?:{_WHOSE} )*{_LEAVE}\b"
    rf"|\b(?:user|human) ?input ?{_ASKED}\b|\binput ?required\b"
    rf"|\b{_WAITS} ?(?:(?:user|human) ?)?input\b|\brequest(?:s|ed|ing)? (?:user|human) ?input\b"
    rf"|\bhuman ?input$"
)
# two words of one part of a dotted name: `request.input` is what the request brought
_REQUEST = re.compile(r"(?<![A-Za-z])[Rr]equest[_-]?[Ii]nput$")
# words that make it a setting, a number, an answer, or the contrary
_WORDS_OF_NO = """
    no not non none never without disable disabled enable enabled free can may if supports supported support config
    configuration setting settings policy policies mode modes limit limits max min count counts total totals token
    tokens usage size metric metrics stat stats history log logs handler handlers callback callbacks registered
    granted given received resolved rejected denied answered completed cancel cancelled canceled cancellation resumed
    resume resuming cleared clear handled ack acknowledged ignored skipped dismissed approved confirmed processed
    expired timeout finished done ended end closed after before previous prior last auto automatic automatically
    allow allowed allows available ready response reply answer result results validated submitted accepted declined
"""
_NO = frozenset(_WORDS_OF_NO.split())
# of what breaks in on the agent, and does not wait for anybody
_WORDS_OF_BREAKS = "user users speech audio voice barge keyboard signal system hardware timer"
_BREAKS_IN = frozenset(_WORDS_OF_BREAKS.split())
# an event that only a pause sends, whatever it was given to say
_ON_INTERRUPT = ("on interrupt", "oninterrupt")
_SAYS_NO = (False, None, 0, "")
# members that may say no
_SWITCHES = ("required", "requested", "needed", "pending", "enabled", "active", "value")


def is_pause(name: str, value: Any) -> bool:
    """Whether a `CUSTOM` event tells that the agent waits for somebody."""
    if len(name) > LONGEST:
        return False
    words = _pause(name)
    return words is not None and not _says_no(value, sent_by_pause=words.endswith(_ON_INTERRUPT))


@lru_cache(maxsize=256)  # a trace has few names, each of them often
def _pause(name: str) -> str | None:
    """The words of a name that speaks of a pause."""
    words = [word.lower() for word in _WORDS.findall(name)]
    told = " ".join(words)
    found = _PAUSE.search(told) or _REQUEST.search(name)
    if found is None or not _NO.isdisjoint(words):
        return None
    if found[0].startswith("interrupt") and not _BREAKS_IN.isdisjoint(words):
        return None
    return told


def _says_no(value: Any, *, sent_by_pause: bool) -> bool:
    if sent_by_pause and (value is None or value == ""):
        return False  # it was given nothing to say
    if isinstance(value, dict):
        return any(key in value and _says_no(value[key], sent_by_pause=sent_by_pause) for key in _SWITCHES)
    return isinstance(value, bool | int | str | None) and value in _SAYS_NO
