"""Addresses of the connector without what they tell of a customer.

Rules of this file: text in, text out. Scheme, host, the words of the contract and the ids behind them stay;
credentials, query strings and every other part of a path go.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from webapp.redact.base import Redactor
from webapp.redact.parts import ID

_URL = re.compile(
    r"(?P<scheme>https?:)?(?://(?P<host>[^/?#]*))?(?P<path>[^?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(?::\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?")
# of the connector's addresses: its routes and the regions in front of them
_WORDS = frozenset(
    {"", "v3", "conversations", "activities", "members", "pagedmembers", "attachments", "teams", "amer", "emea", "apac",
     "in", "au", "uk", "br", "ca", "de", "fr", "jp", "kr", "no", "ch", "sg", "ae", "za", "se"}
)  # fmt: skip
_BEFORE_AN_ID = frozenset({"conversations", "activities", "members"})


def address(red: Redactor, value: object) -> object:
    """The address with its shape: the host, `/v3/conversations/ID/activities/ID`, markers for the rest."""
    if not isinstance(value, str):
        return red.hidden(value, "addresses")
    found = _URL.fullmatch(value)
    if found is None:
        return red.text(value, "addresses")
    host = _host(red, found["host"])
    steps = found["path"].split("/")
    path = [_step(red, step, steps[place - 1].lower() if place else "") for place, step in enumerate(steps)]
    rest = found["rest"]
    return f"{found['scheme'] or ''}{host}{'/'.join(path)}{rest[:1]}{red.text(rest[1:], 'addresses')}"


def chat_id(red: Redactor, id_: str) -> str:
    """The id of a conversation, with which the id of a message in it may stand."""
    chat, sign, message = id_.partition(";messageid=")
    return red.name_id(f"{red.kept_id(chat)}{sign}{red.kept_id(message) if message else ''}")


def _host(red: Redactor, host: str | None) -> str:
    if host is None:
        return ""
    before, sign, name = host.rpartition("@")
    if _HOST.fullmatch(name):
        red.name_id(name)
        red.name_id(name.lower())
    else:
        name = red.text(name, "addresses")
    return f"//{red.text(before, 'addresses')}{sign}{name}"


def _step(red: Redactor, step: str, before: str) -> str:
    if step.lower() in _WORDS:
        return step
    if before in _BEFORE_AN_ID and ID.fullmatch(unquote(step)):
        id_ = unquote(step)
        if (kept := chat_id(red, id_)) != id_:
            return quote(kept, safe="")
        return red.name_id(step)
    return red.text(step, "addresses")
