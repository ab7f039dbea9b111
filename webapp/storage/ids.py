"""Public names: what stands in URLs for a trace or a link.

Rules of this file: pure functions, no table.
"""

from __future__ import annotations

import hashlib
import secrets

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # base32: no two that look alike in most faces
LENGTH = 12  # 60 bits: not guessable, and still short enough to read out


def public_id() -> str:
    """A new random id of LENGTH base32 characters."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def fingerprint(secret: str) -> str:
    """What is stored of a token or key, and looked up: its SHA-256. It is random and long, so it needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
