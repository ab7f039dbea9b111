"""Keeps tokens of links and codes of sign-ins out of the log: who can read it must not get in with what it says.

Rules of this file: what is cut from a record before any handler sees it; nothing else is changed.
"""

from __future__ import annotations

import logging
import re

LOGGERS = ("lanescope", "uvicorn", "uvicorn.access", "uvicorn.error", "uvicorn.asgi")
_LINK = re.compile(r"/s/[^\s/?#\"'<>]+")
_CODE = re.compile(r"\b(code|state)=[^\s&\"'<>]+")  # what a provider sends back with whoever signed in there


def without_tokens(text: str) -> str:
    """`GET /s/Xy…/events?event=3` -> `GET /s/…/events?event=3`."""
    return _CODE.sub(r"\1=…", _LINK.sub("/s/…", text))


class WithoutTokens(logging.Filter):
    """Cuts tokens from a record's message, its arguments and its traceback; lets every record pass."""

    _formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_cut(value) for value in record.args)
        elif isinstance(record.args, dict):
            record.args = {name: _cut(value) for name, value in record.args.items()}
        message = record.getMessage()
        cut = without_tokens(message)
        if cut != message:  # put together from its parts: only the whole shows it
            record.msg, record.args = cut, None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._formatter.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = without_tokens(record.exc_text)
        return True


def _cut(value: object) -> object:
    """Numbers stay numbers, since `%d` wants them; of anything else its text counts."""
    if value is None or isinstance(value, (int, float)):
        return value
    text = str(value)
    cut = without_tokens(text)
    return value if cut == text else cut


def keep_tokens_out_of_logs() -> None:
    """Put the filter on every logger that may be told an address; twice is once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, WithoutTokens) for each in logger.filters):
            logger.addFilter(WithoutTokens())
