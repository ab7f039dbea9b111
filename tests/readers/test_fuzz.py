"""A slice of the fuzz test that `make fuzz` runs at length, and that it can fail."""

from __future__ import annotations

import pytest

from tests.readers import fuzz
from tests.readers.mutate import MUTATIONS, ORIGINALS, sample
from webapp.core.replay import Replay
from webapp.readers.linewise import LineReader
from webapp.readers.registry import FORMS

SLICES = 8
EACH = 50


@pytest.mark.parametrize("part", range(SLICES))
def test_spoilt_files_are_read_without_harm(part):
    """No exception, no line lost, no place that is not there, no pass without an event; time is for `make fuzz`."""
    first = part * EACH
    assert list(fuzz.failures(range(first, first + EACH), slow=False)) == []


def test_a_seed_always_gives_the_same_bytes():
    """Otherwise a failure could not be repeated."""
    assert [sample(seed) for seed in range(50)] == [sample(seed) for seed in range(50)]
    assert len({sample(seed) for seed in range(50)}) > 45


def test_every_form_is_among_the_originals():
    """Whole files of every form are what is spoilt."""
    seen = {fuzz.read([data])[0].form for data in ORIGINALS}
    assert seen >= set(FORMS)
    assert len(set(MUTATIONS)) >= 14


def test_a_reader_that_loses_a_line_is_caught(monkeypatch):
    """The account is really added up."""
    monkeypatch.setattr(LineReader, "ignore", lambda self, reason, lines=1: None)
    assert any("accounted for" in why for _, why in fuzz.failures(range(40), slow=False))


def test_an_exception_is_a_failure_with_its_seed(monkeypatch):
    """It is told, and the next sample goes on."""

    def broken(self, head=None):
        raise KeyError("x")

    monkeypatch.setattr(Replay, "finish", broken)
    found = dict(fuzz.failures(range(10), slow=False))
    assert len(found) > 5
    assert all("KeyError" in why for why in found.values())
