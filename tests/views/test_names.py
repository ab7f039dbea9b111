"""Words for times, sizes, types and ids."""

from __future__ import annotations

import pytest

from webapp.storage.models import Trace
from webapp.views import names


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "+0 ms"),
        (0.009, "+9 ms"),
        (0.9996, "+1.00 s"),
        (4.17, "+4.17 s"),
        (12.34, "+12.3 s"),
        (59.999, "+1:00.00"),
        (593.02, "+9:53.02"),
        (7384, "+2:03:04"),
        (-0.5, "−500 ms"),
    ],
)
def test_a_time_since_the_start_is_short_and_keeps_its_digits(seconds: float, told: str) -> None:
    """A column of times must fit its width and still tell neighbours apart."""
    assert names.since(seconds) == told


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([0.009, 4.17, None, 593.02], ["+9 ms", "+4.17 s", "", "+9:53.02"]),
        ([593.021, 593.024], ["+9:53.021", "+9:53.024"]),
        ([16.61, 16.63], ["+16.61 s", "+16.63 s"]),
        ([0.5, 4.171, 4.173], ["+500 ms", "+4.171 s", "+4.173 s"]),
        ([7384.21, 7384.23], ["+2:03:04.21", "+2:03:04.23"]),
        ([7384.2, 7384.2], ["+2:03:04", "+2:03:04"]),
        ([-0.5, -1.231, -1.234], ["−500 ms", "−1.231 s", "−1.234 s"]),
        ([], []),
    ],
)
def test_times_under_each_other_tell_neighbours_apart(times: list[float | None], told: list[str]) -> None:
    """A whole column is as exact as its closest two rows need, down to a millisecond."""
    assert names.apart(times) == told


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.077, "77 ms"), (5.1, "5.10 s"), (65, "1 min 5 s"), (7300, "2 h 1 min")]
)
def test_a_duration_is_told_in_words(seconds: float, told: str) -> None:
    """The banner says how long it took."""
    assert names.duration(seconds) == told


def test_counts_ordinals_and_sizes() -> None:
    """1,305 is a count; 212th, 1 event, 40 events."""
    assert names.count(1305) == "1,305"
    assert [names.ordinal(n) for n in (1, 2, 3, 11, 112, 213)] == [
        "1st",
        "2nd",
        "3rd",
        "11th",
        "112th",
        "213th",
    ]
    assert names.plural(1, "event") == "1 event"
    assert names.plural(40, "event") == "40 events"
    assert [names.size_words(n) for n in (1, 100, 1100, 31_000_000)] == [
        "1 byte",
        "100 bytes",
        "1.1 kB",
        "31 MB",
    ]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("It ends", "It ends."),
        ("It stops at “Let me”", "It stops at “Let me”."),
        ("It stops at “Let me look.”", "It stops at “Let me look.”"),
        ("It stops at “Really?”", "It stops at “Really?”"),
        ("It stops at “Let…”", "It stops at “Let…”."),
    ],
)
def test_a_sentence_has_one_full_stop(text: str, whole: str) -> None:
    """A quotation at its end may bring it."""
    assert names.sentence(text) == whole


def test_a_type_has_a_quiet_prefix_and_a_verb() -> None:
    """The longer prefix wins; a custom type is all verb."""
    assert names.type_parts("TOOL_CALL_ARGS") == ("TOOL_CALL_", "ARGS")
    assert names.type_parts("REASONING_MESSAGE_START") == ("REASONING_MESSAGE_", "START")
    assert names.type_parts("MY_TYPE") == ("", "MY_TYPE")
    assert names.type_parts(None) == ("", "not an event")


def test_a_long_id_loses_its_middle() -> None:
    """Its ends tell it apart."""
    assert names.short_id("fb29d45e-7261-4d91-a735-fed33e54e886") == "fb29d…e886"
    assert names.short_id("call_p0") == "call_p0"


@pytest.mark.parametrize(
    ("declared", "used", "words"),
    [
        ("1.0", "1.0", "AG-UI 1.0"),
        ("1.0", None, "AG-UI 1.0"),
        ("1.0", "1.1", "AG-UI 1.0, uses 1.1"),
        (None, "1.0", "AG-UI, no version declared"),
        (None, None, "AG-UI"),
    ],
)
def test_the_version_declared_is_told_apart_from_the_one_used(
    declared: str | None, used: str | None, words: str
) -> None:
    """A trace that uses more than it declares says so; one that declares nothing says that."""
    trace = Trace(protocol="ag-ui", protocol_version=declared, version_used=used)
    assert names.protocol_words(trace) == words
