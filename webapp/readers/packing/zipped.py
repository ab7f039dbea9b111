"""The files of a zip archive, within bounds: how many, how large they grow, how much they grow by.

Rules of this file: the archive's own tables and bytes only; what is in a file, `parts` looks at. Nothing is written
under a name from the archive. The directory is measured before it is read, since a small file may list millions of
entries.

Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.14 to 4.3.16)
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from webapp.readers.limits import TooLarge
from webapp.readers.packing.unpack import MAX_RATIO, RATIO_FROM
from webapp.readers.several import PIECE, Refused

MAX_MEMBERS = 1000
MAX_DIRECTORY = 1_000_000  # bytes of the table of entries
MAX_NAME = 200
_END = b"PK\x05\x06"
_TAIL = 65_536 + 22
_HIDDEN = ("__MACOSX/", ".")
FEWER = "Pack the recordings alone, or give them one by one; nothing of it was stored."
BROKEN = "The zip archive is damaged and cannot be opened."


@dataclass(frozen=True, slots=True)
class Member:
    """number: from 1, in the order of the archive; locked: it needs a password."""

    number: int
    name: str
    size: int
    locked: bool
    info: zipfile.ZipInfo


class Archive:
    """Raises Refused or TooLarge for what is not opened. limit: bytes of all files together."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        _measure(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error) as error:
            raise Refused(BROKEN) from error
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(infos) > MAX_MEMBERS:
            raise Refused(
                f"The zip archive holds {len(infos):,} files; {MAX_MEMBERS:,} are the most that are looked at. {FEWER}"
            )
        total = sum(info.file_size for info in infos)
        if total > limit:
            raise TooLarge(limit)
        for info in infos:
            if info.file_size > RATIO_FROM and info.file_size > max(info.compress_size, 1) * MAX_RATIO:
                raise Refused(
                    f"A file of the zip archive grows to more than {MAX_RATIO:,} times its size; no recording does, so "
                    "the archive was not read."
                )
        self.members = [
            Member(number, _shown(info.filename), info.file_size, bool(info.flag_bits & 1), info)
            for number, info in enumerate(infos, 1)
            if not _hidden(info.filename)
        ]

    def pieces(self, member: Member) -> Iterator[bytes]:
        """The file's bytes; a damaged one raises Refused where the damage is."""
        read = 0
        try:
            with self._zip.open(member.info) as source:
                while piece := source.read(PIECE):
                    read += len(piece)
                    if read > member.size:
                        raise Refused(BROKEN)
                    yield piece
        except Refused:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
            raise Refused(
                f"{member.name} in the zip archive cannot be read: it is damaged or packed in an unknown way."
            ) from error


def _measure(file: IO[bytes]) -> None:
    """Refuse a table of entries that is too large, before anything makes objects of it."""
    end = file.seek(0, 2)
    start = max(0, end - _TAIL)
    file.seek(start)
    tail = file.read(_TAIL)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise Refused(BROKEN)
    count, size = struct.unpack("<HI", tail[at + 10 : at + 16])
    if size == 0xFFFFFFFF or count == 0xFFFF:
        locator = tail.rfind(b"PK\x06\x07", 0, at)
        record = tail.rfind(b"PK\x06\x06", 0, at)
        if locator < 0 or record < 0 or len(tail) - record < 56:
            raise Refused(BROKEN)
        count, size = struct.unpack("<QQ", tail[record + 32 : record + 48])
    if count > MAX_MEMBERS * 2 or size > MAX_DIRECTORY:
        raise Refused(
            f"The zip archive holds more than {MAX_MEMBERS:,} files, the most that are looked at. {FEWER}"
        )
    file.seek(0)


def _hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(_HIDDEN)


def _shown(name: str) -> str:
    plain = name.replace("\\", "/")
    return "".join(ch if ch.isprintable() else "\ufffd" for ch in plain)[-MAX_NAME:]
