"""What exchanges, streams and their ends are called on a page.

Rules of this file: pure words from decoded exchanges and stored rows; no database, no HTML. The engine's own sentences
call an exchange the same (`core.teams.phrases.name_of`).
"""

from __future__ import annotations

from webapp.core.records import DELIVERED, DROPPED, LOST, REACHED, REFUSED, SENT
from webapp.core.teams.exchanges import Exchange
from webapp.storage.items import StoredLane
from webapp.views.content import showable
from webapp.views.names import clip, duration, short_id

KINDS = {
    "informative": "status line",
    "streaming": "chunk",
    "final": "final",
    "typing": "typing sign",
    "message": "message",
    "edit": "edit",
    "delete": "deletion",
    "inbound": "user",
    "other": "other",
}
# where nothing beside a call tells which message or edit is meant
SPELT = KINDS | {
    "message": "plain message",
    "edit": "plain edit",
    "inbound": "user’s message",
    "other": "other call",
}
CHAT = "chat"

# outcome of a stream -> (words, hue, icon): a user's Stop is neither success nor failure
OUTCOMES = {
    "finished": ("finished", "ok", "ok"),
    "stopped": ("stopped by the user: neither success nor failure", "none", "gone"),
    "expired": ("ran out of time", "error", "error"),
    "edited": ("recovered by a plain edit", "info", "info"),
    "refused": ("refused", "fatal", "fatal"),
    "unclosed": ("never closed", "error", "gone"),
    "open": ("the recording ends inside", "none", "gone"),
}
BRIEF = {
    "stopped": "stopped by the user",
    "edited": "recovered by edit",
    "open": "recording ends inside",
}
# state of a bubble in the chat, of `bubbles.Bubble`
BUBBLES = {
    "progress": "in progress",
    "complete": "complete",
    "edited": "edited",
    "stopped": "stopped by the user",
    "expired": "ran out of time",
    "deleted": "deleted",
    "never": "no bubble",
    "said": "",
}
# after "1 stream, "
CLAUSES = {
    "stopped": "stopped by the user",
    "expired": "which ran out of time",
    "edited": "recovered by a plain edit",
    "unclosed": "which was never closed",
    "open": "and the recording ends inside it",
}


# how far a call came, in words
ANSWERED = {
    DELIVERED: "accepted",
    DROPPED: "taken, but dropped",
    REFUSED: "refused",
    LOST: "no answer came",
    SENT: "answer not recorded",
}


def kind_of(type_: str | None, ex: Exchange | None) -> str:
    """`chunk 3`, `status line 1`, `final`; without the exchange, its kind alone."""
    word = KINDS.get(type_ or "", "not an exchange")
    if ex is None or ex.number is None or type_ not in ("informative", "streaming"):
        return word
    return f"{word} {clip(str(ex.number), 20)}"


def the_kind(type_: str | None, ex: Exchange | None) -> str:
    """The same inside a sentence: `chunk 3`, `the final`."""
    word = kind_of(type_, ex)
    if type_ == "inbound":
        return "the user’s message"
    return word if word[-1].isdigit() else f"the {word}"


def ended(outcome: str) -> str:
    """How a stream ended, in a few words: `finished`, `recovered by edit`."""
    return BRIEF.get(outcome) or OUTCOMES.get(outcome, (outcome,))[0]


def activity_of(ex: Exchange) -> str:
    """The activity's own words, as in the mock: `typing, streaming`."""
    told = ex.body.get("type")
    parts = [told if isinstance(told, str) else "", ex.stream_type or ""]
    if ex.call and ex.method != "POST":
        parts.insert(0, ex.method)
    return ", ".join(showable(clip(part, 30)) for part in parts if part)


def stream_name(ord_: int) -> str:
    """Lane 0 is the chat outside any stream; the others are the streams in order."""
    return CHAT if ord_ == 0 else f"stream {ord_}"


def stream_id(lane: StoredLane | None) -> str:
    """The id the service issued; `no id known` for an attempt that got none."""
    if lane is None or lane.tag is None:
        return ""
    return "no id known" if lane.tag.startswith("#") else showable(lane.tag)


def short_stream_id(lane: StoredLane | None) -> str:
    return short_id(stream_id(lane), 14)


def answer_of(ex: Exchange | None, reached: int) -> str:
    """`202`, `403 canceled by user`, `no answer`, `not recorded`."""
    if reached == SENT or ex is None:
        return "not recorded" if reached == SENT else REACHED[reached]
    if reached == LOST:
        return "no answer"
    status = "" if ex.status is None else str(ex.status)
    return f"{status} {ANSWERS.get(ex.key or '', '')}".strip()


# a few words beside the status, so that six kinds of 403 are told apart in a list
ANSWERS = {
    "E202-ORDER": "dropped, out of order",
    "E400-TEXT": "no text",
    "E400-REQ": "value missing",
    "E400-SYNTAX": "no stream marker",
    "E400-ENDONLY": "no valid end",
    "E400-ARG": "streaming not possible",
    "E400-BOT": "bot may not stream",
    "E403-OFF": "streaming is off",
    "E403-DONE": "already completed",
    "E403-TIME": "out of time",
    "E403-SIZE": "too large",
    "E403-STOP": "canceled by user",
    "E403-PREFIX": "does not extend",
    "E403-UNKNOWN": "no reason given",
    "E405": "not allowed here",
    "E412": "precondition failed",
    "E413": "too large",
    "E429": "too many calls",
    "E500": "service failed",
    "E5XX": "service failed",
    "E-CONNECTOR": "connector refused",
    "E-OTHER": "refused",
}


def answer_cls(reached: int, ends: str) -> str:
    """How an answer is coloured: a Stop and what may be sent again are no failure of the agent."""
    if reached == REFUSED:
        return "stop" if ends == "stop" else "again" if ends == "again" else "no"
    return {DROPPED: "no", LOST: "again", SENT: "unsaid"}.get(reached, "yes")


def took(seconds: float | None) -> str:
    """` after 101 ms`, empty when it is not known."""
    return "" if seconds is None else f" after {duration(seconds)}"
