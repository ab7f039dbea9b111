"""Credentials in what comes in are overwritten before anything is kept, read or shown.

Rules of this file: going through the bytes; what a credential looks like is in `names` and `shapes`, where
none can be in `signs`. A marker is as long as what it stands for, so no offset, line or JSON string moves. Any
split of the bytes gives the same result: a place is judged only when WINDOW bytes behind it are there, and on nothing
further off. Where a value ends may be further off: until then every byte of it is overwritten as it comes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from webapp.core.masking import names, signs
from webapp.core.masking.found import BACK, HEAD, LONGEST, WINDOW, Found, Quote

STEP = 64 * 1024  # bytes gathered before they are gone through
CONTEXT = 256  # bytes in front of a place that are looked at
NEXT = 512  # bytes in which the next string of a list begins


class Masker:
    """Incremental. count: credentials overwritten so far; a marker that was there before is none.

    window, step: smaller ones make tests fast; the window decides how far off a value may say that it is one
    """

    def __init__(self, window: int = WINDOW, step: int = STEP) -> None:
        self.count = 0
        self._window = window
        self._step = step
        self._waiting: list[bytes] = []
        self._size = 0  # of what waits
        self._data = b""  # CONTEXT, then what was not handed on
        self._sent = 0  # handed on up to here
        self._seen = 0  # judged up to here
        self._open: Found | None = None  # a value whose end has not come
        self._list: Quote | None = None  # a string of a list has ended here, and perhaps another follows

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; those that are settled, perhaps none."""
        self._waiting.append(chunk)
        self._size += len(chunk)
        if self._size < self._step:
            return b""
        return self._go(last=False)

    def close(self) -> bytes:
        """The input ended: the rest."""
        return self._go(last=True)

    def pieces(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same text with its credentials overwritten."""
        for chunk in chunks:
            if done := self.feed(chunk):
                yield done
        if done := self.close():
            yield done

    # ── going through ────────────────────────────────────────

    def _go(self, last: bool) -> bytes:
        data = self._data = b"".join((self._data, *self._waiting))
        self._waiting.clear()
        self._size = 0
        out: list[bytes] = []
        if self._settled(out, last):
            self._search(out, last)
        if last:
            out.append(data[self._sent :])
            self._data, self._sent, self._seen = b"", 0, 0
        else:
            self._drop()
        return b"".join(out)

    def _search(self, out: list[bytes], last: bool) -> None:
        """Judge the places that can be judged."""
        data = self._data
        limit = len(data) if last else len(data) - self._window
        if limit <= self._seen:
            return
        for at, look, place in self._places(data, limit):
            if at < self._seen:
                continue  # it lies in a value that was overwritten
            for found in look(data, place, min(len(data), at + self._window)):
                if found.start >= self._sent:
                    self._begin(found, out)
                    if not self._settled(out, last):
                        return
        self._seen = max(self._seen, limit)
        sent = max(self._sent, limit - BACK)
        out.append(data[self._sent : sent])
        self._sent = sent

    def _places(self, data: bytes, limit: int) -> list[tuple[int, Any, Any]]:
        """Where something begins that may be a credential, in order."""
        places: list[tuple[int, Any, Any]] = []
        looks = signs.present(data, self._seen, limit)
        low = data.lower() if any(each.lower for each in looks) else data
        for each in looks:
            for place in each.pattern.finditer(low if each.lower else data, self._seen):
                if place.start() >= limit:
                    break
                places.append((place.start(), each.look, place))
        places.sort(key=_where)
        return places

    def _begin(self, found: Found, out: list[bytes]) -> None:
        data, start = self._data, found.start
        out.append(data[self._sent : start])
        self._sent = start
        self.count += found.counts
        if found.head and not found.kept:
            near = min(len(data), start + len(HEAD) + LONGEST)
            end = _end(found, data, start, near)
            if (near if end < 0 else end) - start >= len(HEAD):
                out.append(HEAD)
                self._sent += len(HEAD)
        self._open = found

    def _settled(self, out: list[bytes], last: bool) -> bool:
        """Overwrite what is open up to its end, and the list it is in; False: more bytes are needed for that."""
        data, size = self._data, len(self._data)
        while True:
            if (found := self._open) is not None:
                at = self._sent
                end = _end(found, data, at, size)
                whole = end >= 0 or last
                if end < 0:
                    end = size if last or isinstance(found.until, int) else found.until.settled(data, at)
                end = max(end, at)
                out.append(data[at:end] if found.kept else b"*" * (end - at))
                self._sent = end
                self._seen = max(self._seen, end)
                if not whole:
                    return False
                self._open = None
                if found.chain and isinstance(found.until, Quote):
                    self._list = found.until
            if self._list is None:
                return True
            if size - self._sent < NEXT and not last:
                return False
            following = names.next_of_list(data, self._sent, min(size, self._sent + NEXT), self._list)
            self._list = None
            if following is None:
                return True
            self._begin(following, out)

    def _drop(self) -> None:
        """Forget what was handed on, but for the context."""
        cut = max(0, self._sent - CONTEXT)
        self._data = self._data[cut:]
        self._sent -= cut
        self._seen -= cut
        if self._open is not None:
            self._open = self._open._replace(start=max(0, self._open.start - cut))


def _where(place: tuple[int, Any, Any]) -> int:
    return place[0]


def _end(found: Found, data: bytes, at: int, stop: int) -> int:
    return found.until if isinstance(found.until, int) else found.until.end(data, at, found.start, stop)


def masked(data: bytes) -> tuple[bytes, int]:
    """The bytes with their credentials overwritten, and how many there were."""
    masker = Masker()
    begun = masker.feed(data)
    return begun + masker.close(), masker.count


def masked_text(text: str) -> tuple[str, int]:
    """The same of a text; half a character that no encoder takes stays."""
    data, count = masked(text.encode("utf-8", "surrogatepass"))
    return (data.decode("utf-8", "surrogatepass"), count) if count else (text, 0)


def masked_json(value: Any) -> tuple[Any, int]:
    """The same of a JSON value."""
    text, count = masked_text(json.dumps(value, ensure_ascii=False))
    return (json.loads(text), count) if count else (value, 0)
