"""Passwords: argon2 as recommended, equal effort for nobody's, and none that is easily guessed."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from webapp.accounts import passwords
from webapp.errors import BadInput

GOOD = "four green herons sleep"


class Counting(Argon2Hasher):
    """Counts what it verifies."""

    verified = 0

    def verify(self, password: str | bytes, hash: str | bytes) -> bool:
        self.verified += 1
        return super().verify(password, hash)


def test_a_password_fits_its_own_hash_only() -> None:
    """Each hash has a salt of its own, and says nothing of the password."""
    stored = passwords.hashed(GOOD)
    assert stored.startswith("$argon2id$")
    assert GOOD not in stored
    assert stored != passwords.hashed(GOOD)
    assert passwords.matches(GOOD, stored)
    assert not passwords.matches(GOOD + " ", stored)
    assert not passwords.matches("", stored)


@pytest.mark.parametrize("stored", [None, "stored"])
@pytest.mark.parametrize("password", ["", GOOD, "x" * 100_000])
def test_whoever_has_no_account_takes_as_much_work(
    monkeypatch: pytest.MonkeyPatch, stored: str | None, password: str
) -> None:
    """One hash is verified, whether there is an account, a password, or an endless one."""
    counting = Counting(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", PasswordHash((counting,)))
    kept = passwords.hashed("another password") if stored else None
    passwords.matches("warms up", None)
    counting.verified = 0
    assert not passwords.matches(password, kept)
    assert counting.verified == 1


def test_the_password_behind_nobodys_hash_opens_nothing() -> None:
    """It can be read in the source."""
    assert not passwords.matches("a password that nobody has", None)


def test_what_is_stored_and_no_hash_matches_nothing() -> None:
    """A damaged row is a wrong password, no fault."""
    assert not passwords.matches(GOOD, "plain")


def test_a_hash_of_weaker_parameters_is_made_anew() -> None:
    """By whoever knows the password, at the next sign-in."""
    weak = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=16, parallelism=1),)).hash(GOOD)
    fits, new = passwords.checked(GOOD, weak)
    assert fits
    assert new is not None
    assert passwords.checked(GOOD, new) == (True, None)
    assert passwords.checked("another", weak) == (False, None)


def test_production_uses_the_recommended_parameters() -> None:
    """64 MB and three passes, as the tests do not."""
    found = find_spec("webapp.accounts.passwords")
    assert found is not None
    assert found.loader is not None
    untouched = module_from_spec(found)
    found.loader.exec_module(untouched)
    assert "$m=65536,t=3,p=4$" in untouched.hashed(GOOD)


@pytest.mark.parametrize(
    "password",
    [
        "short",
        "x" * 201,
        "aaaaaaaaaaaaaaaa",
        "123456789012",
        "098765432109",
        "abcdefghijkl",
        "Password1234",
        "CORRECT horse battery staple",
        "lanescope2026!",
        "Ada Lovelace-Byron",
        "adalovelace-byron",
    ],
)
def test_what_is_easily_guessed_is_refused(password: str) -> None:
    """Each with one sentence that says what to do, and without the password in it."""
    with pytest.raises(BadInput) as refused:
        passwords.check_new(password, "ada lovelace-byron")
    assert refused.value.sentence.endswith(".")
    assert password not in refused.value.sentence


@pytest.mark.parametrize(
    "password", [GOOD, "x7f-9Kq2-LLp0", "пароль из трёх слов", "ada lovelace 1815 countess"]
)
def test_what_is_long_and_uncommon_is_taken(password: str) -> None:
    """No rule about digits or signs."""
    passwords.check_new(password, "ada")
