"""Where to go after signing in.

Rules of this file: one function. An address that leads out of this server is never followed, whoever wrote it.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

HOME = "/"
# what a browser could read otherwise than we do (backslashes, control characters, spaces) is no address of ours
_PLAIN = re.compile(r"/(?![/\\])[!-\[\]-~]{0,2000}")


def local(address: str) -> str:
    """The address, when it is a path of this server (with a query perhaps), else the front page."""
    if not _PLAIN.fullmatch(address):
        return HOME
    path = urlsplit(address)
    if path.scheme or path.netloc or path.path.startswith(("//", "/sign-in", "/sign-out")):
        return HOME
    return address
