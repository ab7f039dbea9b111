"""Numbers that are somebody's, by their form: telephones, payment cards, bank accounts, addresses of machines.

Rules of this file: one folded text in, places in it out. A number that has a check digit is judged by it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

_DIGITS = re.compile(r"\d(?:[ .()/-]{0,3}\d){5}")
# no further digit, no id goes on; the next delta may begin with a word at once
_END = r"(?!\d|-|[a-f]{1,8}[\d-])"
_PHONES = (
    re.compile(r"(?<![\w+])(?:\+|00)[1-9]\d{0,2}(?:[ .()/-]{0,3}\d){6,12}" + _END),
    re.compile(
        r"(?<![\w.+-])(?:1[-. ])?(?:\([2-9]\d{2}\)[-. ]{0,2}|[2-9]\d{2}[-. ]{1,2})[2-9]\d{2}[-. ]\d{4}" + _END
    ),
    # without any separator; not the last part of an id, nor what is behind a decimal point
    re.compile(
        r"(?<![\w+])(?<!\d\.)(?<![0-9A-Za-z]-)(?:0\d{9,14}|\+[1-9]\d{9,14})(?!\d|-\w|[a-f]{1,8}[\d-])"
    ),
)
_AREA = re.compile(r"(?<![\w.:+-])\(?0\d{1,4}\)?[ /-]{1,3}\d{2,8}(?:[ /-]\d{2,6}){0,3}" + _END)
_DATE = re.compile(r"\(?0?\d{1,2}[ /-]\d{1,2}[ /-](?:19|20)\d\d")
_LEAST_DIGITS = 9  # of a number with its area in front: no date has as many
_CALLED = re.compile(
    r"(?<![A-Za-z])(?:tel|phone|telephone|mobile|mob|cell|fax|telefon|handy|mobil|whatsapp)"
    r"(?:[ _-]?(?:no|nr|number|nummer))?\.?[ :=#]{1,4}((?:\+|\()?\d(?:[ .()/-]{0,3}\d){6,14})(?!\d)",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])(?=([A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}))")
_CARD = re.compile(r"(?<![\w.-])[2-6]\d{3}(?:[ -]?\d){8,14}\d" + _END)
_V4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{3,39}(?:\.\d{1,3}){0,3}(?![\w:])")


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each number that is to go; some may overlap."""
    if _DIGITS.search(text) is not None:
        yield from _phones(text)
        for hit in _CARD.finditer(text):
            if is_card(re.sub(r"[ -]", "", hit[0])):
                yield hit.start(), hit.end(), "payment cards"
        for hit in _IBAN.finditer(text):
            if size := _account(hit[1]):
                yield hit.start(1), hit.start(1) + size, "bank accounts"
    if "." in text:
        for hit in _V4.finditer(text):
            if _is_address(hit[0]):
                yield hit.start(), hit.end(), "IP addresses"
    if text.count(":") > 1:
        for hit in _V6.finditer(text):
            if hit[0].count(":") > 1 and re.search(r"\d", hit[0]) and _is_address(hit[0]):
                yield hit.start(), hit.end(), "IP addresses"


def _phones(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern in _PHONES:
        for hit in pattern.finditer(text):
            yield hit.start(), hit.end(), "phone numbers"
    for hit in _AREA.finditer(text):
        if sum(map(str.isdigit, hit[0])) >= _LEAST_DIGITS and not _DATE.match(hit[0]):
            yield hit.start(), hit.end(), "phone numbers"
    for hit in _CALLED.finditer(text):
        yield hit.start(1), hit.end(1), "phone numbers"


def is_card(digits: str) -> bool:
    """A length and a check digit (Luhn) that payment cards have."""
    if not 13 <= len(digits) <= 19:
        return False
    total = sum(
        int(d) if n % 2 == 0 else (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)[int(d)] for n, d in enumerate(digits[::-1])
    )
    return total % 10 == 0 and len(set(digits)) > 1


def _account(text: str) -> int:
    """How much of the text is the number of an account, 0 when its check digits are wrong at every end of a word."""
    for size in range(len(text), 14, -1):
        if text[size - 1] in " -" or (size < len(text) and text[size] not in " -"):
            continue
        said = re.sub(r"[ -]", "", text[:size])
        if 15 <= len(said) <= 34 and int("".join(str(int(c, 36)) for c in said[4:] + said[:4])) % 97 == 1:
            return size
    return 0


def _is_address(text: str) -> bool:
    """Nobody's own, such as 127.0.0.1, is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
