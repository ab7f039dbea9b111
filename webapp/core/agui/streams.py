"""The chunk streams that are open, by lane, by id and by kind.

Rules of this file: an index and nothing else. Streams begin and end through `begin` and `finish` only, in the order
they were opened; no look-up costs more because many lanes are open.
"""

from __future__ import annotations

from typing import Any

from webapp.core.findings import Finding
from webapp.core.kinds import ItemKind
from webapp.core.records import Item

Lane = str | None


class Stream:
    """An open chunk stream: one a lane, of one kind. `named` is False after a first chunk without the id it needs."""

    __slots__ = ("established", "finding", "id", "item", "kind", "named", "opened", "tag")

    def __init__(
        self, kind: ItemKind, id_: str, item: Item, tag: str | None, opened: int, established: dict[str, Any]
    ) -> None:
        self.kind, self.id, self.item, self.tag = kind, id_, item, tag
        self.opened, self.established, self.named = opened, established, True
        self.finding: Finding | None = None  # of a nameless stream: what was said about its first chunk


class Streams(dict[Lane, Stream]):
    """Lane -> its open stream."""

    def __init__(self) -> None:
        super().__init__()
        self._named: dict[tuple[str, str], dict[Lane, Stream]] = {}
        self._kinds: dict[str, dict[Lane, Stream]] = {}

    def begin(self, lane: Lane, stream: Stream) -> None:
        """A stream opens in a lane that has none."""
        self[lane] = stream
        self._kinds.setdefault(stream.kind, {})[lane] = stream
        if stream.named:
            self._named.setdefault((stream.kind, stream.id), {})[lane] = stream

    def finish(self, lane: Lane) -> Stream:
        """The stream of a lane ends."""
        stream = self.pop(lane)
        del self._kinds[stream.kind][lane]
        if stream.named:
            same = self._named[stream.kind, stream.id]
            del same[lane]
            if not same:
                del self._named[stream.kind, stream.id]
        return stream

    def holder(self, kind: ItemKind, id_: str) -> tuple[Lane, Stream] | None:
        """Who streams the item of this id: the one that began first."""
        same = self._named.get((kind, id_))
        return next(iter(same.items())) if same else None

    def of_kind(self, kind: str) -> dict[Lane, Stream]:
        """The open streams of one kind; not to be changed."""
        return self._kinds.get(kind, {})
