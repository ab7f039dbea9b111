"""How large a request is as Teams counts."""

from __future__ import annotations

from webapp.core.teams.sizes import kilobytes, wire_bytes


def test_bytes_are_those_of_utf_16() -> None:
    """Two bytes a character, four beyond the first plane, whatever UTF-8 would take."""
    empty = wire_bytes({"text": ""})
    assert wire_bytes({"text": "ab"}) - empty == 4
    assert wire_bytes({"text": "字"}) - empty == 2
    assert wire_bytes({"text": "😀"}) - empty == 4
    assert wire_bytes({"text": "\ud83d"}) - empty == 2


def test_images_in_base64_do_not_count() -> None:
    """Only their data is left out, and only in attachments."""
    image = {"contentType": "image/png", "contentUrl": "data:image/png;base64," + "A" * 300_000}
    assert wire_bytes({"attachments": [image]}) < 200
    assert (
        wire_bytes({"attachments": [{"contentUrl": "https://example.com/" + "a" * 1000}, None, "x"]}) > 2000
    )
    assert wire_bytes({"attachments": image}) > 600_000


def test_a_body_that_cannot_be_written_has_no_size() -> None:
    """Nesting without end raises nothing."""
    body: dict[str, object] = {}
    inner = body
    for _ in range(100_000):
        deeper: dict[str, object] = {}
        inner["a"] = deeper
        inner = deeper
    assert wire_bytes(body) == 0


def test_sizes_are_read_in_kilobytes() -> None:
    """Whole ones."""
    assert kilobytes(102_400) == "100 KB"
