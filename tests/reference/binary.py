"""Streams of the binary binding: a legal run in frames, and in most of them one frame that no client can read.

Rules of this file: what stands in the frames. What is wrong with a frame is the framing's alone, so the events are
legal ones, as far as the binding can write them.
"""

from __future__ import annotations

import base64
import random
from typing import Any

from tests.readers.frames import NoWireForm, frame, framed
from tests.reference.moves import Moves

LONGEST = 30  # events
# messages that are no event: empty, no message, JSON, cut short, two events, no base, a base of another type
BROKEN = tuple(
    framed(bytes.fromhex(data))
    for data in (
        "",
        "ff",
        "646174613a207b7d",
        "0a05",
        "a80601",
        "620a0a02080b1201741a01726a0a0a02080c1201741a0172",
        "62061201741a0172",
        "620a0a02080c1201741a0172",
    )
)
UNKNOWN = framed(
    bytes.fromhex("a206060a0408641200")
)  # an event of a later version: dropped, and nothing more


def binary(rng: random.Random) -> dict[str, Any]:
    """The frames in base64, in order."""
    frames = []
    for event in Moves(rng, LONGEST, 0.0).build():
        try:
            frames.append(frame(event))
        except NoWireForm:
            continue  # the binding cannot say it
    if rng.random() < 0.2:
        frames.insert(rng.randrange(len(frames) + 1), UNKNOWN)
    if rng.random() < 0.6:
        frames.insert(rng.randrange(len(frames) + 1), rng.choice(BROKEN))
    return {"frames": [base64.b64encode(each).decode() for each in frames]}
