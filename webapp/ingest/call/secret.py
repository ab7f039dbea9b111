"""The credential of a call, taken out of what the agent sends back.

Rules of this file: pure. Every spelling is overwritten at its own length before anything is stored; bytes wait only
while they may be the beginning of one.
"""

from __future__ import annotations

import json

from webapp.errors import BadInput

SHORTEST = 8  # characters of a value that is looked for: a shorter one would be found in ordinary words
LONGEST = 8_192
_HEAD = b"[secret]"


def authorization(text: str) -> str:
    """The value of the `Authorization` header, "" for none. Raises BadInput, which does not repeat it."""
    value = text.strip()
    if len(value) > LONGEST:
        raise BadInput(f"The Authorization value is longer than {LONGEST:,} characters.")
    if not value.isascii() or not value.isprintable():
        raise BadInput("The Authorization value holds a line end or a character that no header can carry.")
    return value


class Overwriter:
    """Takes pieces, gives pieces; `close` gives what still waited. count: values overwritten."""

    def __init__(self, value: str) -> None:
        self.count = 0
        self._held = b""
        spellings = [value, *value.partition(" ")[2:]]  # `Bearer abc…` and `abc…`
        spellings += [json.dumps(each)[1:-1] for each in spellings]
        found = {each.strip().encode() for each in spellings if len(each.strip()) >= SHORTEST}
        self._secrets = sorted(found, key=len, reverse=True)

    def feed(self, data: bytes) -> bytes:
        if not self._secrets:
            return data
        data = self._held + data
        for secret in self._secrets:
            if secret in data:
                self.count += data.count(secret)
                data = data.replace(secret, _HEAD + b"*" * (len(secret) - len(_HEAD)))
        keep = max(_overlap(data, secret) for secret in self._secrets)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def close(self) -> bytes:
        held, self._held = self._held, b""
        return held


def _overlap(data: bytes, secret: bytes) -> int:
    """How many bytes at the end of `data` the secret begins with."""
    for length in range(min(len(secret) - 1, len(data)), 0, -1):
        if data.endswith(secret[:length]):
            return length
    return 0
