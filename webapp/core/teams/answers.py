"""What the Teams service answered, and what it means.

Rules of this file: one row an answer; a code alone says little (one code has six meanings), so the message decides.
Source: the public streaming page's code tables and recorded answers of real SDKs.
"""

from __future__ import annotations

from typing import Any

import msgspec

STREAM_CODE = "contentstreamnotallowed"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the service.

    key:     `E403-STOP`; status, code, message: as seen on the wire (code or message may be empty)
    title:   what it says, one clause; meaning: whole sentences for a support engineer
    rules:   catalogue ids to look at
    ends:    how the stream goes on: stop (the user stopped it) | time (the two minutes are over) | done (complete
             already) | over (the agent cannot go on) | again (try the same call again) | no (this call alone is lost)
    """

    key: str
    status: int
    code: str = ""
    message: str = ""
    title: str
    meaning: str
    rules: tuple[str, ...] = ()
    ends: str = "over"


def _row(
    key: str, status: int, code: str, message: str, title: str, meaning: str, rules: str, ends: str = "over"
) -> Answer:
    ids = tuple(f"TEAMS-{number}" for number in rules.split())
    return Answer(
        key=key, status=status, code=code, message=message, title=title, meaning=meaning, rules=ids, ends=ends
    )


ANSWERS: tuple[Answer, ...] = (
    _row("E202-ORDER", 202, "ContentStreamSequenceOrderPreConditionFailed",
         "PreCondition failed exception when processing streaming activity.",
         "arrived out of order and was dropped",
         "The call was taken, its text was not: a later number had arrived before it. The newest text wins, so nothing "
         "needs to be sent again.", "018 035 051", "no"),
    _row("E400-TEXT", 400, "BadRequest", "Start streaming activities should include text",
         "a stream cannot start without text",
         "The first call of a stream must carry a text, even if it is only a status line.", "007 006"),
    _row("E400-REQ", 400, "BadRequest", "",
         "a required value is missing or malformed",
         "The service could not use the request as it is; it seldom says which value. Compare the request with the "
         "contract field by field.", "006 012 016 017"),
    _row("E400-SYNTAX", 400, "BadSyntax",
         "Only start streaming and continue streaming types are allowed as a typing activity",
         "no usable stream marker in a typing activity",
         "The service found no stream fields it could read in the typing activity: the entity lost them, or they are "
         "wrong.", "005 003 004 001 016"),
    _row("E400-ENDONLY", 400, "BadSyntax", "Only end streaming type is allowed as a message activity",
         "a message with a stream marker that is no valid end",
         "A message that belongs to a stream must be its final: `streamType` `final`, with the stream’s id.",
         "005 026 028 004"),
    _row("E400-ARG", 400, "BadArgument", "streaming api is not enabled",
         "streaming is not possible here",
         "The kind of chat, or the sender, does not allow streaming. Send one plain message instead.", "046 047"),
    _row("E400-BOT", 400, "BadArgument", "API isn't enabled for the bot",
         "streaming is not switched on for this bot",
         "The service does not let this bot stream. Send one plain message instead.", "047"),
    _row("E403-OFF", 403, "ContentStreamNotAllowed", "Content stream is not allowed",
         "streaming is switched off for this user or bot",
         "The tenant, the user or the bot may not stream. Send one plain message instead.", "047 046"),
    _row("E403-DONE", 403, "ContentStreamNotAllowed",
         "Content stream is not allowed on an already completed streamed message",
         "the stream was complete already",
         "A final had been accepted before. What came after it is not shown.", "031", "done"),
    _row("E403-TIME", 403, "ContentStreamNotAllowed", "Content stream finished due to exceeded streaming time.",
         "the stream was open longer than two minutes",
         "Two minutes after its start a stream can no longer be continued or ended. The text can still be set by a "
         "plain edit of the message.", "041 042", "time"),
    _row("E403-SIZE", 403, "ContentStreamNotAllowed", "Message size too large",
         "the message is too large",
         "The text has grown beyond what one message may hold.", "048"),
    _row("E403-STOP", 403, "ContentStreamNotAllowed", "Content stream was canceled by user",
         "the user pressed Stop",
         "The user does not want the rest. This is no fault: the agent should end its turn quietly.", "044", "stop"),
    _row("E403-PREFIX", 403, "ContentStreamNotAllowed",
         "Request streamed content should contain the previously streamed content",
         "the text does not extend what was streamed",
         "Each chunk must begin with all text already on screen and may only add to it.", "020"),
    _row("E405", 405, "", "Method Not Allowed", "this kind of call is not allowed here",
         "Seen when a stream is sent to a group chat, and on test channels for the reply address.", "046 010"),
    _row("E412", 412, "", "", "a precondition failed",
         "A general answer of the connector, not special to streams. The same call may be sent again.", "054", "again"),
    _row("E413", 413, "MessageSizeTooBig", "RequestEntityTooLarge", "the message is too large",
         "The request was larger than the service takes (about 100 KB, counted in UTF-16).", "048"),
    _row("E429", 429, "", "API calls quota exceeded", "too many calls",
         "More than one streaming call a second, or more calls than one conversation may send. Also seen for a stream "
         "that has run out of time. Wait, then send the newest text.", "037 039 040 041", "again"),
    _row("E500", 500, "", "Internal server error", "the service failed",
         "Seen for citations with extra fields in the final. Otherwise a passing failure.", "033 054", "again"),
    _row("E5XX", 502, "", "", "the service or a proxy failed",
         "The call may or may not have been carried out.", "054", "again"),
    _row("E403-UNKNOWN", 403, "", "", "refused without a reason",
         "The answer does not say why. Treat it as final.", "052"),
    _row("E-CONNECTOR", 401, "", "", "the connector refused the call",
         "Not a streaming fault: the token, the bot’s place in the chat, or the service address.", "055"),
    _row("E-OTHER", 400, "", "", "refused", "An answer that is not known to the streaming contract.", "055"),
)  # fmt: skip
BY_KEY = {row.key: row for row in ANSWERS}

# Order matters: "not allowed" stands inside two different messages.
_STREAM_403 = (
    ("exceeded streaming time", "E403-TIME"),
    ("cancel", "E403-STOP"),
    ("completed streamed message", "E403-DONE"),
    ("not allowed", "E403-OFF"),
    ("size too large", "E403-SIZE"),
    ("previously streamed", "E403-PREFIX"),
)
_BAD_400 = (
    ("only start streaming and continue streaming", "E400-SYNTAX"),
    ("only end streaming", "E400-ENDONLY"),
    ("streaming api is not enabled", "E400-ARG"),
    ("isn't enabled for the bot", "E400-BOT"),
    ("should include text", "E400-TEXT"),
    ("previously streamed", "E403-PREFIX"),  # one report of 400 for a changed final
)


def error_of(answer: Any) -> tuple[str | None, str | None]:
    """(code, message) of an answer's body: the usual envelope, a code at the top, or a bare string."""
    if isinstance(answer, str):
        return None, answer or None
    if not isinstance(answer, dict):
        return None, None
    inner = answer.get("error")
    if isinstance(inner, str) and inner:
        message = answer.get("message")
        return inner, message if isinstance(message, str) else inner
    place = inner if isinstance(inner, dict) else answer
    code, message = place.get("code"), place.get("message")
    code = code if isinstance(code, str) and code else None
    message = message if isinstance(message, str) and message else None
    if isinstance(inner, dict):
        return code or ("" if message is None else None), message
    return (code, message) if code or message else (None, None)


