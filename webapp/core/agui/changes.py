"""What a change did to a value, path by path: added, removed, changed, with what was there and what is.

Rules of this file: pure comparison of JSON values. A patch is followed operation by operation, so that an element put
into a list is one addition and not a change of all behind it. Bounded: MAX_OPERATIONS, MAX_MARKS, MAX_STEPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from webapp.core.agui.equal import same
from webapp.core.agui.patch import Copies, patched
from webapp.core.agui.pointers import Refused, index_of, tokens_of

MAX_OPERATIONS = 300  # of one patch that are followed
MAX_MARKS = 300
MAX_STEPS = 60_000  # values compared of two snapshots

Path = tuple[str | int, ...]


class _Nothing:
    """In place of a value that is not there; `null` is a value."""


NOTHING = _Nothing()


class Mark(NamedTuple):
    """One changed place. sign: `+` added, `-` removed, `~` changed; path as it is afterwards, indices as numbers.

    A removed element of a list stood before the one that has its index now.
    """

    sign: str
    path: Path
    was: Any = NOTHING
    now: Any = NOTHING


class Marks(NamedTuple):
    """In order; cut: whether there are more than are listed."""

    all: Sequence[Mark]
    cut: bool = False


NONE = Marks(())


def by_patch(before: Any, operations: Sequence[dict[str, Any]]) -> Marks:
    """The marks of a patch that applies to `before`."""
    book = _Book()
    held, copies = before, Copies()
    for op in operations[:MAX_OPERATIONS]:
        after, failure = patched(held, [op], copies)
        if failure is not None:
            break
        if op["op"] != "test":
            book.note(op, held, after)
        held = after
    found = book.marks()
    return Marks(found[:MAX_MARKS], len(operations) > MAX_OPERATIONS or len(found) > MAX_MARKS)


def by_snapshot(before: Any, after: Any) -> Marks:
    """The marks of a whole value that took the place of another."""
    walk = _Compare()
    walk.pair(before, after, ())
    return Marks(walk.found[:MAX_MARKS], walk.cut or len(walk.found) > MAX_MARKS)


def at(value: Any, path: Path) -> Any:
    """What stands at a path, or NOTHING."""
    for key in path:
        if isinstance(value, dict):
            if key not in value:
                return NOTHING
            value = value[key]
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return NOTHING
    return value


def resolved(value: Any, tokens: Sequence[str]) -> Path:
    """The tokens of a pointer as a path in this value; `-` and what lies behind a list's end name its last element."""
    path: list[str | int] = []
    for token in tokens:
        if isinstance(value, list):
            index = len(value) - 1 if token == "-" else min(index_of(token), len(value) - 1)
            path.append(index)
            value = value[index] if 0 <= index < len(value) else None
        else:
            path.append(token)
            value = value.get(token) if isinstance(value, dict) else None
    return tuple(path)


