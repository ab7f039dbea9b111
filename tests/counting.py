"""Work as a number that is the same each time: the steps the interpreter takes in the engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

LINEAR = 2.2  # times the work that twice the input may take: 2, and something for sorting


def steps(act: Callable[[], object], part: str = "/webapp/core/") -> int:
    """How many there are while `act` runs, in files whose path contains `part`; those of C code do not count."""
    counted = 0

    def step(_frame: FrameType, event: str, _: Any) -> Any:
        nonlocal counted
        counted += event == "opcode"
        return step

    def enter(frame: FrameType, _event: str, _: Any) -> Any:
        if part not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        act()
    finally:
        sys.settrace(before)
    return counted
