"""The run input of a call: what no agent could use is refused in plain words, all else goes out as it was typed."""

from __future__ import annotations

import pytest

from webapp.errors import BadInput
from webapp.ingest.call.asked import MAX_INPUT, read_input


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        ("hello", "no JSON: expecting value at line 1, column 1"),
        ('{"threadId": "t",\n "runId": }', "at line 2, column 11"),
        ('{"threadId": "t"', "no JSON"),
        ('{"threadId": "t"} x', "extra data at line 1, column 19"),
        ('{"threadId":"t","runId":"r","messages":[],"state":NaN}', "it holds NaN, which is no JSON value"),
        ("[]", "is a list; it has to be a JSON object"),
        ('"text"', "is a text"),
        ("12", "is a number"),
        ("null", "is null"),
        ("{}", "lacks threadId (a text that names the conversation) and runId"),
        ('{"threadId":"t","runId":"r"}', "lacks messages (a list of the conversation so far"),
        ('{"thread_id":"t","run_id":"r","messages":[]}', "lacks threadId"),
        ('{"threadId":1,"runId":"r","messages":[]}', "threadId of the run input is a number"),
        ('{"threadId":"t","runId":null,"messages":[]}', "runId of the run input is null"),
        ('{"threadId":"t","runId":"r","messages":{}}', "messages of the run input is an object"),
        ("[" * 100_000, "nests too deep"),
        ('{"threadId":"t","runId":"r","messages":' + "[" * 300 + "]" * 300 + "}", "deeper than 200"),
        ('{"threadId":"t","runId":"r","messages":[],"state":' + "9" * 5_000 + "}", "too many digits"),
        (" " * (MAX_INPUT + 1) + "{}", "larger than 8 MB"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    """One sentence, with the place or the member."""
    with pytest.raises(BadInput) as caught:
        read_input(text)
    assert words in caught.value.sentence
    assert caught.value.sentence.endswith(".")


def test_the_text_goes_out_as_it_was_typed() -> None:
    """Unknown members, order, white space and escapes are the caller’s: Lanescope only looks."""
    text = (
        '{ "runId":"r",\n"threadId":"t", "messages":[{"role":"strange"}], "x":"\\ud83d", "y":"é", "n":1.0 }'
    )
    value, body = read_input(text)
    assert body == text.encode()
    assert value["messages"] == [{"role": "strange"}]
