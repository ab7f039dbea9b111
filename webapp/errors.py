"""Faults a person is told about, each in one sentence.

Rules of this file: a leaf; exceptions only, no HTTP and no terminal. `web/errors.py` turns a class into a
status and a page, the command line prints the sentence and exits with code 2. The sentence is shown as it
is: plain English, what happened and what to do next, no stack trace, no path that the person did not give.
"""

from __future__ import annotations


class UserError(Exception):
    """Something the person can understand and act on.

    sentence: shown as it is, with its full stop
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class BadInput(UserError):
    """What was sent cannot be used as it is."""


class ErrorSentence(BadInput):
    """A known error sentence and no recording. said: the sentence; it can be looked up, and nothing is stored."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "This is an error message and no recording, so nothing was stored; its meaning can be looked "
            "up under /errors."
        )
        self.said = said


class NotFound(UserError):
    """There is no such page, trace, rule or link (any more)."""


class TooLarge(UserError):
    """Beyond a named limit; the sentence says which and what it is set to."""


class SignInNeeded(UserError):
    """Only for those who are known, and who asks is not: no sign-in, or a key that is none."""


class Refused(UserError):
    """Understood, but not allowed from here."""


class WrongHost(UserError):
    """The request was addressed to a name this server does not answer to."""


class TooMany(UserError):
    """Asked for too often. seconds: to wait before it is asked for again."""

    def __init__(self, sentence: str, seconds: int) -> None:
        super().__init__(sentence)
        self.seconds = seconds


class Busy(UserError):
    """Cannot be done now; trying again later may work."""


class OutOfOrder(BadInput):
    """Part of a recording came before the part in front of it. last: the newest that is stored."""

    def __init__(self, sentence: str, last: int) -> None:
        super().__init__(sentence)
        self.last = last


class StartError(UserError):
    """The server or a command cannot start: settings, port, folder or database."""
