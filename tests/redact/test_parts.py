"""What is kept of a header that tells the kind of a body."""

from __future__ import annotations

import pytest

from webapp.redact import media_type


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("text/event-stream", "text/event-stream"),
        ("text/event-stream; charset=UTF-8", "text/event-stream; charset=UTF-8"),
        ("text/event-stream; zq=canary", "text/event-stream"),
        ("text/event-stream;charset=canary", "text/event-stream"),
        ("text/event-stream; charset=utf-8; zq=canary", "text/event-stream; charset=utf-8"),
        ("canary", None),
        ("canary/canary", None),
        ("", None),
        (None, None),
    ],
)
def test_a_content_type_keeps_the_kind_and_a_known_character_set(text: str | None, kept: str | None) -> None:
    """Whatever else somebody wrote behind it goes."""
    assert media_type(text) == kept