def carries_error(answer: Any) -> bool:
    """Whether the body of a 2xx answer tells of an error after all."""
    if not isinstance(answer, dict):
        return False
    code = answer.get("code")
    return bool(answer.get("error")) or (isinstance(code, str) and bool(code))


def classify(status: int, answer: Any) -> str | None:
    """The key of the row an answer is; None for a success. status: HTTP status; answer: decoded body or text."""
    code, message = error_of(answer)
    if 200 <= status < 300:
        return (_by_message(code, message) or "E-OTHER") if carries_error(answer) else None
    if status == 403:
        return _forbidden(code, message, answer)
    if status == 400:
        return _bad(code, message)
    if status in (401, 404):
        return "E-CONNECTOR"
    if status in (405, 412, 413, 429, 500):
        return f"E{status}"
    return "E5XX" if status > 500 else "E-OTHER"


def _by_message(code: str | None, message: str | None) -> str | None:
    if (code or "").lower() == "contentstreamsequenceorderpreconditionfailed":
        return "E202-ORDER"
    if (code or "").lower() == STREAM_CODE:
        return _first(_STREAM_403, message)
    return _first(_BAD_400, message)


def _forbidden(code: str | None, message: str | None, answer: Any) -> str:
    if (code or "").lower().startswith("contentstream") or _first(_STREAM_403, message):
        return _first(_STREAM_403, message) or "E403-UNKNOWN"
    # an empty body or a page of a proxy hides a stream's refusal; an envelope with another code is another matter
    return "E-CONNECTOR" if isinstance(answer, dict) and (code or message) else "E403-UNKNOWN"


def _bad(code: str | None, message: str | None) -> str:
    found = _first(_BAD_400, message)
    if found:
        return found
    return "E400-REQ" if (code or "").lower() in ("badrequest", "badsyntax") else "E-OTHER"


def _first(rows: tuple[tuple[str, str], ...], message: str | None) -> str | None:
    said = (message or "").lower()
    return next((key for phrase, key in rows if phrase in said), None)
