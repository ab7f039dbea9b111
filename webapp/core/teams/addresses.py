"""Addresses of the connector, taken apart.

Rules of this file: text in, parts out; nothing raises. Source: specification 1.1: `{serviceUrl}/v3/conversations/
{conversationId}/activities`, and the same with an activity's id behind it.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

_URL = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):)?(?://(?P<host>[^/?#]*))?(?P<path>[^?#]*)", re.IGNORECASE
)
_PATH = re.compile(
    r"(?:^|/)conversations/(?P<chat>[^/]+)/activities(?:/(?P<target>[^/]+))?/?$", re.IGNORECASE
)


class Address(NamedTuple):
    """host: lower case, without credentials, with its port, "" when there is none; known: it is one of the contract's

    conversation: percent-decoded, without `;messageid=`; target: the activity's id at the end
    """

    host: str
    known: bool = False
    conversation: str = ""
    target: str | None = None


def read(url: str) -> Address:
    """The parts of an address, whole or from its path on."""
    found = _URL.match(url)
    if found is None:
        return Address("")
    host = (found["host"] or "").rpartition("@")[2].lower()
    place = _PATH.search(found["path"] or "")
    if place is None:
        return Address(host)
    return Address(host, True, chat_id(place["chat"]), unquote(place["target"]) if place["target"] else None)


def chat_id(text: str) -> str:
    """A conversation id, percent-decoded, without the thread's `;messageid=`."""
    return unquote(text).partition(";messageid=")[0]
