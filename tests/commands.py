"""The `lanescope` command in this process: what it prints and how it ends, in a tenth of the time of a process.

Rules of this file: calling it, no expectation. What only a process of its own has (an encoding, a full disk, a signal)
is tested with one.
"""

from __future__ import annotations

import sys
from contextlib import chdir
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from webapp.cli import main


def lanescope(*args: str, cwd: Path, given: bytes = b"") -> tuple[int, str, str]:
    """Exit code, output, errors."""
    streams = {name: TextIOWrapper(BytesIO(), "utf-8", write_through=True) for name in ("stdout", "stderr")}
    code = 0
    with chdir(cwd), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["lanescope", *args])
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given), "utf-8"))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams.values())  # type: ignore[attr-defined]
    return code, out, err
