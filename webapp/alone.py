"""One server a SQLite file: a lock beside it, held for as long as the server lives.

Rules of this file: the lock and nothing else. It belongs to the process, so the system takes it back however that ends,
and a file that is left behind says nothing. Commands that work beside a server do not ask for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import make_url

from webapp.errors import StartError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

SUFFIX = ".serving"


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Keep other servers away from this database; its folder must be there. PostgreSQL has room for several.

    Two of them would take each other's recordings for left behind, and end them. Raises StartError.
    """
    file = make_url(url).database if url.startswith("sqlite") else None
    if not file or file == ":memory:":
        yield
        return
    path = Path(file + SUFFIX)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        if not _taken(lock):
            raise StartError(
                f"Another Lanescope serves {path.parent} already; stop that one, or choose another folder with "
                "LANESCOPE_DATA_DIR."
            )
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    """Whether it is ours now. File systems that know no locks refuse none."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True
