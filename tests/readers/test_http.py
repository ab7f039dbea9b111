"""A response head before the stream: what is kept of it, and bodies in chunks."""

from __future__ import annotations

import pytest

from tests.readers.wrapping import CLEAN, line, sse
from tests.readers.wrapping_texts import RAW_HEAD, wrap_chunked, wrap_curl
from webapp.core.records import Record
from webapp.readers.base import Account
from webapp.readers.read import read


def got(data: bytes) -> tuple[list[Record], Account]:
    found, records, account = read([data])
    assert found.form == "http"
    return list(records), account


def test_status_and_content_type_are_kept_and_no_value_else() -> None:
    """Names of the other fields stay; secrets are in nothing that is shown."""
    _, account = got(wrap_curl(CLEAN))
    head = account.head
    assert head is not None
    assert (head.status, head.content_type) == (200, "text/event-stream; charset=utf-8")
    assert set(head.headers) == {"set-cookie", "transfer-encoding"}
    assert "zzSECRET" not in repr(account)
    assert [a.kind for a in account.artefacts] == ["http-head"]


ERROR = b'{"error":"boom"}'


@pytest.mark.parametrize(
    "kind", [b"content-type: application/json\r\n", b"content-type: text/plain\r\n", b""]
)
@pytest.mark.parametrize(
    "body", [ERROR, b'{\n "detail": [\n  {"type": "missing"}\n ]\n}\n', b"try again later"]
)
def test_the_words_of_an_error_answer_are_no_event(kind: bytes, body: bytes) -> None:
    """Status and kind of the answer stay; its body is counted and not judged."""
    records, account = got(b"HTTP/1.1 422 Unprocessable\r\n" + kind + b"\r\n" + body)
    assert records == []
    assert account.head is not None
    assert account.head.status == 422
    assert [a.kind for a in account.artefacts] == ["http-head", "error-answer"]
    assert account.ignored["body of an error answer"] == body.count(b"\n") + (not body.endswith(b"\n"))


@pytest.mark.parametrize("status", [b"200", b"500"])
def test_a_stream_in_an_error_answer_is_read(status: bytes) -> None:
    """Some agents answer so; and an answer that says it is well is judged whatever its body."""
    head = b"HTTP/1.1 " + status + b" X\r\ncontent-type: application/json\r\n\r\n"
    assert len(got(head + sse(CLEAN).encode())[0]) == 5
    assert len(got(head + ERROR)[0]) == (status == b"200")


def test_a_redirect_or_an_interim_answer_is_not_the_head() -> None:
    """The answer that has the stream is."""
    text = "HTTP/1.1 307 Temporary Redirect\r\nlocation: /b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + sse(CLEAN)
    records, account = got(text.encode())
    assert len(records) == 5
    assert account.head is not None
    assert (account.head.status, account.head.content_type) == (200, None)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 10, 16, 26, 31, 48, 64, 200, 5000])
@pytest.mark.parametrize("ends", [b"\r\n", b"\n"])
def test_chunks_of_any_size_give_the_lines_they_were_cut_from(size: int, ends: bytes) -> None:
    """Also when a piece of the body looks like a size, and when a paste has changed the line ends."""
    text = wrap_chunked(CLEAN, size).replace(b"\r\n", ends)
    records, account = got(text)
    assert [record.payload.decode() for record in records] == [line(event) for event in CLEAN]
    assert account.not_understood == 0
    assert "chunked" in [artefact.kind for artefact in account.artefacts]


def test_a_body_that_breaks_off_in_a_chunk_is_incomplete() -> None:
    """What was received is offered, and marked."""
    whole = wrap_chunked(CLEAN, 100)
    records, _ = got(whole[: whole.index(b"TEXT_MESSAGE_END") + 4])
    assert "incomplete" in records[-1].framing


def test_a_request_before_the_answer_is_passed_over() -> None:
    """Its body too, though it is JSON."""
    text = f'POST /agent HTTP/1.1\nCookie: zzSECRET\n\n{{"threadId":"t-1"}}\n\n{RAW_HEAD}' + sse(CLEAN)
    records, account = got(text.encode())
    assert len(records) == 5
    assert account.ignored["request"] == 3
    assert account.strays == []


def test_lines_point_into_the_capture() -> None:
    """The record's line is where its `data:` stands."""
    data = wrap_curl(CLEAN)
    records, _ = got(data)
    for record in records:
        assert data[record.offset :].startswith(b"data: " + record.payload)
        assert data.count(b"\n", 0, record.offset) == record.line - 1


def test_an_error_answer_is_judged_as_what_it_is() -> None:
    """Its status is evidence; no event makes no pass."""
    _, account = got(b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\n\r\nboom\r\n")
    assert account.head is not None
    assert (account.head.status, account.records, account.ignored) == (
        500,
        0,
        {"HTTP head": 2, "blank line": 1, "body of an error answer": 1},
    )
