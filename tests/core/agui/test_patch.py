"""JSON Patch on held values: the client's semantics, nothing shared that must not be, bounded work."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import Replay
from webapp.core.agui.facts import Copies
from webapp.core.agui.patch import MAX_DEPTH, patched
from webapp.core.agui.pointers import pointer_of

CART: dict[str, Any] = {"cart": {"items": [{"n": 1}, {"n": 2}], "note": "gift"}, "user": {"name": "Ada"}}


def op(kind: str, path: str, **more: Any) -> dict[str, Any]:
    return {"op": kind, "path": path, **more}


def apply(document: Any, *operations: dict[str, Any]) -> Any:
    value, failure = patched(document, list(operations), Copies())
    assert failure is None, failure
    return value


def why(document: Any, *operations: dict[str, Any]) -> str:
    """The sentence of a patch that fails, with the document unchanged."""
    before = copy.deepcopy(document)
    value, failure = patched(document, list(operations), Copies())
    assert failure is not None
    assert value is document
    assert document == before
    return failure.sentence


def test_only_what_a_patch_touches_is_copied() -> None:
    """The old value stays as it was, and the new one shares the rest of it."""
    before = copy.deepcopy(CART)
    after = apply(CART, op("replace", "/cart/items/1/n", value=7))
    assert after["cart"]["items"] == [{"n": 1}, {"n": 7}]
    assert before == CART
    assert after["user"] is CART["user"]
    assert after["cart"]["items"][0] is CART["cart"]["items"][0]


def test_operations_of_one_patch_build_on_each_other() -> None:
    """Each operation meets what the one before it left."""
    after = apply(
        CART,
        op("add", "/cart/items/-", value={"n": 3}),
        op("remove", "/cart/items/0"),
        op("move", "/first", **{"from": "/cart/items/0"}),
        op("copy", "/cart/last", **{"from": "/cart/items/0"}),
        op("replace", "/cart/last/n", value=9),
        op("test", "/cart/items", value=[{"n": 3}]),
    )
    assert after["first"] == {"n": 2}
    assert after["cart"] == {"items": [{"n": 3}], "note": "gift", "last": {"n": 9}}


def test_a_patch_keeps_its_own_values() -> None:
    """A value that a patch has added is changed in the document alone."""
    operations = [op("add", "/a", value={"b": 1}), op("replace", "/a/b", value=2)]
    sent = copy.deepcopy(operations)
    assert apply({}, *operations) == {"a": {"b": 2}}
    assert operations == sent


KEYS = st.sampled_from(["a", "b", "0", "1", "", "-", "~", "/", "~1", "ü", "a b"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@st.composite
def patches(draw: st.DrawFn) -> tuple[Any, list[dict[str, Any]]]:
    """A document and a few operations whose paths lead somewhere in what the operations before have left."""
    document = held = draw(st.lists(VALUES, max_size=3) | st.dictionaries(KEYS, VALUES, max_size=3))
    operations: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 4))):
        at, holder = [], held
        while True:
            there = [str(key) for key in (holder if isinstance(holder, dict) else range(len(holder)))]
            key = draw(st.sampled_from(there)) if there else None
            inner = None if key is None else holder[key if isinstance(holder, dict) else int(key)]
            if not isinstance(inner, dict | list) or draw(st.booleans()):
                break
            at, holder = [*at, str(key)], inner
        kind = draw(st.sampled_from(["add", "replace", "remove"])) if key is not None else "add"
        if kind == "add":
            key = draw(KEYS if isinstance(holder, dict) else st.sampled_from([*there, "-", str(len(holder))]))
        more = {} if kind == "remove" else {"value": draw(VALUES)}
        operations.append(op(kind, pointer_of([*at, str(key)]), **more))
        held = jsonpatch.JsonPatch(operations[-1:]).apply(held)
    return document, operations


@given(patches())
def test_a_path_that_leads_somewhere_gives_what_the_library_gives(case: tuple[Any, Any]) -> None:
    """The short way for members and elements that are only set is the library's, document and patch untouched."""
    document, operations = case
    before = json.dumps([document, operations])
    wanted = jsonpatch.JsonPatch(operations).apply(document)
    assert json.dumps(apply(document, *operations)) == json.dumps(wanted)
    assert json.dumps([document, operations]) == before


@pytest.mark.parametrize(
    ("document", "operation", "after"),
    [
        ([1, 2], op("add", "/01", value=9), [1, 9, 2]),
        ([1, 2], op("add", "/", value=9), [9, 1, 2]),
        ([1, 2], op("test", "/01", value=2), [1, 2]),
        ({"a": 1}, op("remove", ""), None),
        ("text", op("add", "/a", value=1), "text"),
        (5, op("add", "/a", value=1), 5),
        (0, op("replace", "/a", value=1), 0),
        ("", op("remove", "/a"), ""),
        ("text", op("replace", "/length", value=1), "text"),
        ({}, op("replace", "/toString", value=1), {"toString": 1}),
        ({}, op("remove", "/constructor"), {}),
        ([1], op("copy", "/7", **{"from": "/0"}), [1, 1]),
        ([[1], {}], op("move", "/0/a", **{"from": "/0"}), [{"a": [1]}]),
        ({"a": [1]}, op("move", "", **{"from": "/a"}), [1]),
    ],
    ids=str,
)
def test_where_the_library_differs_the_client_holds(document: Any, operation: Any, after: Any) -> None:
    """Each row of the module's table, with what the reference client was seen to make of it."""
    assert apply(document, operation) == after


