"""The installation's secret: what cookies are signed with.

Rules of this file: finding or making it, and signers for a purpose. It is in no log, no message and no page. From
LANESCOPE_SECRET or the file of LANESCOPE_SECRET_FILE; else it is made once, in the data folder.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from functools import lru_cache
from pathlib import Path

from itsdangerous import Signer

from webapp.errors import StartError
from webapp.settings import Settings
from webapp.storage.private import make_folder

SECRET_BYTES = 48
MIN_LENGTH = 32
FILE = "secret"


def signer(settings: Settings, purpose: str) -> Signer:
    """What signs and checks texts for one purpose: a text signed for another is refused. Raises StartError."""
    return Signer(
        secret(settings), salt=f"lanescope.{purpose}", key_derivation="hmac", digest_method=hashlib.sha256
    )


def secret(settings: Settings) -> bytes:
    """The secret. Raises StartError when it is told to be in a file that cannot be read, or cannot be made."""
    given = settings.secret.get_secret_value()
    if given:
        return given.encode()
    if settings.secret_file:
        return _told(Path(settings.secret_file))
    return _own(settings.data_dir.resolve())


@lru_cache(maxsize=8)
def _told(path: Path) -> bytes:
    try:
        text = path.read_bytes().strip()
    except OSError as error:
        raise StartError(f"The file of LANESCOPE_SECRET_FILE cannot be read: {error.strerror}.") from None
    if len(text) < MIN_LENGTH:
        raise StartError(f"The file of LANESCOPE_SECRET_FILE must hold {MIN_LENGTH} characters or more.")
    return text


@lru_cache(maxsize=8)
def _own(folder: Path) -> bytes:
    """The secret of a data folder, made when missing: whole or not at all, and one for all workers."""
    path = folder / FILE
    try:
        if not path.exists():
            make_folder(folder)
            _make(path)
        text = path.read_bytes().strip()
    except OSError as error:
        raise StartError(
            f"The secret of this installation cannot be kept in the data folder: {error.strerror}; make the "
            "folder writable, or set LANESCOPE_SECRET."
        ) from None
    if len(text) < MIN_LENGTH:
        raise StartError(
            "The file “secret” in the data folder is damaged; delete it and start again: everybody signs in anew."
        )
    return text


def _make(path: Path) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-")  # made for its owner's eyes only
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(SECRET_BYTES))
        os.link(draft, path)  # unlike a rename it leaves the file of a quicker worker
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
