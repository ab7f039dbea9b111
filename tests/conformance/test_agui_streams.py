"""The protocol project's own conformance streams, replayed through the engine.

They are not part of this repository: `AGUI_CONFORMANCE_DIR` names the folder that holds `1.1/` and `draft/`. Without
it the lane says that it was not run; with it, a folder without streams is a failure.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from webapp.core import Replay
from webapp.core.agui.wire import delivered_events
from webapp.core.findings import Report

FOLDER = os.environ.get("AGUI_CONFORMANCE_DIR")
NOT_RUN = "AGUI_CONFORMANCE_DIR is not set, so the conformance streams were not run"

# stream -> members of its `expect` that do not hold here, and why
EXCEPTIONS: dict[str, tuple[set[str], str]] = {
    "truncated-run-reported-as-completed": (
        {"noWarnings"},
        "the client's admitted gap: a run without a terminal event is never a success here (AGUI-TRN-10)",
    ),
    "era-0-0-57-subagent-dropped-with-warning": (
        {"warnings", "eventTypesAbsent", "messages"},
        "pins an older peer: what its client drops is not to be seen in a recording",
    ),
}
# draft stream -> the finding of severity error that announces what a later version rejects
DRAFT = {
    "run-finished-wrong-run-id-fatal": "AGUI-RUN-07",
    "run-finished-wrong-thread-id-fatal": "AGUI-RUN-08",
    "second-run-on-another-thread-fatal": "AGUI-RUN-09",
    "duplicate-interrupt-id-fatal": "AGUI-INT-02",
    "truncated-stream-fails-the-run": "AGUI-TRN-10",
}


class Replayed(NamedTuple):
    """A stream after its replay."""

    report: Report
    delivered: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    state: Any

    def count(self, *severities: str) -> int:
        return sum(f.count for f in self.report.findings if f.severity in severities)


def paths(part: str) -> list[Path]:
    return sorted((Path(FOLDER) / part).glob("*.json")) if FOLDER else []


def each_of(part: str) -> pytest.MarkDecorator:
    """One test a stream; a skipped one that says why when the folder is not named."""
    not_run = [pytest.param(None, id="not-run", marks=pytest.mark.skip(reason=NOT_RUN))]
    streams = [pytest.param(path, id=path.stem) for path in paths(part)]
    return pytest.mark.parametrize("path", streams if FOLDER else not_run)


def read(path: Path) -> dict[str, Any]:
    stream: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stream


def expected(stream: dict[str, Any], name: str) -> dict[str, Any]:
    """What the stream expects, as the reference client's column has it, without this project's exceptions."""
    merged = stream["expect"] | stream.get("expectOverrides", {}).get("typescript", {})
    left_out, _ = EXCEPTIONS.get(name, (set(), ""))
    return {key: value for key, value in merged.items() if key not in left_out}


def replay(stream: dict[str, Any]) -> Replayed:
    engine = Replay("ag-ui", stream.get("input"))
    delivered: list[dict[str, Any]] = []
    for event in stream["stream"]:
        raw = json.dumps(event).encode()
        delivered += delivered_events(engine.feed(raw), raw)
    report = engine.finish()
    return Replayed(report, delivered, engine.messages(), engine.state())


def matches(wanted: Any, given: Any) -> bool:
    """Subset match: members that are not named may be there, lists have the same length."""
    if isinstance(wanted, dict):
        return isinstance(given, dict) and all(k in given and matches(v, given[k]) for k, v in wanted.items())
    if isinstance(wanted, list):
        if not isinstance(given, list) or len(given) != len(wanted):
            return False
        return all(matches(one, other) for one, other in zip(wanted, given, strict=True))
    return bool(wanted == given) and isinstance(wanted, bool) == isinstance(given, bool)


def at(delivered: list[dict[str, Any]], path: str) -> Any:
    """The value at `2.delta.0.op`; raises LookupError where there is none."""
    value: Any = delivered
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def is_there(delivered: list[dict[str, Any]], path: str) -> bool:
    try:
        at(delivered, path)
    except (LookupError, ValueError, TypeError):
        return False
    return True


def test_the_lane_finds_its_streams() -> None:
    """A named folder holds streams of the released version and of the draft."""
    if FOLDER is None:
        pytest.skip(NOT_RUN)
    assert Path(FOLDER).is_dir()
    assert paths("1.1")
    assert paths("draft")


@each_of("1.1")
def test_a_released_stream_gives_what_it_expects(path: Path) -> None:
    """Verdict, delivered events, warnings, messages and state are those of the stream's own file."""
    stream = read(path)
    want = expected(stream, path.stem)
    got = replay(stream)
    types = [event["type"] for event in got.delivered]

    assert (got.report.rejected_at is not None) == (want["outcome"] == "failed")
    if "runError" in want:
        assert want["runError"] in [e["message"] for e in got.delivered if e["type"] == "RUN_ERROR"]
    if "eventTypes" in want:
        assert types == want["eventTypes"]
    assert set(want.get("eventTypesAbsent", ())).isdisjoint(types)
    for where, value in want.get("eventPaths", {}).items():
        assert is_there(got.delivered, where), where
        assert matches(value, at(got.delivered, where)), where
    for where in want.get("eventAbsentPaths", ()):
        assert not is_there(got.delivered, where), where
    assert got.count("warning", "error") >= len(want.get("warnings", ()))
    if want.get("noWarnings"):
        assert got.count("warning", "error") == 0
    if "messageCount" in want:
        assert len(got.messages) == want["messageCount"]
    if "messages" in want:
        assert matches(want["messages"], got.messages), got.messages
    if "state" in want:
        assert matches(want["state"], got.state), got.state


@each_of("draft")
def test_a_draft_stream_is_announced_and_not_rejected(path: Path) -> None:
    """What only a later version rejects is an error here, so that it can be mended before the client is upgraded."""
    got = replay(read(path))
    assert got.report.rejected_at is None
    assert [f.rule for f in got.report.findings if f.severity == "error"] == [DRAFT[path.stem]]


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 2}, False),
        ([1], [1, 2], False),
        ([{"a": [1]}], [{"a": [1], "b": 0}], True),
        (True, 1, False),
    ],
)
def test_the_subset_match_can_tell_a_difference(wanted: Any, given: Any, same: bool) -> None:
    """The lane's own comparison accepts more members, but no other values, kinds or lengths."""
    assert matches(wanted, given) is same
