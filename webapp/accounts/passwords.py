"""Passwords: hashed, checked, and which ones may be chosen.

Rules of this file: argon2 as `pwdlib` recommends it, nothing weaker. A hash takes tens of milliseconds and 64 MB, so
callers keep it off the event loop and never run many at once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError

from webapp.errors import BadInput
from webapp.storage.users import key_of

MIN_LENGTH = 12
MAX_LENGTH = 200
# long enough to be allowed, and among the first that somebody would try
_KNOWN = {
    "lanescope", "password", "passwort", "passphrase", "letmein", "welcome", "qwerty", "qwertyuiop", "iloveyou",
    "administrator", "changeme", "changemenow", "correcthorsebatterystaple", "abcdefghijkl", "qwertyuiopas",
    "asdfghjkl", "trustno", "superman", "football", "secret", "default", "admin", "test", "guest",
}  # fmt: skip
_hasher = PasswordHash.recommended()


def hashed(password: str) -> str:
    """The argon2 hash that is stored; each has a salt of its own."""
    return _hasher.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Whether this is the password of a stored hash. None (no such account, or none set) takes the same time."""
    return checked(password, stored)[0]


def checked(password: str, stored: str | None) -> tuple[bool, str | None]:
    """As `matches`, with the hash to store instead when today's parameters are others than the stored one's."""
    if len(password) > MAX_LENGTH:  # none that long was ever set
        password, stored = password[:MAX_LENGTH], None
    try:
        fits, new = _hasher.verify_and_update(password, stored or _nobodys(_hasher))
    except UnknownHashError:
        return False, None
    return (True, new) if fits and stored is not None else (False, None)


def check_new(password: str, name: str = "") -> None:
    """Refuse a password that is too short, too long or easily guessed. name: whose it is. Raises BadInput."""
    if len(password) < MIN_LENGTH:
        raise BadInput(f"A password needs {MIN_LENGTH} characters or more; a few words in a row are good.")
    if len(password) > MAX_LENGTH:
        raise BadInput(f"A password has {MAX_LENGTH} characters at most; choose a shorter one.")
    bare = "".join(sign for sign in key_of(password) if sign.isalpha())
    same = len(set(password)) < 5
    if name and key_of(password).replace(" ", "") == key_of(name).replace(" ", ""):
        raise BadInput("The password must not be the name; choose another.")
    if same or bare in _KNOWN or _is_row(password):
        raise BadInput("This password is among the first that somebody would try; choose another.")


def _is_row(password: str) -> bool:
    """`123456789012`, `abcdefghijkl`, `987654321098`: each sign the same step from the one before."""
    around = 10 if password.isdigit() else 26
    return len({(ord(after) - ord(before)) % around for before, after in pairwise(password)}) == 1


@lru_cache(maxsize=2)
def _nobodys(hasher: PasswordHash) -> str:
    """A hash no password is known for, made with the parameters in use."""
    return hasher.hash("a password that nobody has")
