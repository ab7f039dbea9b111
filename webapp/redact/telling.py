"""Members whose name says that their value is somebody's: `email`, `givenName`, `userPrincipalName`.

Rules of this file: names and where they stand: in a JSON value, in the path of a patch, in the text of either. A name
counts however it is joined (`given_name`, `givenName`, `Given-Name`), in the plural, and behind other words
(`billingEmail`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from webapp.redact.folding import Folded

_NAMES = """
    email emailaddress mail mailaddress workmail upn userprincipalname aadobjectid
    givenname surname familyname firstname lastname middlename maidenname fullname displayname nickname customername
    vorname nachname familienname prenom nomdefamille apellido apellidos
    phone phoneno phonenumber mobile mobileno mobilephone mobilenumber cellphone cellnumber tel telno telephone
    telephoneno telephonenumber telefon telefonnummer telefono handy handynummer mobilnummer rufnummer businessphone
    whatsapp fax faxnumber telefax
    birthdate birthday dateofbirth dob geburtsdatum birthplace placeofbirth
    ssn socialsecuritynumber taxid nationalid passport passportno passportnumber driverslicense driverlicense
    iban bankaccount accountnumber cardnumber creditcard creditcardnumber accountholder cardholder cardholdername
    address addressline street streetaddress postaladdress homeaddress
    strasse straße anschrift ipaddress clientip remoteip"""
NAMES = frozenset(_NAMES.split())
_LONGEST = 40  # characters of a name as it is written
_WORD = re.compile(r"[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+(?![a-zß-ÿ])")  # numbers tell nothing: `phone2`
_MOST_WORDS = 4  # of a name in the list
# a pattern begins with the mark, for speed; what stands before it is compared with what stands before the others
_MEMBER = re.compile(r'"([^\W\d_][\w. -]{1,40})(\\{0,8})"\s{0,20}:\s{0,20}(?:(\2"|[\[{])|(-?\d[\d.]{0,40}))')
_MARK = re.compile(r'(\\*)"')
_BARE = re.compile(r"[^\s\[\]{},:\"\\]+")  # a number, or what is no JSON
_DEEPEST = 20_000  # characters of a list or an object under a telling name
# an operation of a patch, or a pair of a name and a value, in a text: in either order
_PATH = re.compile(
    r'"(?:path|name|key|field|id|label|title|description)(\\{0,8})"\s{0,20}:\s{0,20}\1"([^"\\]{2,300})\1"\s{0,20},\s{0,20}'
    r'\1"value\1"\s{0,20}:\s{0,20}(?:(\1"|[\[{])|(-?\d[\d.]{0,40}))'
)
_PATH_BEHIND = re.compile(
    r'"value(\\{0,8})"\s{0,20}:\s{0,20}(?:\1"([^"\\]{1,300})\1"|(-?\d[\d.]{0,40}))\s{0,20},\s{0,20}'
    r'(?:\1"op\1"\s{0,20}:\s{0,20}\1"\w{1,10}\1"\s{0,20},\s{0,20})?'
    r'\1"(?:path|name|key|field|id|label|title|description)\1"\s{0,20}:\s{0,20}\1"([^"\\]{2,300})\1"'
)
_PERSONS = frozenset(
    {"from", "recipient", "mentioned", "membersAdded", "membersRemoved", "conversation", "messages"}
)
_NAMING = ("name", "key", "field", "id", "label", "title", "description")
_SETTING = frozenset({"add", "replace", "test"})


@lru_cache(maxsize=8192)
def is_telling(name: str) -> bool:
    """Whether the name says that its value is personal."""
    if not 2 < len(name) <= _LONGEST:
        return False
    words = [word.lower() for word in _WORD.findall(Folded(name).text)]
    tails = ("".join(words[-count:]) for count in range(1, min(len(words), _MOST_WORDS) + 1))
    return any(tail in NAMES or (tail[-1:] == "s" and tail[:-1] in NAMES) for tail in tails)


def is_telling_path(path: str) -> bool:
    """Whether a JSON pointer leads to, or into, what stands under a telling name, or to the name of a person."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]
    person = steps[-1] == "name" and not _PERSONS.isdisjoint(steps[-3:-1])
    return person or any(map(is_telling, steps))


def name_of_value(holder: dict[str, Any]) -> tuple[str, bool]:
    """Under which name the `value` of an object stands, when another member says it: the path of a patch's operation,
    or the name of a pair; and whether that tells that it is personal."""
    path = holder.get("path")
    if isinstance(path, str) and holder.get("op") in _SETTING:
        steps = [step for step in path.split("/") if not (step.isdecimal() or step == "-")]
        return steps[-1] if steps else "", is_telling_path(path)
    said = (holder.get(name) for name in _NAMING)
    return "value", any(isinstance(name, str) and is_telling(name) for name in said)


def places(text: str) -> Iterator[tuple[int, int]]:
    """Values of telling members in the text of a JSON value, whole or torn."""
    if '"' not in text or ":" not in text:
        return
    done = 0  # what is in a value that goes needs no second look
    for found in _MEMBER.finditer(text):
        if found.start() >= done and is_telling(found[1]) and text.endswith(found[2], 0, found.start()):
            for start, done in _value(text, found, len(found[2])):
                yield start, done
    if '"value' not in text:
        return
    for found in _PATH.finditer(text):
        if is_telling_path(found[2]):
            yield from _value(text, found, len(found[1]))
    for found in _PATH_BEHIND.finditer(text):
        if is_telling_path(found[4]):
            yield found.span(2 if found[2] is not None else 3)


def _value(text: str, found: re.Match[str], slashes: int) -> Iterator[tuple[int, int]]:
    """What stands where group 3 begins, or the number that is group 4. slashes: in front of each quotation mark."""
    if found[4] is not None:
        yield found.span(4)
    elif found[3][-1] == '"':
        yield found.end(3), _end(text, found.end(3), slashes)
    else:
        yield from _inside(text, found.start(3), slashes)


def _end(text: str, at: int, slashes: int) -> int:
    """Where a string ends that was begun before `at`, by a mark with so many backslashes in front of it."""
    for mark in _MARK.finditer(text, at):
        if len(mark[1]) % (2 * slashes + 2) == slashes:
            return mark.end() - 1 - slashes
    return len(text)


def _inside(text: str, at: int, slashes: int) -> Iterator[tuple[int, int]]:
    """The strings and numbers of the list or object that begins at `at`; names of members are strings as well."""
    depth, stop = 0, min(len(text), at + _DEEPEST)
    while at < stop:
        sign = text[at]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
            if depth == 0:
                return
        elif sign == '"':
            end = _end(text, at + 1, slashes)
            yield at + 1, end
            at = end + slashes
        elif bare := _BARE.match(text, at):
            if bare[0] not in ("true", "false", "null"):
                yield bare.span()
            at = bare.end() - 1
        at += 1
    if stop < len(text):
        yield stop, len(text)
