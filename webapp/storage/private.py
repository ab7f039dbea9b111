"""Files that nobody else on the machine reads: the data folder and a database file.

Rules of this file: rights only. An SQLite file is never opened here: to close it would drop the locks that this very
process has on it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_BESIDE = ("", "-wal", "-shm", "-journal")  # SQLite gives those it makes the rights of the database file


def make_folder(folder: Path) -> None:
    """The folder, for its owner alone when it is made here; one that is there stays as it is. Raises OSError."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def make_file(file: Path) -> None:
    """An empty file for its owner alone, where there is none: SQLite itself would let everybody read it.

    Raises OSError.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))


def close_to_others(file: Path) -> None:
    """Take the rights of everybody but the owner from a database file and what lies beside it.

    Where that is not ours to do (another owner, a file system without rights) they stay.
    """
    for suffix in _BESIDE:
        with suppress(OSError):
            os.chmod(f"{file}{suffix}", FILE_MODE)
