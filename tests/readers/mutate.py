"""Samples for the fuzz test: what stands for each form, and how it is spoilt.

Rules of this file: everything comes from the random numbers given, so that a seed says all. Samples stay small enough
(MAX_BYTES) that thousands of them are read in minutes.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import zstandard

from tests.readers.pieces import BEGINNINGS, EXPORTS
from tests.readers.pieces_dumps import DUMP_PIECES
from tests.readers.pieces_texts import TEXT_PIECES
from tests.readers.several import FILES
from tests.readers.wrapping import CLEAN, FAULT, WRAPS
from tests.readers.wrapping_teams import FAULT as REFUSED
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS

MAX_BYTES = 300_000
FOLDER = Path(__file__).parent / "forms"

Mutation = Callable[[Random, bytes], bytes]


def originals() -> list[bytes]:
    """Whole files of every form, none of them spoilt."""
    out = [wrap(events) for _, wrap in WRAPS.values() for events in (CLEAN, FAULT)]
    out += [wrap.make(calls) for wrap in TEAMS_WRAPS.values() for calls in (GOOD, REFUSED)]
    out += [data for data, _ in FILES.values()]
    out += [path.read_bytes() for path in sorted(FOLDER.rglob("*")) if path.is_file()]
    return out


ORIGINALS = originals()
# words that mean something to one reader or another
WORDS = sorted(
    {
        piece
        for pieces in (EXPORTS, DUMP_PIECES, TEXT_PIECES, BEGINNINGS)
        for one in pieces.values()
        for piece in one
    }
)
ODD = (
    b"\0", b"\r", b"\r\n", b"\n\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\\ud83d", b"\\u0000", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b[31m", b"\x0b", b"\x0c", b"\x1c",
    b"\\", b'"', b"'", b"`",
)  # fmt: skip
NUMBERS = (
    b"1e999",
    b"-1e999",
    b"-0",
    b"NaN",
    b"Infinity",
    b"1e-999",
    b"9" * 25,
    b"9" * 5000,
    b"0x1f",
    b"1_0",
    b"1.5.5",
)
VALUES = (
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'""',
    b"{'a': 1}",
    b"[Object]",
    b"None",
    b"1e400",
    b'{"type":{"type":[]}}',
)
OPENERS = (
    b"[",
    b"{",
    b"(",
    b'{"a":',
    b"[[{",
    b"{'a': ",
    b"{ a: ",
    b"X(a=",
    b"<",
    b'"\\',
    b"\x1b[",
    b"> ",
    b"`",
    b"```\n",
)
FILLERS = (
    b" ",
    b"\t",
    b"a",
    b"0",
    b"1:",
    b"=",
    b'"',
    b"'",
    b"\\",
    b"\\'",
    b'\\"',
    b",",
    b"-",
    b"/",
    b"%41",
    b":",
    b".",
    b"\x1b",
)


def long(rng: Random, most: int) -> int:
    """A length, small ones as likely as large ones."""
    return int(most ** rng.random())


def place(rng: Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def span(rng: Random, data: bytes) -> tuple[int, int]:
    a, b = sorted((place(rng, data), place(rng, data)))
    return a, min(b, a + long(rng, 4000))


def put(rng: Random, data: bytes, piece: bytes) -> bytes:
    """Insert it anywhere, mostly where a line or a token begins."""
    at = place(rng, data)
    if rng.random() < 0.5:
        at = data.find(rng.choice((b"\n", b":", b'"', b" ", b"{")), at) + 1
    return data[:at] + piece + data[at:]


def flip(rng: Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def cut(rng: Random, data: bytes) -> bytes:
    a, b = span(rng, data)
    return rng.choice((data[:b], data[a:], data[:a] + data[b:]))


def double(rng: Random, data: bytes) -> bytes:
    a, b = span(rng, data)
    return data[:b] + data[a:b] * long(rng, 50) + data[b:]


def splice(rng: Random, data: bytes) -> bytes:
    other = rng.choice(ORIGINALS)
    if rng.random() < 0.3:
        mine, its = data.split(b"\n"), other.split(b"\n")
        return b"\n".join(line for pair in zip(mine, its, strict=False) for line in pair)
    return data[: place(rng, data)] + other[place(rng, other) :]


def word(rng: Random, data: bytes) -> bytes:
    return put(rng, data, rng.choice(WORDS))


def odd(rng: Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 5)):
        data = put(rng, data, rng.choice(ODD))
    return data


def recode(rng: Random, data: bytes) -> bytes:
    """All of it or its end in another encoding."""
    at = 0 if rng.random() < 0.6 else place(rng, data)
    names = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7", "cp1252")
    return data[:at] + data[at:].decode("utf-8", "replace").encode(rng.choice(names), "replace")


def lines(rng: Random, data: bytes) -> bytes:
    """Lines repeated, shuffled, turned around, left out, or with other ends."""
    rows = data.split(b"\n")
    what = rng.randrange(6)
    if what == 0:
        at = rng.randrange(len(rows))
        rows[at:at] = [rows[at]] * long(rng, 500)
    elif what == 1:
        rng.shuffle(rows)
    elif what == 2:
        rows.reverse()
    elif what == 3:
        rows = [row for row in rows if rng.random() < 0.8]
    elif what == 4:
        at = rng.randrange(len(rows))
        rows = [row for row in rows[:at] for _ in (0, 1)] + rows[at:]
    else:
        return data.replace(
            b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"", b" ", b"\\n", b"\xe2\x80\xa8"))
        )
    return b"\n".join(rows)


def number(rng: Random, data: bytes) -> bytes:
    at = next((n for n in range(place(rng, data), len(data)) if 48 <= data[n] <= 57), None)
    if at is None:
        return put(rng, data, rng.choice(NUMBERS))
    end = at
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    return data[:at] + rng.choice(NUMBERS) + data[end:]


def value(rng: Random, data: bytes) -> bytes:
    """Another value behind a colon or equals sign."""
    at = max(data.find(sign, place(rng, data)) for sign in (b":", b"="))
    end = next((n for n in range(at + 1, len(data)) if data[n] in b",}]\n "), len(data))
    return data[: at + 1] + rng.choice(VALUES) + data[end:]


def deep(rng: Random, data: bytes) -> bytes:
    opener = rng.choice(OPENERS)
    return put(rng, data, opener * long(rng, 60_000 // len(opener)))


def filler(rng: Random, data: bytes) -> bytes:
    piece = rng.choice(FILLERS)
    return put(rng, data, piece * long(rng, 100_000 // len(piece)))


def prefix(rng: Random, data: bytes) -> bytes:
    """Something before every line."""
    before = rng.choice(
        (
            b"data: ",
            b"> ",
            b"  ",
            b"2026-09-01 10:00:00,123 INFO x ",
            b"[DEBUG] app ",
            b"\x1b[32m",
            b"< ",
            b"* ",
            b"\t",
            b"+",
        )
    )
    return b"".join(before + row for row in data.splitlines(keepends=True))


def nest(rng: Random, data: bytes) -> bytes:
    """One form inside another, or packed."""
    text = data.decode("utf-8", "replace")
    what = rng.randrange(9)
    if what == 0:
        return b"```\n" + data + b"\n```\n"
    if what == 1:
        return b"".join(b"data: " + json.dumps(row).encode() + b"\n\n" for row in text.split("\n"))
    if what == 2:
        content = {"mimeType": "text/event-stream", "text": text}
        entry = {"request": {"method": "POST", "url": "/x"}, "response": {"status": 200, "content": content}}
        return json.dumps({"log": {"version": "1.2", "entries": [entry]}}).encode()
    if what == 3:
        return json.dumps([{"event": text, "type": "RAW"}, text]).encode()
    if what == 4:
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (
            len(data),
            data,
        )
    if what == 5:
        return base64.encodebytes(data)
    if what == 6:
        return gzip.compress(data, 1, mtime=0)
    if what == 7:
        return zstandard.ZstdCompressor(level=1).compress(data)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a.sse", "b.json")[: rng.randint(1, 2)]:
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


MUTATIONS: tuple[Mutation, ...] = (
    flip, cut, double, splice, word, word, odd, recode, lines, lines, number, value, value, deep, filler, prefix, nest,
)  # fmt: skip


def sample(seed: int) -> bytes:
    """The bytes of a seed, always the same."""
    rng = Random(seed)
    data = rng.choice(ORIGINALS)
    for _ in range(rng.choice((1, 1, 2, 2, 3, 5))):
        data = rng.choice(MUTATIONS)(rng, data)[:MAX_BYTES]
    return data
