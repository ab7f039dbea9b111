"""LANESCOPE_TARGETS: which lists can be used, and what is said about those that cannot."""

from __future__ import annotations

import pytest

from webapp.errors import StartError
from webapp.settings import load_settings


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("", {}),
        ("shop=http://127.0.0.1:8000", {"shop": "http://127.0.0.1:8000"}),
        (
            " a = https://h.example/x/ ,b.2=http://[::1]:9 ,",
            {"a": "https://h.example/x", "b.2": "http://[::1]:9"},
        ),
        ("a=http://h/x=y", {"a": "http://h/x=y"}),
    ],
)
def test_a_list_of_names_and_addresses(
    monkeypatch: pytest.MonkeyPatch, text: str, targets: dict[str, str]
) -> None:
    """Separated by commas; spaces and a final slash mean nothing."""
    monkeypatch.setenv("LANESCOPE_TARGETS", text)
    assert load_settings().targets == targets


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://127.0.0.1:8000", "name=url"),
        ("http://h/?a=b", "name=url"),
        ("shop=", "must look like"),
        ("shop=127.0.0.1:8000", "must look like"),
        ("shop=ftp://h", "must look like"),
        ("shop=file:///etc/passwd", "must look like"),
        ("shop=http://", "must look like"),
        ("shop=http://h:0", "must look like"),
        ("shop=http://h:99999", "must look like"),
        ("shop=http://[::1", "must look like"),
        ("shop=http://h/ü", "must look like"),
        ("shop=http://h/a b", "must look like"),
        ("shop=http://user:pass@h", "without user"),
        ("shop=http://h/?key=1", "without user"),
        ("shop=http://h/#x", "without user"),
        ("shop=http://h/a/../b", "without user"),
        ("my shop=http://h", "no name"),
        ("=http://h", "no name"),
        ("..=http://h", "no name"),
        (f"{'x' * 41}=http://h", "no name"),
        ("shop=http://h,shop=http://i", "twice"),
    ],
)
def test_what_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch, text: str, words: str) -> None:
    """The sentence names the variable and the fault."""
    monkeypatch.setenv("LANESCOPE_TARGETS", text)
    with pytest.raises(StartError) as told:
        load_settings()
    assert told.value.sentence.startswith("LANESCOPE_TARGETS cannot be used: ")
    assert words in told.value.sentence
    assert "pass" not in told.value.sentence or "user:pass" not in text


def test_targets_given_by_a_command_are_checked_too() -> None:
    """`lanescope proxy` gives its one target as it is."""
    assert load_settings(targets={"agent": "http://h/"}).targets == {"agent": "http://h"}
    with pytest.raises(StartError):
        load_settings(targets={"agent": "h"})
