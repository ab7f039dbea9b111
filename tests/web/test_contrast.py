"""The colours of `static/app.css`: text is at least 4.5:1 on every ground it is used on, marks 3:1, in both schemes.

The ratio is that of WCAG 2.2 (relative luminance, section 1.4.3 and 1.4.11).
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parent.parent.parent / "static" / "app.css").read_text()
TOKENS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(
        r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS, re.I
    )
}
SEVERITIES = ("fatal", "error", "warning", "info", "ok")
GROUNDS = ("bg", "sunk", "raised")
WASHES = tuple(f"{name}-wash" for name in SEVERITIES)

TEXT = [
    *product(("ink", "ink-2", "ink-3", "accent", *SEVERITIES), GROUNDS),
    *product(("ink", "ink-2", "accent"), (*WASHES, "accent-wash")),
    *((name, f"{name}-wash") for name in SEVERITIES),
    *(("on-sev", name) for name in SEVERITIES),
    ("on-accent", "accent"),
]
MARKS = [
    *product([name for name in TOKENS if re.fullmatch(r"k-[a-z]+|lane-\d", name)], ("bg", "sunk")),
    *product(("accent", *SEVERITIES), (*GROUNDS, "accent-wash")),
]


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_faint(pairs: list[tuple[str, str]], scheme: str, least: float) -> dict[str, float]:
    ratios = {f"{a} on {b}": contrast(TOKENS[a][scheme], TOKENS[b][scheme]) for a, b in pairs}
    return {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least}


def test_the_measure_is_right() -> None:
    """Black on white is 21:1, and a grey known to be just too faint is found so."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert 4.4 < contrast("#777777", "#ffffff") < 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scheme: str) -> None:
    """4.5:1 on every ground a text colour stands on."""
    assert too_faint(TEXT, scheme, 4.5) == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_can_be_told_from_the_ground(scheme: str) -> None:
    """3:1 for bars, arrows, dots, lane rules and signs."""
    assert len(MARKS) > 30
    assert too_faint(MARKS, scheme, 3) == {}
