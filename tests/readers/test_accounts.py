"""Accounts that did not add up once: what the fuzz test found, each in its smallest form."""

from __future__ import annotations

import pytest

from tests.readers.wrapping import CLEAN, line, sse
from tests.readers.wrapping_dumps import wrap_repr_list
from webapp.core.records import Record
from webapp.readers.base import Account
from webapp.readers.limits import Limits
from webapp.readers.read import read

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def account_of(
    text: str, form: str | None = None, limits: Limits | None = None
) -> tuple[list[Record], Account]:
    _, records, account = read([text.encode()], form, limits)
    every = list(records)
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    assert min([account.records, account.not_understood, *account.ignored.values()]) >= 0
    return every, account


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("begin", [HEAD, "```\n"])
def test_a_body_of_any_line_ends_behind_a_head_or_in_a_fence(begin: str, end: str) -> None:
    """A CR alone ends a line of an event stream and none of the file: lines are those of the file."""
    text = begin + sse(CLEAN[:3]).replace("\n", end) + "\n" + sse(CLEAN[3:])
    records, account = account_of(text)
    assert len(records) == 5
    assert account.lines == text.count("\n") + (not text.endswith("\n"))
    for each in records:
        before, behind = text.encode()[: each.offset], text.encode()[each.offset :]
        assert before.count(b"\n") == each.line - 1
        assert each.payload in behind.partition(b"\n")[0]


def test_strays_on_one_line_of_the_file_count_once() -> None:
    """Several lines of the stream inside that nobody understands."""
    _, account = account_of(f"{HEAD}data: {line(CLEAN[0])}\n\nx\ry\rz\n")
    assert account.not_understood == 1
    assert len(account.strays) == 1


def test_lines_behind_the_last_chunk_are_lines_of_their_own() -> None:
    """The body had ended without a line end."""
    chunked = HEAD.replace("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
    body = f"data: {line(CLEAN[0])}"
    records, _ = account_of(f"{chunked}{len(body):x}\r\n{body}\r\n0\r\n\r\nprose\nmore\n")
    assert len(records) == 1


def test_an_event_and_a_broken_one_on_a_line_past_the_limit() -> None:
    """Nothing is taken back that was never counted."""
    row = wrap_repr_list(CLEAN).decode().removesuffix("]").removesuffix(")") + ",x}\n"
    _, account = account_of(row * 9, "python", Limits(max_records=7))
    assert account.records == 0
    assert account.not_understood + sum(account.ignored.values()) == 9
