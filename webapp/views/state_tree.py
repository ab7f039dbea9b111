"""A JSON value as a tree of lines that fits a page: what is large is folded, what changed is open.

Rules of this file: which lines are shown; no words of sentences, no HTML. At most `lines` lines, whatever the value:
first the members of the opened value, then what leads to a change, then the rest from the outside in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.agui.changes import NOTHING, Mark, Path
from webapp.views import state_words as words
from webapp.views.content import showable
from webapp.views.names import clip, count

ROOT = 100  # members of the opened value that are shown at once
INNER = 24  # a container with more members stays folded until it is opened
DEEP = 10  # levels below the opened value
TEXT = 160  # characters of a text in a line
KEY = 80
FOLLOWED = 60  # changes that are made visible by opening what they are in

Link = Callable[[Path, int | None], str]


@dataclass(frozen=True, slots=True)
class Node:
    """One line. cls: kind of the value; text: a scalar, or how many members a container has.

    mark: class of a change, with its sign and word; was: what stood here; href: opens this value alone;
    children: None = a scalar or a folded container; rest: words for what is not shown of the members, with rest_href
    """

    key: str
    index: bool
    cls: str
    text: str
    long: str
    href: str
    mark: str = ""
    sign: str = ""
    word: str = ""
    was: str = ""
    children: Sequence[Node] | None = None
    rest: str = ""
    rest_href: str = ""


class Tree:
    """Builds the lines of one value. focus: its own path, which all marks' paths are compared with."""

    def __init__(
        self, value: Any, focus: Path, marks: Sequence[Mark], link: Link, lines: int, start: int
    ) -> None:
        self.value, self.focus, self.link = value, focus, link
        size = len(focus)
        mine = [mark for mark in marks if mark.path[:size] == focus]
        self.set = {mark.path: mark for mark in mine if mark.sign != "-"}
        self.ghosts: dict[Path, list[Mark]] = {}
        for mark in mine:
            if mark.sign == "-" and len(mark.path) > size:
                self.ghosts.setdefault(mark.path[:-1], []).append(mark)
        self.wanted = {m.path[:n] for m in mine[:FOLLOWED] for n in range(size + 1, len(m.path))}
        self.left = lines
        self.start = start
        self.shown: dict[Path, list[str | int]] = {}
        self._plan()

    # ── which containers are open, and which of their members are shown ──

    def _plan(self) -> None:
        if not _container(self.value):
            return
        waiting: deque[tuple[Path, Any]] = deque([(self.focus, self.value)])
        later: deque[tuple[Path, Any]] = deque()
        self._open(*waiting.popleft(), waiting, later)
        while waiting:  # what leads to a change
            self._open(*waiting.popleft(), waiting, later)
        while later:
            path, value = later.popleft()
            deep = len(path) - len(self.focus) > DEEP
            if len(value) <= INNER and not deep and self.left >= len(value):
                self._open(path, value, later, later)

    def _open(
        self, path: Path, value: Any, waiting: deque[tuple[Path, Any]], later: deque[tuple[Path, Any]]
    ) -> None:
        if self.left <= 0 or len(path) - len(self.focus) > 2 * DEEP:
            return
        keys = list(value) if isinstance(value, dict) else range(len(value))
        first = min(self.start, max(0, len(keys) - 1)) if path == self.focus else 0
        most = min(ROOT if path == self.focus else INNER, self.left)
        chosen: list[str | int] = list(keys[first : first + most])
        known = set(chosen)
        marked = [
            m.path[-1] for m in self.set.values() if len(m.path) == len(path) + 1 and m.path[:-1] == path
        ]
        marked += [p[-1] for p in self.wanted if len(p) == len(path) + 1 and p[:-1] == path]
        chosen += [key for key in dict.fromkeys(marked) if key not in known and _has(value, key)][:20]
        self.shown[path] = chosen
        self.left -= len(chosen) + len(self.ghosts.get(path, ())) + 1
        for key in chosen:
            inner = (*path, key)
            child = value[key]
            if _container(child) and child:
                (waiting if inner in self.wanted else later).append((inner, child))

    # ── the lines ──

    def node(self) -> Node:
        return self._node("", False, self.focus, self.value)

    def _node(self, key: str, index: bool, path: Path, value: Any) -> Node:
        mark = self.set.get(path)
        more = {} if mark is None else _marked(mark)
        if not _container(value) or not value:
            return self._leaf(key, index, path, value, more)
        cls = "o" if isinstance(value, dict) else "a"
        href = self.link(path, None) if path != self.focus else ""
        keys = self.shown.get(path)
        if keys is None:
            return Node(key, index, cls, words.brief(value), "", href, **more)
        children = [self._node(*_key(each), (*path, each), value[each]) for each in keys]
        for ghost in self.ghosts.get(path, ())[:20]:
            children.insert(self._ghost_place(ghost, keys), _ghost(ghost))
        left = len(value) - len(keys)
        if left > 0:
            first = self.start if path == self.focus else 0
            behind = first + ROOT if path == self.focus else 0
            more["rest"] = f"{count(left)} more not shown"
            more["rest_href"] = self.link(path, behind if behind < len(value) else 0)
        return Node(key, index, cls, words.counted(value), "", href, children=children, **more)

    def _leaf(self, key: str, index: bool, path: Path, value: Any, more: dict[str, Any]) -> Node:
        if isinstance(value, str):
            long = words.chars(value) if len(value) > TEXT else ""
            href = self.link(path, None) if long else ""
            return Node(key, index, "s", words.scalar(value, TEXT), long, href, **more)
        cls = "n" if isinstance(value, int | float) and not isinstance(value, bool) else "b"
        return Node(key, index, cls, words.brief(value), "", "", **more)

    def _ghost_place(self, ghost: Mark, keys: Sequence[str | int]) -> int:
        """A removed element of a list stands before the one that took its index; a removed member at the end."""
        key = ghost.path[-1]
        return keys.index(key) if isinstance(key, int) and key in keys else len(keys) + 20


def _marked(mark: Mark) -> dict[str, Any]:
    return {
        "mark": words.SIGN_CLASS[mark.sign],
        "sign": words.SIGN[mark.sign],
        "word": words.SIGN_WORD[mark.sign],
        "was": "" if mark.was is NOTHING else words.brief(mark.was),
    }


def _ghost(mark: Mark) -> Node:
    name, index = _key(mark.path[-1])
    return Node(name, index, "gone", words.brief(mark.was), "", "", **{**_marked(mark), "was": ""})


def _key(key: str | int) -> tuple[str, bool]:
    if isinstance(key, int):
        return str(key), True
    return showable(clip(key, KEY)) or '""', False


def _container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _has(value: Any, key: str | int) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(key, int) and 0 <= key < len(value)
