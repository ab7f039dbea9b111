"""Signs by which Teams material is known: activities, exchanges with the connector, and what belongs to a stream.

Rules of this file: looks at decoded values of any shape and at text that was cut anywhere; nothing here judges. It
must know wrong spellings too, since those are what recordings are sent in for.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

# activity types nobody else uses; the others are words that any log may hold
_OWN_TYPES = frozenset(
    {"conversationupdate", "endofconversation", "messagereaction", "messageupdate", "messagedelete",
     "installationupdate", "contactrelationupdate", "deleteuserdata"}
)  # fmt: skip
_SHARED_TYPES = frozenset(
    {"typing", "message", "invoke", "invokeresponse", "event", "trace", "suggestion", "handoff", "command",
     "commandresult"}
)  # fmt: skip
# members of an activity beside its type and text; two of them are no accident
_MEMBERS = frozenset(
    {"conversation", "from", "recipient", "channelid", "serviceurl", "replytoid", "channeldata", "textformat",
     "inputhint", "localtimestamp", "membersadded", "membersremoved", "frommember", "fromproperty", "callerid"}
)  # fmt: skip
_STREAM_KEYS = frozenset({"streamid", "streamtype", "streamsequence", "streamresult"})
_STREAM_ENTITIES = frozenset({"streaminfo", "startstreaming", "continuestreaming", "endstreaming"})
_STREAM_TEXT = re.compile(
    r'"stream_?info"|"stream_?(?:type|sequence)"\s*:|"(?:start|continue|end)streaming"', re.I
)
# of the text of an activity or exchange that is not whole
TEXT = re.compile(
    rb'"type"\s*:\s*"(?:stream_?info|conversationUpdate)"|/conversations/[^"/]+/activities'
    rb'|"stream_?(?:Type|Sequence)"\s*:',
    re.IGNORECASE,
)

METHODS = ("POST", "PUT", "DELETE")
_PATH = re.compile(r"(?:^|/)conversations/([^/]+)/activities(?:/[^/]+)?/?$", re.IGNORECASE)
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*:)?//(?:[^/@]*@)?", re.IGNORECASE)


def plain_url(url: str) -> str:
    """The address without user, query and fragment: those may hold secrets."""
    return _ORIGIN.sub(lambda found: f"{found[1] or ''}//", re.split("[?#]", url, maxsplit=1)[0], count=1)


def conversation_of(url: str) -> str | None:
    """The conversation a connector URL speaks of, percent-decoded; None: it is not one of its activities.

    Both shapes, `…/activities` and `…/activities/{id}`, with and without `/v3`.
    """
    found = _PATH.search(re.split("[?#]", url, maxsplit=1)[0])
    return None if found is None else unquote(found[1]).partition(";messageid=")[0]


def is_exchange(value: dict[str, Any]) -> bool:
    """Whether a decoded value is a connector call, with or without its answer (form T1)."""
    url, method = value.get("url"), value.get("method")
    if not isinstance(url, str) or not (method is None or isinstance(method, str)):
        return False
    if conversation_of(url) is not None:
        return "request" in value or "response" in value or method is not None
    request = value.get("request")
    return isinstance(request, dict) and is_activity(request)


def is_activity(value: dict[str, Any]) -> bool:
    """Whether a decoded value is a Bot Framework activity."""
    if carries_stream(value):
        return True
    kind = value.get("type")
    kind = kind.lower() if isinstance(kind, str) else ""
    if kind in _OWN_TYPES:
        return True
    return kind in _SHARED_TYPES and sum(_bare(name) in _MEMBERS for name in value) >= 2


def carries_stream(activity: dict[str, Any]) -> bool:
    """Whether an activity has fields of a stream, in an entity of whatever name or in its channel data."""
    for name, value in activity.items():
        bare = _bare(name)
        if bare == "entities" and isinstance(value, list):
            if any(isinstance(entity, dict) and _is_stream_entity(entity) for entity in value):
                return True
        elif bare == "channeldata" and isinstance(value, dict) and _has_stream_key(value):
            return True
    return False


def text_carries_stream(text: str) -> bool:
    """The same of a body that is no whole JSON."""
    return _STREAM_TEXT.search(text) is not None


def _is_stream_entity(entity: dict[str, Any]) -> bool:
    kind = entity.get("type")
    return (isinstance(kind, str) and _bare("".join(kind.split())) in _STREAM_ENTITIES) or _has_stream_key(
        entity
    )


def _has_stream_key(value: dict[str, Any]) -> bool:
    return any(_bare(name) in _STREAM_KEYS for name in value)


def _bare(name: str) -> str:
    """`channel_data`, `channelData` and `ChannelData` are one name."""
    return name.replace("_", "").lower()
