"""What stands where a text was."""

from __future__ import annotations

import pytest

from webapp.redact import joined, marked, marker


@pytest.mark.parametrize("count", [1, 412, 10**12])
def test_a_marker_says_how_long_the_text_was(count: int) -> None:
    """What is written is read again."""
    assert marked(marker(count)) == count


@pytest.mark.parametrize(
    "text",
    [
        "",
        "redacted: 3 chars",
        "«redacted: 3 chars» ",
        "«redacted: -1 chars»",
        "«redacted: x chars»",
        "«redacted: ٣ chars»",
    ],
)
def test_other_texts_are_no_markers(text: str) -> None:
    """A marker is exactly one, with nothing around it."""
    assert marked(text) is None


def test_markers_side_by_side_become_one() -> None:
    """The pieces of one text are one text again, and what stands between others stays."""
    assert joined("«redacted: 3 chars»«redacted: 4 chars»") == "«redacted: 7 chars»"
    assert joined("«redacted: 3 chars» «redacted: 4 chars»") == "«redacted: 3 chars» «redacted: 4 chars»"
    assert joined("nothing") == "nothing"
