"""Error sentences around Teams streaming: what the service answers, and what the SDKs make of it.

Rules of this file: one row a wording. What an answer means stands in `core.teams.answers`; a code alone has several
meanings, so a sentence is known by its message, and the code counts only where there is no message.
"""

from __future__ import annotations

import re

from webapp.core.errors.model import Wording
from webapp.core.teams.answers import BY_KEY, Answer

CODE = "contentstreamnotallowed"
# answer -> what it is known by: the service's own message, then the sentences of SDKs
_SAID: tuple[tuple[str, str], ...] = (
    ("E202-ORDER", r"ContentStreamSequenceOrderPreConditionFailed|PreCondition failed exception when processing"),
    ("E400-TEXT", r"Start streaming activities should include text"),
    ("E400-SYNTAX", r"Only start streaming and continue streaming types are allowed"),
    ("E400-ENDONLY", r"Only end streaming type is allowed"),
    ("E400-ARG", r"streaming api is not enabled"),
    ("E400-BOT", r"API isn't enabled for the bot"),
    ("E403-DONE", r"Content stream is not allowed on an already completed streamed message"),
    ("E403-TIME", r"exceeded streaming time|(?:strict )?time limit of two minutes|StreamTimedOutError"),
    ("E403-STOP", (r"content stream was cancell?ed by (?:the )?user|stopped by the user|"
                   r"Teams channel stopped the stream|StreamCancelledError")),
    ("E403-OFF", (r"Content stream is not allowed(?! on an already)|isn't allowed for the user or bot|"
                 r"StreamNotAllowedError")),
    ("E403-SIZE", r"Message size too large"),
    ("E403-PREFIX", r"should contain the previously streamed content"),
    ("E413", r"MessageSizeTooBig|RequestEntityTooLarge"),
    ("E429", r"API calls quota exceeded"),
)  # fmt: skip
_SIX = (
    "The code alone has six meanings: streaming is switched off, the stream was complete, its two minutes "
    "are over, the "
    "message is too large, the user pressed Stop, or the text does not extend what was streamed. The message beside it "
    "tells them apart."
)


def _answer(key: str, pattern: str) -> Wording:
    row = BY_KEY[key]
    return Wording(
        name=key.lower(), protocol="teams", pattern=re.compile(pattern, re.IGNORECASE),
        means=f"Teams says: {row.title}. {row.meaning}", rules=row.rules, answer=key,
    )  # fmt: skip


WORDINGS: tuple[Wording, ...] = tuple(_answer(key, pattern) for key, pattern in _SAID)
# only where no message was known
CODES: tuple[Wording, ...] = (
    Wording(
        name="e403-code", protocol="teams", pattern=re.compile(CODE, re.IGNORECASE), means=_SIX,
        rules=("TEAMS-052", "TEAMS-041", "TEAMS-044", "TEAMS-020", "TEAMS-048", "TEAMS-031", "TEAMS-047"),
        answer="E403-UNKNOWN",
    ),
    Wording(
        name="bad-syntax", protocol="teams", pattern=re.compile(r"\bBadSyntax\b"),
        means="The service could not read the activity. Only the message beside the code says what is wrong with it.",
        rules=("TEAMS-005", "TEAMS-003", "TEAMS-004", "TEAMS-016"), answer="E400-REQ",
    ),
    Wording(
        name="not-allowed", protocol="teams",
        pattern=re.compile(r"conversations/[^\n]{0,400}?405\b|405\b[^\n]{0,80}conversations/", re.IGNORECASE),
        means="Teams refused the method. That is the answer to a stream in a group chat or channel.",
        rules=BY_KEY["E405"].rules, answer="E405",
    ),
)  # fmt: skip


def answer_in(text: str) -> Answer | None:
    """The answer of the service that a log line speaks of; None: it speaks of none. text: straight quotes."""
    for wording in (*WORDINGS, *CODES[:2]):
        if wording.answer is not None and wording.pattern.search(text):
            return BY_KEY[wording.answer]
    return None
