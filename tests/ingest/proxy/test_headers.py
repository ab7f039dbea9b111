"""Headers that go through, and those that end at each hop."""

from __future__ import annotations

import pytest

from webapp.ingest.proxy.headers import HOP, end_to_end, has_body, to_client, to_upstream, value


@pytest.mark.parametrize("name", sorted(HOP))
def test_what_is_between_neighbours_stays_there(name: bytes) -> None:
    """Each of them, in any spelling, both ways."""
    sent = [(b"X-A", b"1"), (name.title(), b"x"), (b"X-B", b"2")]
    assert end_to_end(sent) == [(b"X-A", b"1"), (b"X-B", b"2")]
    assert to_client(sent) == [(b"X-A", b"1"), (b"X-B", b"2")]


def test_connection_names_more_of_them() -> None:
    """In several headers, several values each; but never those that say how long a message is."""
    sent = [
        (b"Connection", b"X-Mine, close"),
        (b"x-mine", b"1"),
        (b"connection", b" X-Yours,content-length"),
        (b"X-YOURS", b"2"),
        (b"Content-Length", b"3"),
        (b"X-Kept", b"4"),
    ]
    assert end_to_end(sent) == [(b"Content-Length", b"3"), (b"X-Kept", b"4")]


def test_order_and_repetition_are_kept() -> None:
    """Two cookies are two headers, and nothing is added to an answer."""
    sent = [(b"Set-Cookie", b"a=1"), (b"ETag", b'"x"'), (b"set-cookie", b"b=2"), (b"Content-Encoding", b"br")]
    assert to_client([*sent, (b"Date", b"now")]) == sent


def test_a_request_gets_the_host_of_its_target_and_no_more() -> None:
    """No Accept, no Accept-Encoding, no User-Agent of ours."""
    assert to_upstream([(b"host", b"127.0.0.1:8321")], "agent.example.com") == [
        (b"Host", b"agent.example.com")
    ]


def test_a_body_in_chunks_stays_one() -> None:
    """Its length is not known, so chunks are what frames it; a length beside them is a trap."""
    sent = [(b"transfer-encoding", b"chunked"), (b"content-length", b"3")]
    assert to_upstream(sent, "h") == [(b"Host", b"h"), (b"Transfer-Encoding", b"chunked")]
    assert has_body(sent)


def test_whether_there_is_a_body_is_said_by_the_head() -> None:
    """A length of zero is none."""
    assert not has_body([])
    assert not has_body([(b"content-length", b"0")])
    assert has_body([(b"Content-Length", b"1")])


def test_a_value_is_read_whatever_its_names_spelling() -> None:
    """Several are one, with commas; none is None."""
    sent = [(b"A", b"1 "), (b"a", b"2")]
    assert value(sent, b"a") == "1, 2"
    assert value(sent, b"b") is None
