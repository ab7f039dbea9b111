"""The numbers of the streaming contract that drawings and queries share with the engine."""

from __future__ import annotations

import pytest

from webapp.core.teams.limits import too_soon


@pytest.mark.parametrize(
    ("apart", "early"), [(0.0, True), (0.9, True), (0.96, False), (1.0, False), (3.0, False)]
)
def test_a_second_apart_is_enough_but_for_the_clocks_noise(apart: float, early: bool) -> None:
    """50 ms are forgiven, since one recorder's clock is trusted no further."""
    assert too_soon(apart) is early
