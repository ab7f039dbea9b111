"""Signs by which content is known: of the two protocols, and of files that are no event stream.

Rules of this file: looks at text that was cut anywhere, so nothing here may need the whole. Reasons are words
for the user: they end up beside the verdict *unchecked*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from webapp.readers.activities import TEXT, is_activity, is_exchange
from webapp.readers.event_names import IN_JSON, IS_NAME

HAR_ELSE = "a HAR file of a browser's network tab; save the response body of the stream instead"
# Reasons: what the records are
EXCHANGES = "what they hold are calls of the Teams connector"
ACTIVITIES = "what they hold are Teams activities"

# What the input is, where `core.foreign` has no row for it
BINARY = "binary"
MARKUP = "XML or HTML markup"

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
_INSPECTOR = re.compile(
    rb'\s*+\{\s*+(?:"version"\s*+:\s*+\d++\s*+,\s*+)?"session"\s*+:\s*+\{(?=.*?"(?:exchanges|frames)"\s*+:\s*+\[)',
    re.DOTALL,
)
# a member of a JSON object, and a whole JSON string
_JSON_MEMBER = re.compile(rb'"[^"\\]{1,200}+"\s*+:\s*+(?:["\[{\d-]|true\b|false\b|null\b|$)')
_JSON_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRING_OR_REST = re.compile(
    _JSON_STRING.pattern[:-1] + rb'(?:"|\\?\Z)', re.DOTALL
)  # no place is looked at twice
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<(?:\?xml\b|[a-z][\w:.-]*[\s/>])", re.IGNORECASE)


def protocol_of(values: Iterable[Any], head: bytes) -> tuple[str | None, str]:
    """`ag-ui`, `teams` or None, by decoded records, and what they are (a reason, or "").

    Where no record says anything, the text does: what comes first, since an AG-UI event may carry an activity and an
    activity an event.
    """
    ag_ui = exchanges = activities = 0
    for value in values:
        if isinstance(value, dict):
            if _is_ag_ui(value):
                ag_ui += 1
            elif is_exchange(value):
                exchanges += 1
            else:
                activities += is_activity(value)
    if ag_ui and ag_ui >= exchanges + activities:
        return "ag-ui", ""
    if exchanges or activities:
        return "teams", EXCHANGES if exchanges >= activities else ACTIVITIES
    first_event, first_activity = IN_JSON.search(head), TEXT.search(head)
    if first_event and not (first_activity and first_activity.start() < first_event.start()):
        return "ag-ui", ""
    return ("teams", "") if first_activity else (None, "")


def _is_ag_ui(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and IS_NAME.fullmatch(kind) is not None


def is_inspector(head: bytes) -> bool:
    """Whether the text begins as a session recording of the agui-inspector."""
    return _INSPECTOR.match(head) is not None


def outside_json(line: bytes) -> bytes:
    """The line without its JSON strings, where it has JSON: what stands in those is a text somebody wrote."""
    if _JSON_MEMBER.search(line) or _JSON_STRING.fullmatch(line.strip().rstrip(b",")):
        return _STRING_OR_REST.sub(_emptied, line)
    return line


def _emptied(found: re.Match[bytes]) -> bytes:
    """An empty string for a string; one that does not end stays as it is."""
    return b'""' if _JSON_STRING.fullmatch(found[0]) else found[0]


def is_fenced(lines: list[bytes]) -> bool:
    """Whether a Markdown fence stands in the text: what is in it is to be read, not what is around."""
    return any(line.startswith((b"```", b"~~~", b"> ")) for line in lines)


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
        return BINARY
    if _MARKUP.match(head):
        return "an HTML page"
    if _XML.match(head):
        return MARKUP
    return "plain text"
