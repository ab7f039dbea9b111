"""What travels through the product: the numbers under which it is stored."""

from __future__ import annotations

from webapp.core import records


def test_how_far_a_record_came_keeps_its_number() -> None:
    """The numbers are stored with every trace, so a new word goes to the end."""
    assert records.REACHED == ("delivered", "dropped", "refused", "after", "lost", "sent")
    named = {word: getattr(records, word.upper()) for word in records.REACHED}
    assert list(named.values()) == [0, 1, 2, 3, 4, 5]
