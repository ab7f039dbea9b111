"""Times, sizes and cut texts: what a diagram's labels are made with."""

from __future__ import annotations

import pytest

from webapp.draw import layout

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
FLAGS = "\U0001f1e9\U0001f1ea\U0001f1f0\U0001f1f7"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.009, "9 ms"),
        (0.04, "0.04 s"),
        (4.17, "4.17 s"),
        (125.4, "2 min 05 s"),
        (11040, "3 h 04 min"),
    ],
)
def test_time_since_the_start_is_short(seconds: float, words: str) -> None:
    """One form a size, always with its unit."""
    assert layout.since(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.009, "+9 ms"), (1.23, "+1.2 s"), (-0.5, "−500 ms")])
def test_gaps_carry_their_sign(seconds: float, words: str) -> None:
    """A clock may run backwards."""
    assert layout.gap(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"), [(87, "87 B"), (1104, "1.1 kB"), (34_200, "34 kB"), (2_400_000, "2.4 MB")]
)
def test_sizes_are_decimal(count: int, words: str) -> None:
    """1,000 bytes are a kilobyte."""
    assert layout.size(count) == words


@pytest.mark.parametrize("mono", [False, True])
@pytest.mark.parametrize(
    "text",
    ["plain words that go on", "환불은 삼십일 이내에 가능합니다", "مرحبا بك في خدمة العملاء", "👍🏽" * 30],
)
def test_cut_texts_fit(text: str, mono: bool) -> None:
    """Whatever the script, a cut text is no wider than its room and says that it was cut."""
    cut = layout.clip(text, 90, 12, mono)
    assert layout.width(cut, 12, mono) <= 90
    assert cut.endswith("…")


@pytest.mark.parametrize("cluster", [FAMILY, FLAGS[:2], "e\u0301", "\U0001f44d\U0001f3fd"])
def test_no_cut_goes_through_a_combined_character(cluster: str) -> None:
    """A family, a flag, an accented letter or a skin tone is kept whole or left out."""
    for px in range(10, 120):
        cut = layout.clip(cluster * 12, px).removesuffix("…")
        assert cut == cluster * (len(cut) // len(cluster))


def test_wide_characters_count_as_wide() -> None:
    """A Korean syllable takes about the room of two Latin letters."""
    assert layout.width("환불") > 1.5 * layout.width("ab")


def test_direction_marks_are_taken_out_and_foreign_runs_isolated() -> None:
    """An override in a trace cannot turn the rest of a label round."""
    assert layout.plain("a\u202eb\nc\x00") == "ab⏎c\ufffd"
    assert layout.quote("مرحبا", 200) == "“\u2068مرحبا\u2069”"
    assert layout.isolate("latin") == "latin"


def test_ids_keep_both_ends() -> None:
    """The middle of an id tells nobody anything."""
    assert layout.short_id("toolu_01ABCDEFGH9fQz", 12) == "toolu_01…fQz"
    assert layout.short_id("call_p0") == "call_p0"


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([4.17, 5.0, None, 350.2, 351.4], ["4.17 s", "5.00 s", "", "5 min 50 s", "5 min 51 s"]),
        ([350.21, 350.41, 350.61], ["5:50.2", "5:50.4", "5:50.6"]),
        ([350.21, None, 350.23], ["5:50.21", "", "5:50.23"]),
        ([0.0, 0.004, 4.171, 4.173], ["0 ms", "4 ms", "4.171 s", "4.173 s"]),
        ([0.012, 0.014], ["12 ms", "14 ms"]),
        ([11_040, 11_041], ["3:04:00", "3:04:01"]),
        ([11_040.21, 11_040.23], ["3:04:00.21", "3:04:00.23"]),
        ([119.996, 119.998], ["1:59.996", "1:59.998"]),
        ([119.94, 119.98], ["1:59.9", "2:00.0"]),
        ([119.8, 119.97], ["1:59.8", "2:00.0"]),
        ([-0.012, -0.014], ["−12 ms", "−14 ms"]),
        ([350.2, 350.2, 350.2003], ["5 min 50 s"] * 3),
        ([], []),
    ],
)
def test_times_under_each_other_are_as_exact_as_it_takes_to_tell_neighbours_apart(
    times: list[float | None], words: list[str]
) -> None:
    """All of a list alike, no more exact than needed, and what a millisecond does not part stays equal."""
    assert layout.apart(times) == words
