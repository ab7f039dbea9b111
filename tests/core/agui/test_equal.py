"""Values are compared as JSON, wherever they stand."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.core.agui.changes import by_patch, by_snapshot
from webapp.core.agui.equal import same

DIFFERENT: list[tuple[Any, Any]] = [(1, True), (0, False), ("1", 1), (None, False), ({}, []), ([], None)]
EQUAL: list[tuple[Any, Any]] = [(1, 1.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([[]], [[]]), (None, None)]
AROUND: list[Any] = [lambda value: value, lambda value: [value], lambda value: {"a": [0, {"b": value}]}]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_json_tells_apart_is_not_the_same(one: Any, other: Any, around: Any) -> None:
    """At the top and deep inside, and the State panel marks it as changed."""
    assert not same(around(one), around(other))
    assert by_snapshot({"x": around(one)}, {"x": around(other)}).all


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_json_does_not_tell_apart_is_the_same(one: Any, other: Any, around: Any) -> None:
    """Kinds of numbers and the order of members."""
    assert same(around(one), around(other))
    assert not by_snapshot({"x": around(one)}, {"x": around(other)}).all


def test_a_patch_that_turns_a_number_into_true_is_a_change() -> None:
    """Python takes the two for equal."""
    marks = by_patch({"a": {"x": 1}}, [{"op": "replace", "path": "/a", "value": {"x": True}}])
    assert marks.all
