"""Pages of a long list: nothing is left out without being told, and no page is empty."""

from __future__ import annotations

import pytest

from webapp.views.pages import fitting, pages


@pytest.mark.parametrize(
    ("number", "found", "page"),
    [(1, 0, 1), (7, 0, 1), (1, 50, 1), (2, 50, 1), (2, 51, 2), (9, 101, 3), (0, 101, 1)],
)
def test_a_page_past_the_end_is_the_last_one(number: int, found: int, page: int) -> None:
    """A list becomes shorter while somebody reads it."""
    assert fitting(number, 50, found) == page


@pytest.mark.parametrize(
    ("number", "shown", "newer", "older"),
    [
        (1, "1–50 of 1,101 shown", "", "/x?2"),
        (2, "51–100 of 1,101 shown", "/x?1", "/x?3"),
        (23, "1,101–1,101 of 1,101 shown", "/x?22", ""),
    ],
)
def test_a_page_says_what_it_shows_and_where_the_rest_is(
    number: int, shown: str, newer: str, older: str
) -> None:
    """The first, one in the middle, the last."""
    page = pages(number, 50, 1101, lambda n: f"/x?{n}")
    assert (page.shown, page.newer, page.older) == (shown, newer, older)


def test_a_list_that_fits_has_one_page() -> None:
    """Exactly full, too."""
    page = pages(1, 50, 50, str)
    assert (page.shown, page.newer, page.older) == ("1–50 of 50 shown", "", "")