class _Book:
    """The marks so far; later operations move, merge and undo earlier ones."""

    def __init__(self) -> None:
        self.set: dict[Path, Mark] = {}  # added and changed
        self.ghosts: list[Mark] = []  # removed

    def marks(self) -> list[Mark]:
        changed = [m for m in self.set.values() if m.sign == "+" or not _same(m.was, m.now)]
        return [*changed, *self.ghosts]

    def note(self, op: dict[str, Any], held: Any, after: Any) -> None:
        kind = op["op"]
        try:
            target = tokens_of(op["path"])
            if kind in ("remove", "move"):
                source = target if kind == "remove" else tokens_of(op["from"])
                self._removed(resolved(held, source), held)
            if kind != "remove":
                self._put(resolved(after, target), held, after, insert=kind != "replace")
        except (Refused, KeyError):
            return

    def _removed(self, path: Path, held: Any) -> None:
        was = at(held, path)
        if not path:
            self._changed((), held, None)
            return
        if was is NOTHING:
            return
        known = self.set.get(path)
        self._forget(path)
        if isinstance(path[-1], int):
            self._shift(path[:-1], path[-1] + 1, -1)
        if known is None or known.sign == "~":
            self.ghosts.append(Mark("-", path, was if known is None else known.was))

    def _put(self, path: Path, held: Any, after: Any, *, insert: bool) -> None:
        now = at(after, path)
        if not path:
            self._changed(path, held, now)
        elif isinstance(path[-1], int) and insert:
            self._shift(path[:-1], path[-1], 1)
            self.set[path] = Mark("+", path, now=now)
        else:
            self._changed(path, at(held, path), now)

    def _changed(self, path: Path, was: Any, now: Any) -> None:
        # a removed member that comes back is changed; a removed element of a list stays removed
        named = bool(path) and isinstance(path[-1], str)
        ghost = next((g for g in self.ghosts if g.path == path), None) if named else None
        known = self.set.get(path)
        if known is not None:
            sign, was = known.sign, known.was
        elif ghost is not None:
            self.ghosts.remove(ghost)
            sign, was = "~", ghost.was
        else:
            sign = "+" if was is NOTHING else "~"
        self._forget(path)
        self.set[path] = Mark(sign, path, was, now)

    def _forget(self, path: Path) -> None:
        """What was noted at a path and below it."""
        size = len(path)
        self.set = {p: m for p, m in self.set.items() if p[:size] != path}
        self.ghosts = [g for g in self.ghosts if g.path[:size] != path or g.path == path]

    def _shift(self, holder: Path, start: int, by: int) -> None:
        """Elements of the list at `holder` from index `start` on have moved by one place."""
        self.set = {
            moved: mark._replace(path=moved)
            for path, mark in self.set.items()
            for moved in [_moved(path, holder, start, by)]
        }
        self.ghosts = [g._replace(path=_moved(g.path, holder, start, by)) for g in self.ghosts]


def _moved(path: Path, holder: Path, start: int, by: int) -> Path:
    size = len(holder)
    key = path[size] if len(path) > size and path[:size] == holder else None
    if not isinstance(key, int) or key < start:
        return path
    return (*holder, key + by, *path[size + 1 :])


class _Compare:
    """Two values side by side, what is equal skipped."""

    def __init__(self) -> None:
        self.found: list[Mark] = []
        self.left = MAX_STEPS
        self.cut = False

    def pair(self, was: Any, now: Any, path: Path) -> None:
        self.left -= 1
        if was is now:
            return
        if self.left < 0 or len(self.found) > MAX_MARKS or len(path) > 150:
            self.cut = True
        elif isinstance(was, dict) and isinstance(now, dict):
            for key in now:
                if key in was:
                    self.pair(was[key], now[key], (*path, key))
                else:
                    self.found.append(Mark("+", (*path, key), now=now[key]))
            self.found += [Mark("-", (*path, key), was[key]) for key in was if key not in now]
        elif isinstance(was, list) and isinstance(now, list):
            self._lists(was, now, path)
        elif not _same(was, now):
            self.found.append(Mark("~", path, was, now))

    def _lists(self, was: list[Any], now: list[Any], path: Path) -> None:
        """Equal beginnings and ends stay out of it, so one element put in is one mark."""
        head, shorter = 0, min(len(was), len(now))
        while head < shorter and _same(was[head], now[head]):
            head += 1
        tail = 0
        while tail < shorter - head and _same(was[-1 - tail], now[-1 - tail]):
            tail += 1
        self.left -= head + tail
        old, new = was[head : len(was) - tail], now[head : len(now) - tail]
        for index, (one, other) in enumerate(zip(old, new, strict=False), head):
            self.pair(one, other, (*path, index))
        both = min(len(old), len(new))
        self.found += [Mark("+", (*path, head + n), now=new[n]) for n in range(both, len(new))][:MAX_MARKS]
        self.found += [Mark("-", (*path, head + both), old[n]) for n in range(both, len(old))][:MAX_MARKS]


def _same(one: Any, other: Any) -> bool:
    """Python's own look first: it is quick, and what it calls different is."""
    try:
        return one is other or (bool(one == other) and same(one, other))
    except RecursionError:
        return False
