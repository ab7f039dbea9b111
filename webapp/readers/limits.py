"""How much input a reader takes, and the one error that says it was too much.

Rules of this file: named numbers with their reason, nothing else. Callers build `Limits` from the settings.
"""

from __future__ import annotations

from dataclasses import dataclass

CUT_BYTES = 4096  # what is kept of a record over the limit: enough to see what it was


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one trace. Sizes are bytes.

    max_expanded_bytes: of a compressed upload, after expansion (a small archive can hold terabytes)
    max_records:        later ones are counted as lines, not offered
    max_record_bytes:   of one payload; a longer one is offered cut to `cut_bytes`, and no reader holds more
        in memory
    """

    max_expanded_bytes: int = 1_000_000_000
    max_records: int = 2_000_000
    max_record_bytes: int = 16_000_000

    @property
    def cut_bytes(self) -> int:
        """What is kept of a record over the limit."""
        return min(CUT_BYTES, self.max_record_bytes)


class TooLarge(ValueError):
    """The compressed input expands beyond the limit. `str()` is a sentence for the user."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"The compressed file holds more than {in_words(limit)}; this server reads no more than that."
        )


def in_words(size: int) -> str:
    """A size in bytes as people write it: `16 MB`, `1 GB`, `900 bytes`."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")):
        if size >= unit:
            return f"{size / unit:g} {name}" if size % unit == 0 else f"{size / unit:.1f} {name}"
    return f"{size} bytes"
