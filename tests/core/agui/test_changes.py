"""What a change did, path by path: by a patch followed step by step, and by comparing two values."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.core.agui.changes import NOTHING, at, by_patch, by_snapshot
from webapp.core.agui.patch import Copies, patched

Op = dict[str, Any]


def told(marks: Any) -> list[tuple[Any, ...]]:
    return [
        (m.sign, "/".join(map(str, m.path)), *(v for v in (m.was, m.now) if v is not NOTHING))
        for m in marks.all
    ]


def add(path: str, value: Any) -> Op:
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> Op:
    return {"op": "remove", "path": path}


def replace(path: str, value: Any) -> Op:
    return {"op": "replace", "path": path, "value": value}


@pytest.mark.parametrize(
    ("before", "patch", "expected"),
    [
        ({"a": 1}, [replace("/a", 2)], [("~", "a", 1, 2)]),
        ({"a": 1}, [replace("/a", 1)], []),
        ({"a": 1}, [replace("/a", True)], [("~", "a", 1, True)]),
        ({}, [add("/a", 1)], [("+", "a", 1)]),
        ({"a": 1}, [add("/a", 2)], [("~", "a", 1, 2)]),
        ({"a": 1}, [remove("/a")], [("-", "a", 1)]),
        ({"a": 1}, [remove("/a"), add("/a", 3)], [("~", "a", 1, 3)]),
        ({}, [add("/a", {}), add("/a/b", 1), remove("/a")], []),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/b"}], [("+", "b", 1), ("-", "a", 1)]),
        ({"a": 1}, [{"op": "copy", "from": "/a", "path": "/b"}], [("+", "b", 1)]),
        ({"a": 1}, [{"op": "test", "path": "/a", "value": 1}], []),
        ({"a/b": 1}, [replace("/a~1b", 2)], [("~", "a/b", 1, 2)]),
        ({"a": 1}, [replace("", {"b": 2})], [("~", "", {"a": 1}, {"b": 2})]),
        ([1, 2], [add("/-", 3)], [("+", "2", 3)]),
        ([1, 2], [add("/0", 0), add("/0", -1)], [("+", "1", 0), ("+", "0", -1)]),
        ([1, 2, 3], [replace("/2", 9), remove("/0")], [("~", "1", 3, 9), ("-", "0", 1)]),
        ([1, 2], [add("/1", 5), remove("/1")], []),
    ],
)
def test_a_patch_is_told_by_what_it_did(before: Any, patch: list[Op], expected: list[Any]) -> None:
    """Each place once, with what was there before the patch and what is there after it."""
    assert told(by_patch(before, patch)) == expected


def test_marks_of_added_and_changed_places_point_at_what_is_there() -> None:
    """Whatever later operations shift, a mark's path holds its value afterwards."""
    before = {"rows": [{"n": n} for n in range(6)], "x": 1}
    patch = [
        add("/rows/2", {"n": "new"}),
        replace("/rows/4/n", 40),
        remove("/rows/0"),
        {"op": "move", "from": "/rows/5", "path": "/rows/0"},
        add("/rows/-", {"n": "last"}),
    ]
    after, failure = patched(before, patch, Copies())
    assert failure is None
    marks = by_patch(before, patch)
    assert [m.sign for m in marks.all].count("+") == 3
    for mark in marks.all:
        if mark.sign != "-":
            assert at(after, mark.path) == mark.now


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("~", "a", 1, True)]),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, [("+", "a/c", 1), ("-", "a/b", 1)]),
        ({"a": 1}, None, [("~", "", {"a": 1}, None)]),
        ({"a": [1, 2, 3]}, {"a": [1, 9, 2, 3]}, [("+", "a/1", 9)]),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, [("-", "a/1", 2)]),
        ({"a": [1, {"b": 2}, 3]}, {"a": [1, {"b": 5}, 3]}, [("~", "a/1/b", 2, 5)]),
    ],
)
def test_a_snapshot_is_told_by_what_differs(before: Any, after: Any, expected: list[Any]) -> None:
    """Equal parts are passed over, equal beginnings and ends of lists too."""
    assert told(by_snapshot(before, after)) == expected


def test_very_many_differences_are_cut() -> None:
    """The list is bounded and says so."""
    marks = by_snapshot({str(n): n for n in range(2000)}, {str(n): n + 1 for n in range(2000)})
    assert len(marks.all) <= 300
    assert marks.cut
    assert by_patch({}, [add(f"/{n}", n) for n in range(1000)]).cut
