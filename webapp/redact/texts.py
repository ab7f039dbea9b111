"""Personal data and secrets in a text, by their form; found here, overwritten here at their own length.

Rules of this file: one text in, places or the text with its places overwritten out. Only what has a form is found: an
address, a number, a credential. Names of people have none and stay where no telling member says what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from webapp.core.masking.masker import masked
from webapp.redact.folding import Folded
from webapp.redact.numbers import places as number_places
from webapp.redact.telling import places as telling_places

DOT = "•"
SHORTEST = 4  # characters of a text that can hold anything at all
SHORTEST_SECRET = 12

_LOCAL = re.compile(r"[\w.%+'-]{1,64}\Z")
_DOMAIN = re.compile(r"(?:[\w-]{1,63}\.){1,8}(?:[^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})(?![\w-])")
_AT = re.compile(r"@|%40")
_BEGUN = re.compile(r"[\w.%+'-]{1,64}@[\w.-]{0,80}\Z")  # an address of which the rest has not come
_MENTION = re.compile(r"<at\b[^<>]{0,80}>([^<>]{1,200})<\\{0,8}/at>")
_USER = re.compile(r"://[^\s/@]{1,64}:\Z")  # what follows is the password of an address, a secret
NO_MAIL = (
    "thread.v2",
    "thread.skype",
    "thread.tacv2",
    ".gbl.spaces",
)  # ids of Teams conversations look like addresses
_ID_PHONE = re.compile(r"(?<![\w+])\+[1-9]\d{9,14}(?![\w+-])")
_QUERY = re.compile(
    r"[?&](?:amp;)?(?:e-?mail|mail|phone|mobile|upn|user(?:name)?|login|first_?name|last_?name|name|address|birth_?date)="
    r"([^&\s\"'<>#\\]{1,500})",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """From start to before end, in code points. what: as it is counted."""

    start: int
    end: int
    what: str


def places(text: str, *, is_id: bool = False) -> list[Place]:
    """What is to be overwritten, in order, none overlapping. is_id: only addresses, secrets and telephone numbers with
    a plus, since other long numbers are what ids are made of."""
    if len(text) < SHORTEST:
        return []
    folded = Folded(text)
    found = list(_places(folded.text, is_id))
    if not folded.is_same_length:
        found = [Place(folded.back(start), folded.back(end), what) for start, end, what in found]
        found += _told(text, is_id)  # a quotation mark that is only spelt ends nothing here
    return merged(found)


def _places(text: str, is_id: bool) -> Iterator[Place]:
    yield from _mails(text, is_id)
    yield from _told(text, is_id)
    if is_id:
        yield from (Place(hit.start(), hit.end(), "phone numbers") for hit in _ID_PHONE.finditer(text))
    else:
        yield from map(Place._make, number_places(text))


def _told(text: str, is_id: bool) -> Iterator[Place]:
    """What stands in its place because of what is around it, and secrets."""
    if len(text) >= SHORTEST_SECRET:
        yield from _secrets(text)
    if is_id:
        return
    for start, end in telling_places(text):
        yield Place(start, end, "personal members")
    if "<at" in text:
        for hit in _MENTION.finditer(text):
            yield Place(hit.start(1), hit.end(1), "names")
    if "=" in text:
        for hit in _QUERY.finditer(text):
            yield Place(hit.start(1), hit.end(1), "query values")


def overwritten(text: str, found: list[Place], removed: Counter[str]) -> str:
    """The text with its places overwritten."""
    if not found:
        return text
    out: list[str] = []
    at = 0
    for start, end, what in found:
        out += (text[at:start], DOT * (end - start))
        removed[what] += 1
        at = end
    return "".join((*out, text[at:]))


def merged(found: list[Place]) -> list[Place]:
    """In order, overlapping ones made one."""
    out: list[Place] = []
    for place in sorted(found):
        if place.start >= place.end:
            continue
        if out and place.start < out[-1].end:
            if place.end > out[-1].end:
                out[-1] = out[-1]._replace(end=place.end)
        else:
            out.append(place)
    return out


def _mails(text: str, is_id: bool) -> Iterator[Place]:
    if "@" not in text and "%40" not in text:
        return
    for at in _AT.finditer(text):
        local = _LOCAL.search(text, max(0, at.start() - 64), at.start())
        domain = _DOMAIN.match(text, at.end())
        if local is None or domain is None or domain[0].lower().endswith(NO_MAIL):
            continue
        if _USER.search(text, max(0, local.start() - 80), local.start()) is None:
            yield Place(local.start(), domain.end(), "e-mail addresses")
    begun = _BEGUN.search(text, max(0, len(text) - 146))
    if begun is not None and not begun[0].lower().endswith(NO_MAIL) and not is_id:
        yield Place(begun.start(), begun.end(), "e-mail addresses")


def _secrets(text: str) -> Iterator[Place]:
    """What the engine's own masking overwrites, and a private marker of it is left alone."""
    data = text.encode("utf-8", "surrogatepass")
    made, count = masked(data)
    if not count:
        return
    byte = character = 0
    for start, end in _differing(data, made):
        begins = character + len(data[byte:start].decode("utf-8", "surrogatepass"))
        byte, character = end, begins + len(data[start:end].decode("utf-8", "surrogatepass"))
        yield Place(begins, character, "secrets")


def _differing(data: bytes, made: bytes) -> Iterator[tuple[int, int]]:
    """Stretches of bytes from the first that was overwritten to where the marker ends."""
    start, at = -1, 0
    for at, (before, after) in enumerate(zip(data, made, strict=True)):
        if start < 0:
            start = at if before != after else -1
        elif after not in b"[secret]*":
            yield start, at
            start = -1
    if start >= 0:
        yield start, at + 1
