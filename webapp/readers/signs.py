"""Signs by which content is known: of the two protocols, and of files that are no event stream.

Rules of this file: looks at text that was cut anywhere, so nothing here may need the whole. Reasons are words
for the user: they end up beside the verdict *unchecked*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

# Families of event names, retired ones (THINKING) too: a name this product does not know yet still tells the
# protocol
_NAME = (
    r"(?:RUN|STEP|TEXT_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|REASONING|THINKING|SUBAGENT)_[A-Z_]+"
    r"|RAW|CUSTOM"
)
_AG_UI_NAME = re.compile(_NAME)
_AG_UI_TEXT = re.compile(rb'"type"\s*:\s*"(?:' + _NAME.encode() + rb')"')
_TEAMS_TEXT = re.compile(rb'"type"\s*:\s*"streaminfo"|/v3/conversations/|"streamType"\s*:')
_ACTIVITY_TYPES = {"typing", "message", "conversationUpdate", "invoke", "endOfConversation", "event"}

# First bytes -> what it is
_MAGIC = (
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a zip archive; unpack it and give the file inside"),
    (b"\x28\xb5\x2f\xfd", "zstd data; unpack it and give the file inside"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)
# JSON that is about events but is no stream, by its beginning
_OTHER_JSON = (
    (
        re.compile(rb'\s*\{\s*"log"\s*:\s*\{'),
        "a HAR file of a browser's network tab; save the response body of the stream instead",
    ),
    (
        re.compile(rb'\s*\{\s*"kind"\s*:\s*"header"\s*,\s*"schemaVersion"'),
        "an AG-UI DevTools recording, which cannot be read yet; save the response body instead",
    ),
    (
        re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"session"\s*:\s*\{'),
        "an inspector recording, which cannot be read yet; save the response body instead",
    ),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<(?:\?xml\b|[a-z][\w:.-]*[\s/>])", re.IGNORECASE)


def protocol_of(values: Iterable[Any], head: bytes) -> str | None:
    """`ag-ui`, `teams` or None, by decoded records; by the text when none says anything."""
    ag_ui = teams = 0
    for value in values:
        if isinstance(value, dict):
            ag_ui += _is_ag_ui(value)
            teams += _is_teams(value)
    if not ag_ui and not teams:
        ag_ui = len(_AG_UI_TEXT.findall(head))
        teams = len(_TEAMS_TEXT.findall(head))
    if ag_ui or teams:
        return "ag-ui" if ag_ui >= teams else "teams"
    return None


def _is_ag_ui(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and _AG_UI_NAME.fullmatch(kind) is not None


def _is_teams(value: dict[str, Any]) -> bool:
    if {"method", "url"} <= value.keys() and ("request" in value or "response" in value):
        return True
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _ACTIVITY_TYPES:
        return False
    entities = value.get("entities")
    streamed = isinstance(entities, list) and any(
        isinstance(entity, dict) and entity.get("type") == "streaminfo" for entity in entities
    )
    channel = value.get("channelData")
    streamed = streamed or (isinstance(channel, dict) and "streamType" in channel)
    return streamed or {"conversation", "from"} <= value.keys()


def other_json(head: bytes) -> str | None:
    """What a JSON file is that looks readable but is another kind of recording; None: not known."""
    return next((what for sign, what in _OTHER_JSON if sign.match(head)), None)


def is_run_input(value: Any) -> bool:
    """Whether a JSON value is the request of a run (`RunAgentInput`), not an event."""
    return (
        isinstance(value, dict) and "type" not in value and {"threadId", "runId", "messages"} <= value.keys()
    )


def is_other(head: bytes) -> bool:
    """Whether the beginning alone says it is no event stream, whatever stands further on."""
    return head.startswith(tuple(magic for magic, _ in _MAGIC)) or _MARKUP.match(head) is not None


def what_else(head: bytes) -> str:
    """What input of no readable form is, in words that follow "This is "."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    if not head.strip():
        return "empty"
    if len(_CONTROL.findall(head)) * 20 > len(head) or b"\0" in head:
        return "binary"
    if _MARKUP.match(head):
        return "an HTML page"
    if _XML.match(head):
        return "XML or HTML markup"
    return "plain text"
