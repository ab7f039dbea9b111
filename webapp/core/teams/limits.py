"""The numbers of the streaming contract that more than one part of the product needs.

Rules of this file: numbers and words of the wire, and no imports, so that drawings and queries can share them with the
engine. Source: specification 1.1, 1.3 and 2.5. What one rule alone needs stands with that rule.
"""

from __future__ import annotations

STREAMED = ("informative", "streaming", "final")  # kinds of exchanges that belong to a stream
PACE = 1.0  # seconds between two streaming calls of one chat
NOISE = 0.05  # seconds: how far one recorder's clock is trusted; a gap this much shorter still counts as PACE
LIMIT = 120.0  # seconds from the start's answer to the final
SILENCE = 45.0  # seconds without a call after which a client may give up


def too_soon(apart: float) -> bool:
    """Whether a streaming call comes too early, so many seconds after the one before it in its chat."""
    return apart < PACE - NOISE
