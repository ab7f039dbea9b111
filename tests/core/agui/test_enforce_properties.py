"""What holds for every payload: nothing raises, and both paths agree on what is well-formed."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.slices import examples
from webapp.core import Replay
from webapp.core.agui.compat import RETIRED
from webapp.core.agui.enforce import Compat, Slow, slow_decode
from webapp.core.agui.events import EVENTS, decode
from webapp.core.agui.shapes import (
    SHAPES,
    Anything,
    Choice,
    Closed,
    Flag,
    Integer,
    ListOf,
    Node,
    OneOf,
    OpenObject,
    Text,
    build,
)  # fmt: skip

NAMES = sorted(
    {key for shape in SHAPES.values() for key in shape.fields}
    | {
        "role",
        "op",
        "path",
        "from",
        "value",
        "interrupts",
        "source",
        "data",
        "url",
        "mimeType",
        "message_id",
        "x",
    }
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
words = st.sampled_from(
    [
        "success",
        "interrupt",
        "user",
        "assistant",
        "tool",
        "text",
        "image",
        "binary",
        "url",
        "add",
        "function",
        "",
        "a",
    ]
)
values = st.recursive(
    scalars | words,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "type"]) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=6,
)
objects = st.sampled_from([*EVENTS, *RETIRED, "PRIVATE"]).flatmap(
    lambda name: st.dictionaries(
        st.sampled_from(sorted(SHAPES[name].fields) if name in SHAPES else NAMES) | st.sampled_from(NAMES),
        values,
        max_size=5,
    ).map(lambda members: members | {"type": name})
)
many = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def plain(text: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | text,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
        max_leaves=4,
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
whatever = plain(texts)


def fitting(node: Node) -> st.SearchStrategy[Any]:
    """Values that the shape allows."""
    match node:
        case Text():
            return st.sampled_from(["", "/a", "/a~1/0"]) if node.pattern else texts
        case Integer():
            return st.integers(node.low, node.high)
        case Flag():
            return st.booleans()
        case Anything():
            return whatever if node.nullable else whatever.filter(lambda v: v is not None)
        case OpenObject():
            return st.dictionaries(texts, whatever, max_size=2)
        case Choice():
            return st.sampled_from(node.values)
        case ListOf():
            return st.lists(fitting(node.item), min_size=node.shortest, max_size=2)
        case OneOf():
            members = node.members.items()
            return st.one_of([tagged(shape, node.tag_field, tag) for tag, shape in members])
        case Closed():
            return closed(node)
    return texts | fitting(node.parts)


def closed(shape: Closed) -> st.SearchStrategy[dict[str, Any]]:
    required = {k: fitting(f.node) for k, f in shape.fields.items() if f.required}
    optional = {k: fitting(f.node) for k, f in shape.fields.items() if not f.required}
    return st.fixed_dictionaries(required, optional=optional)


def tagged(shape: Closed, key: str, tag: str) -> st.SearchStrategy[dict[str, Any]]:
    return closed(shape).map(lambda value: {key: tag} | value)


events = st.sampled_from(sorted(SHAPES)).flatmap(lambda name: tagged(SHAPES[name], "type", name))


def check(found: Slow) -> None:
    """What the replay may rely on."""
    assert (found.kind == "event") == (found.wire is not None)
    assert found.event is not None or found.kind != "event"
    assert found.faults or found.kind == "event"
    paths = [(f.rule, f.path) for f in found.faults]
    assert len(paths) == len(set(paths))
    for fault in found.faults:
        f"{fault.title}{fault.why}{fault.path}".encode()  # safe to store and show


@given(st.binary(max_size=40))
@many
def test_no_bytes_raise(raw: bytes) -> None:
    """Any bytes give an answer."""
    check(slow_decode(raw, Compat()))


@given(objects)
@many
def test_no_members_raise(event: dict[str, Any]) -> None:
    """Known types with arbitrary members give an answer, and what is delivered breaks nothing any more."""
    found = slow_decode(json.dumps(event).encode(), Compat())
    check(found)
    if found.wire is not None:
        again = slow_decode(json.dumps(found.wire).encode(), Compat())
        assert (again.kind, again.faults) == ("event", [])
        assert json.dumps(again.wire) == json.dumps(found.wire)


@given(events, st.booleans())
@many
def test_what_the_fast_path_accepts_the_slow_path_accepts(event: dict[str, Any], compact: bool) -> None:
    """Same struct, nothing found, the wire as it was, and no member said to stand twice."""
    raw = json.dumps(event, separators=(",", ":") if compact else None).encode()
    fast = decode(raw)
    found = slow_decode(raw, Compat())
    assert (found.kind, found.faults) == ("event", [])
    assert found.wire == json.loads(raw)
    assert repr(found.event) == repr(fast)
    assert repr(build(SHAPES[event["type"]], found.wire)) == repr(fast)
    step = Replay("ag-ui").feed(raw)
    assert [finding for finding in step.findings if finding.rule == "AGUI-TRN-18"] == []


@given(events, st.sampled_from(NAMES), values)
@many
def test_one_changed_member_never_passes_one_path_alone(event: dict[str, Any], key: str, value: Any) -> None:
    """Whatever the fast path refuses has a fault, or is one of the known differences of legal JSON."""
    raw = json.dumps(event | {key: value}).encode()
    found = slow_decode(raw, Compat())
    check(found)
    try:
        decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return
    assert (found.kind, found.faults) == ("event", [])
