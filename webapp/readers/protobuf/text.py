"""Frames written down as text: base64 (of the whole, in lines, or each line by itself) or hexadecimal; and back.

Rules of this file: line by line, and no line is looked at twice; what the bytes of a frame mean is not known here.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from webapp.readers.protobuf.frames import PREFIX

# bytes with which such a text may begin
FIRST = frozenset(b"\t\n\r +-/0123456789=_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\xef")
_HEX = re.compile(rb"[0-9a-fA-F]++")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]++={0,2}")
_PLAIN = bytes.maketrans(b"-_", b"+/")


class Digits:
    """hex: whether the text is hexadecimal, else base64; None: nothing is known yet."""

    def __init__(self) -> None:
        self.hex: bool | None = None
        self._carry = b""  # digits that make no whole byte yet

    @property
    def spelling(self) -> str:
        return "hexadecimal" if self.hex else "base64"

    def take(self, line: bytes, ends: Callable[[bytes], bool]) -> bytes | None:
        """The bytes of a line; None when it is no line of digits.

        ends: whether what the bytes are would end exactly with these; then the line stands for itself.
        """
        digits = b"".join(line.split())
        if not self._are_digits(digits):
            return None
        digits = self._carry + digits
        unit = 2 if self.hex else 4
        whole = len(digits) - len(digits) % unit
        data, self._carry = self._decoded(digits[:whole]), digits[whole:]
        if self._carry and not self.hex and ends(data + self._decoded(self._carry)):
            data += self.rest()
        return data

    def rest(self) -> bytes:
        """The bytes of the digits that are left when a text ends."""
        digits, self._carry = self._carry, b""
        return self._decoded(digits)

    def _are_digits(self, digits: bytes) -> bool:
        if self.hex is None and _BASE64.fullmatch(digits):
            # a length begins with zeros: "0" in hexadecimal, "A" in base64
            self.hex = digits.startswith(b"0") and _HEX.fullmatch(digits) is not None
        return (_HEX if self.hex else _BASE64).fullmatch(digits) is not None

    def _decoded(self, digits: bytes) -> bytes:
        try:
            if self.hex:
                return bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
            digits = digits.rstrip(b"=")
            if len(digits) % 4 == 1:
                digits = digits[:-1]  # six bits are no byte
            return base64.b64decode(digits.translate(_PLAIN) + b"=" * (-len(digits) % 4))
        except (binascii.Error, ValueError):
            return b""


class HexLines:
    """A binary body as text that can be read line by line: each frame is a line in hexadecimal."""

    def __init__(self) -> None:
        self._prefix = b""  # of the next frame, while it is not whole
        self._missing = 0  # bytes of the frame at hand

    def feed(self, data: bytes) -> bytes:
        """The text of the next bytes."""
        out: list[str] = []
        at = 0
        while at < len(data):
            if self._missing:
                piece = data[at : at + self._missing]
                out += (" ", piece.hex(" "))
                self._missing -= len(piece)
            else:
                piece = data[at : at + PREFIX - len(self._prefix)]
                self._prefix += piece
                if len(self._prefix) == PREFIX:
                    out.append(self._prefix.hex(" "))
                    self._missing, self._prefix = int.from_bytes(self._prefix), b""
            at += len(piece)
            if not self._missing and not self._prefix:
                out.append("\n")
        return "".join(out).encode()

    def close(self) -> bytes:
        """The text of a prefix that was cut."""
        return self._prefix.hex(" ").encode()
