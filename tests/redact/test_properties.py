"""What holds for any record, whatever is in it."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.agui.shapes import SHAPES
from webapp.redact import LEVELS, redactor
from webapp.redact.sentences import WORDS

CANARY = "кан арейка"  # with white space, so that it passes for no id
MEMBERS = sorted(WORDS | {"from", "recipient", "method", "role", "name"})
BOTH = [(protocol, level) for protocol in ("ag-ui", "teams") for level in LEVELS]

texts = st.text(max_size=8).map(lambda text: CANARY + text)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(MEMBERS) | texts, inner, max_size=4)
    ),
    max_leaves=20,
)
records = st.builds(
    lambda kind, rest: ({"type": kind} | rest) if kind else rest,
    st.sampled_from(["", *SHAPES, "message", "typing", "THINKING_START", "X_Y"]),
    st.dictionaries(st.sampled_from(MEMBERS) | texts, values, max_size=8),
)
payloads = st.binary(max_size=60) | (values | records).map(lambda value: json.dumps(value).encode())
parts = st.sampled_from(["hello ", "jane@example.com", ", ", "+49 30 1234567", '{"email":"', '"}', "\n"])


@pytest.mark.parametrize("protocol", ["ag-ui", "teams"])
@given(record=records, sentence=texts)
def test_structure_lets_no_text_and_no_unknown_key_through(
    protocol: str, record: dict[str, Any], sentence: str
) -> None:
    """Under any member, at any depth, as a value or as a key; and redacting twice changes nothing more."""
    red = redactor(protocol, "structure")
    out = red.record(json.dumps(record).encode())
    assert out is not None
    assert "кан" not in json.dumps(json.loads(out), ensure_ascii=False)
    assert red.record(out) == out
    assert "кан" not in json.dumps(red.value(record), ensure_ascii=False)
    assert "кан" not in red.words(f'it holds "{sentence}" and `{sentence.replace("`", "")}`')


@pytest.mark.parametrize(("protocol", "level"), BOTH)
@given(payload=payloads, sentence=st.text(alphabet='ab`"… @.', max_size=40))
def test_nothing_raises(protocol: str, level: str, payload: bytes, sentence: str) -> None:
    """On any bytes, looked at before or not, the answer is JSON of an object, or None where there was none."""
    red = redactor(protocol, level)
    for _ in range(2):
        out = red.record(payload)
        assert out is None or isinstance(json.loads(out), dict)
        red.words(sentence)
        red.look(payload)


@pytest.mark.parametrize(("protocol", "level"), BOTH)
@pytest.mark.parametrize("depth", [150, 900, 5000, 100_000])
def test_records_that_nest_deeply_are_no_danger(protocol: str, level: str, depth: int) -> None:
    """Read or not, they raise nothing and let nothing through."""
    payload = (
        b'{"type":"STATE_SNAPSHOT","snapshot":' + b'{"email":' * depth + b'"jane@x.com"' + b"}" * depth + b"}"
    )
    red = redactor(protocol, level)
    red.look(payload)
    assert b"jane" not in (red.record(payload) or b"")


@pytest.mark.parametrize("protocol", ["ag-ui", "teams"])
@given(
    record=st.dictionaries(
        st.sampled_from(["type", "delta", "snapshot", "text", "x"]), st.text("abc äß\n", max_size=50)
    )
)
def test_personal_leaves_texts_without_personal_data_as_they_are(
    protocol: str, record: dict[str, Any]
) -> None:
    """Letters and blanks are nobody's."""
    red = redactor(protocol, "personal")
    payload = json.dumps(record).encode()
    red.look(payload)
    assert json.loads(red.record(payload) or b"") == record


@given(text=st.lists(parts, max_size=8), cuts=st.lists(st.integers(0, 100), max_size=8))
def test_deltas_joined_are_the_whole_redacted(text: list[str], cuts: list[int]) -> None:
    """However a text is cut into deltas."""
    whole = "".join(text)
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    deltas = [whole[a:b] for a, b in pairwise(places)]

    def redacted(pieces: list[str]) -> str:
        red = redactor("ag-ui", "personal")
        events = [
            json.dumps({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece}).encode()
            for piece in pieces
        ]
        for event in events:
            red.look(event)
        return "".join(json.loads(red.record(event) or b"")["delta"] for event in events)

    assert redacted(deltas) == redacted([whole] if whole else [])


def test_an_unknown_level_or_protocol_is_refused() -> None:
    """With ValueError, at once."""
    for protocol, level in (("ag-ui", "all"), ("mail", "structure")):
        with pytest.raises(ValueError, match="no redaction"):
            redactor(protocol, level)