@pytest.mark.parametrize(
    ("document", "operation", "sentence"),
    [
        (CART, op("replace", "/basket/0", value=1),
         "The operation `replace` at `/basket/0` fails: there is no `basket` at the top level."),
        (CART, op("remove", "/cart/items/2"),
         ("The operation `remove` at `/cart/items/2` fails: the list at `/cart/items` has 2 elements, so it has no "
          "index 2.")),
        (CART, op("add", "/cart/items/5", value=1),
         ("The operation `add` at `/cart/items/5` fails: the list at `/cart/items` has 2 elements, so nothing can be "
          "added at 5.")),
        (CART, op("add", "/cart/items/first", value=1),
         "The operation `add` at `/cart/items/first` fails: `/cart/items` is a list, and `first` is no index of it."),
        (CART, op("add", "/cart/note/to", value=1),
         "The operation `add` at `/cart/note/to` fails: `/cart/note` is text, which has nothing inside."),
        (CART, op("test", "/user/name", value="Bob"),
         "The operation `test` at `/user/name` fails: the value is `\"Ada\"`, not `\"Bob\"`."),
        (CART, op("test", "/cart/items/0/n", value=True),
         "The operation `test` at `/cart/items/0/n` fails: the value is `1`, not `true`."),
        (CART, op("move", "/cart/in", **{"from": "/cart"}),
         "The operation `move` at `/cart/in` fails: `/cart` cannot be moved into itself."),
        (CART, op("replace", "/__proto__/x", value=1),
         "The operation `replace` at `/__proto__/x` fails: clients refuse paths through `__proto__`."),
        (None, op("add", "/a", value=1),
         "The operation `add` at `/a` fails: the whole value is null, which has nothing inside."),
    ],
    ids=lambda value: value["path"] if isinstance(value, dict) and "path" in value else "",
)  # fmt: skip
def test_a_failure_is_told_in_words(document: Any, operation: Any, sentence: str) -> None:
    """Which operation failed, where, and what stood there."""
    assert why(document, operation) == sentence


def test_all_or_nothing() -> None:
    """A patch whose last operation fails changes nothing, and says which one it was."""
    sentence = why(CART, op("remove", "/user"), op("remove", "/user"))
    assert sentence.startswith("Operation 2 of 2, `remove` at `/user`, fails: there is no `user`")


def test_a_chain_of_copies_is_bounded() -> None:
    """Copying the document into itself again and again stops before it fills the memory."""
    operations = [op("copy", f"/{n}", **{"from": ""}) for n in range(60)]
    assert "more than this tool follows" in why({"a": 1}, *operations)


def test_copies_of_a_long_text_are_bounded_too() -> None:
    """A text stands for itself in memory, but whoever writes the document down writes every copy."""
    operations = [op("copy", f"/{n}", **{"from": "/a"}) for n in range(2_000)]
    assert "more than this tool follows" in why({"a": "x" * 1_000_000}, *operations)
    assert "more than this tool follows" in why({"a": {"x" * 1_000_000: 1}}, *operations)


def test_what_copies_repeat_is_counted_over_a_trace() -> None:
    """The bound holds for many small patches, too."""
    copies, document, failure = Copies(1_000), {"a": 1}, None
    for number in range(60):
        document, failure = patched(document, [op("copy", f"/{number}", **{"from": ""})], copies)
        if failure is not None:
            break
    assert failure is not None


def test_a_patch_cannot_nest_without_end() -> None:
    """Moving a value into another one over and over stops at a depth that everything after can walk."""
    document: Any = {"x": {}}
    sentence = ""
    for _ in range(MAX_DEPTH + 10):
        deeper = [
            op("add", "/y", value={}),
            op("move", "/y/x", **{"from": "/x"}),
            op("move", "/x", **{"from": "/y"}),
        ]
        document, failure = patched(document, deeper, Copies())
        sentence = "" if failure is None else failure.sentence
    assert "levels deep" in sentence
    json.dumps(document)


def test_the_state_at_a_rejection_is_kept() -> None:
    """Patches after the refusal no longer reach what the application held."""
    replay = Replay("ag-ui")
    for line in (
        '{"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}',
        '{"type":"STATE_SNAPSHOT","snapshot":{"step":[1]}}',
        '{"type":"TEXT_MESSAGE_END","messageId":"m-1"}',
        '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/step/-","value":2}]}',
    ):
        replay.feed(line.encode())
    assert replay.state() == {"step": [1]}
