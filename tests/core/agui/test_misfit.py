"""What is said of a patch that does not apply: what is there instead, and what would fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.agui.judged import found
from webapp.core import Finding
from webapp.core.advice import advise
from webapp.core.agui.engine import AguiEngine
from webapp.core.agui.misfit import MAX_HINTS

Event = dict[str, Any]
START = {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1", "protocolVersion": "1.0"}
FINISH = {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"}
ASKED = {
    "threadId": "t-1",
    "runId": "r-1",
    "messages": [],
    "tools": [],
    "context": [],
    "protocolVersion": "1.0",
}
MANY = dict.fromkeys("abcdefg", 1)


def op(kind: str, path: str, **more: Any) -> Event:
    value = {} if kind in ("remove", "move", "copy") else {"value": 7}
    return {"op": kind, "path": path, **value, **more}


def told(state: Any, *operations: Event) -> Finding:
    """The finding about a patch of a state that came whole."""
    delta = {"type": "STATE_DELTA", "delta": list(operations)}
    return found(START, {"type": "STATE_SNAPSHOT", "snapshot": state}, delta, FINISH)[0]


@pytest.mark.parametrize(
    ("state", "operation", "hint"),
    [
        ({"step": 1}, op("replace", "/cart/total"),
         "The whole value holds `step`. An `add` at `/cart` has to come first."),
        ({"step": 1}, op("add", "/cart/total"),
         "The whole value holds `step`. An `add` at `/cart` has to come first."),
        ({"cart": {"items": []}}, op("replace", "/cart/total"),
         "`/cart` holds `items`. `add` puts a new member there; `replace` needs one that exists."),
        ({}, op("remove", "/total"), "The whole value is an empty object."),
        ({"cart": MANY}, op("remove", "/cart/total"), "`/cart` holds `a`, `b`, `c` and 4 more."),
        ({"a/b": 1}, op("replace", "/a/b"),
         "The key `a/b` is there: a slash inside a key is written as ~1 (tilde one), here `/a~1b`."),
        ({"cart": {"total": 1}}, op("replace", "/cart.total"), "A dot is part of a key; `/cart/total` would fit."),
        ({"step": 1}, op("replace", "/state/step"),
         "Without its first part the path would fit, as `/step`: paths start inside the value."),
        ({"rows": [1, 2]}, op("replace", "/rows/2"), "`add` at `/rows/-` would append an element."),
        ({"rows": [1, 2]}, op("add", "/rows/5"), "The next place is `/rows/2`, or `/rows/-`."),
        ({"rows": [1, 2]}, op("replace", "/rows/-"),
         "A dash stands for the place behind the last element, where only an `add` finds something to do."),
        ({"rows": [1, 2]}, op("remove", "/rows/01"), "An index has no leading zeros: `1`."),
        ({"rows": [{"id": "x"}]}, op("replace", "/rows/x/done"),
         "Elements go by their place, not by an id: this one is `/rows/0`."),
        ({"step": 1}, op("test", "/steps"), "The whole value holds `step`."),
        ({"a": 1}, op("move", "/c", **{"from": "/b"}), "The whole value holds `a`."),
        ({"a": 1}, op("copy", "/c/d", **{"from": "/a"}),
         "The whole value holds `a`. An `add` at `/c` has to come first."),
    ],
)  # fmt: skip
def test_the_finding_says_what_is_there_and_what_would_fit(state: Any, operation: Event, hint: str) -> None:
    """Read off the value at hand, at the deepest part of the path that exists."""
    finding = told(state, operation)
    sentence, _, rest = finding.why.partition(". ")
    assert finding.rule == ("AGUI-STA-05" if operation["op"] == "test" else "AGUI-STA-04")
    assert sentence.startswith(f"The operation `{operation['op']}` at `{operation['path']}` fails: ")
    assert rest == f"{hint} A client keeps the state as it was. The state came whole at #1."


@pytest.mark.parametrize(
    ("state", "operation"),
    [
        ("text", op("replace", "/a/b")),
        (None, op("add", "/a")),
        ({"s": "x"}, op("add", "/s/b")),
        ({"step": 1}, op("test", "/step")),
        ({"rows": [1, 2]}, op("replace", "/rows/5")),
        ({"rows": [1, 2]}, op("remove", "/rows/x")),
        ({"a": 1}, op("add", "/__proto__/x")),
    ],
)
def test_nothing_is_added_where_the_failure_says_it_all(state: Any, operation: Event) -> None:
    """A value that holds nothing, or another value than the one tested."""
    _, _, rest = told(state, operation).why.partition(". ")
    assert rest == "A client keeps the state as it was. The state came whole at #1."


DEEP: Any = 1
for _ in range(180):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("state", "operation"),
    [
        ({"a": {"b": {}}}, op("move", "/a/c/d", **{"from": "/a"})),
        ({"a": {"B": {}}}, op("move", "/a/b", **{"from": "/a"})),
        ({"a": DEEP}, op("copy", "/a" + "/a" * 100 + "/A", **{"from": "/a"})),
        ({"rows": [1, 2]}, op("test", "/rows/01")),
        ({"rows": [1]}, op("replace", "/rows/")),
    ],
)
def test_no_other_path_is_offered_where_the_path_is_not_what_fails(state: Any, operation: Event) -> None:
    """The operation finds all it needs, so neither a key in another spelling nor an `add` before it would help."""
    finding = told(state, operation)
    assert finding.reason is None
    assert finding.why.partition(": ")[2].count(". ") == 2


def test_a_test_reads_indices_as_clients_do() -> None:
    """`01` is its element 1, so the zero is not what makes it fail."""
    why = told({"rows": [1, {"x": 1}]}, op("test", "/rows/01/y")).why
    assert "leading zeros" not in why
    assert "`/rows/01` holds `x`." in why


@pytest.mark.parametrize("key", ["Total", "TOTAL", "to_tal", "to-tal"])
def test_a_key_in_another_spelling_is_named_and_advised_on(key: str) -> None:
    """Snapshot and patch come from two serialisers."""
    finding = told({"cart": {key: 1}}, op("replace", "/cart/total"))
    assert finding.reason == "lookalike"
    assert f"`/cart/{key}` is there, which differs only in case, hyphens or underscores." in finding.why
    assert advise(finding.rule, finding.reason, "state").cause.startswith("The key is written in two ways")
    assert told({"cart": {"sum": 1}}, op("replace", "/cart/total")).reason is None


def test_earlier_operations_of_the_patch_count() -> None:
    """The value is the one that the failing operation found, not the one before the patch."""
    finding = told({"a": 1}, op("add", "/b"), op("remove", "/c"))
    assert "The whole value holds `a` and `b`." in finding.why


def test_what_the_patches_count_from_is_told() -> None:
    """A snapshot of this run, the request, or a state of an earlier run."""
    patch = {"type": "STATE_DELTA", "delta": [op("replace", "/total")]}
    first = found(START, patch, FINISH, asked=ASKED | {"state": {"x": 1}})[0]
    assert first.why.endswith(
        "No snapshot has come: patches count from the state of the request, or from `{}` when it has none."
    )
    later = [START | {"runId": "r-2"}, patch, FINISH | {"runId": "r-2"}]
    events = [START, {"type": "STATE_SNAPSHOT", "snapshot": {}}, FINISH, *later]
    assert found(*events)[0].why.endswith("No snapshot has come in this run.")
    unsure = next(f for f in found(START, patch, FINISH) if f.rule == "AGUI-STA-04")
    assert unsure.why.endswith("The application’s own state is not recorded, so it may have applied there.")


def test_an_activity_is_looked_into_as_the_state_is() -> None:
    """The same words, about its content."""
    plan = {"messageId": "a-1", "activityType": "plan"}
    whole = {"type": "ACTIVITY_SNAPSHOT", "content": {"Rows": []}} | plan
    patch = {"type": "ACTIVITY_DELTA", "patch": [op("replace", "/rows/0")]} | plan
    finding = found(START, whole, patch, FINISH)[0]
    assert (finding.rule, finding.reason) == ("AGUI-ACT-04", "lookalike")
    assert "`/Rows` is there" in finding.why


def test_only_the_first_failure_is_looked_into() -> None:
    """What follows from it fails for the same reason, and a large state is not searched again and again."""
    patch = {"type": "STATE_DELTA", "delta": [op("replace", "/total")]}
    findings = found(START, {"type": "STATE_SNAPSHOT", "snapshot": {"Total": 1}}, patch, patch, FINISH)
    assert [f.reason for f in findings if f.rule == "AGUI-STA-04"] == ["lookalike", None]


def test_a_trace_of_failures_is_looked_into_so_often_and_no_more() -> None:
    """A large state may be kept for many runs, each of which sends a patch that does not fit."""
    patch = {"type": "STATE_DELTA", "delta": [op("replace", "/total")]}
    engine = AguiEngine(None, max_depth=200, max_findings=100)
    engine.feed(json.dumps(START).encode())
    engine.feed(json.dumps({"type": "STATE_SNAPSHOT", "snapshot": {"x": 1}}).encode())
    for number in range(MAX_HINTS + 50):
        ids = {"threadId": "t-1", "runId": f"r-{number + 2}"}
        for event in (FINISH | ids, START | ids, patch):
            engine.feed(json.dumps(event).encode())
    assert engine.world.trace.hints == MAX_HINTS
