"""Findings' sentences keep the engine's words and lose what they quote of the trace."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import webapp.core
from tests.redact.canaries import LETTERS, agui_cases, canary, teams_cases
from webapp.core import Replay, Report
from webapp.core.evidence import ResponseHead
from webapp.redact import Redactor, marker, redactor

CASES = Path(__file__).parents[1] / "cases"
CORE = Path(webapp.core.__file__).parent
WORD = r"(?<![\w`])`([^`\s{}](?:[^`{}\n]*[^`\s{}])?)`"
NO_FINDING = 25  # rules whose cases give none, or fire on members' names, which are canaries here


def reports() -> Iterator[tuple[str, Redactor, Report]]:
    """Every case of every rule, its texts replaced, redacted and judged."""
    for name, case, records in agui_cases(CASES):
        asked = canary(json.loads(case["input"])) if "input" in case else None
        framing = case.get("framing", {})
        replay, red = Replay("ag-ui", asked), redactor("ag-ui", "structure")
        for number, record in enumerate(records):
            replay.feed(record, None, framing.get(str(number), framing.get("all", ())))
            red.record(record)
        red.value(asked)
        head = (
            ResponseHead(**{"status": None, "content_type": None} | case["head"]) if "head" in case else None
        )
        yield name, red, replay.finish(head)
    for name, records in teams_cases(CASES):
        replay, red = Replay("teams"), redactor("teams", "structure")
        for record in records:
            replay.feed(record)
            red.record(record)
        yield name, red, replay.finish()


def test_no_finding_of_any_rule_tells_a_canary() -> None:
    """Titles, reasons and skipped rules, of nearly every rule there is."""
    fired: set[str | None] = set()
    shown = 0
    for name, red, report in reports():
        sentences = [text for f in report.findings for text in (f.title, f.why)]
        for sentence in [*sentences, *(skipped.reason for skipped in report.skipped_rules)]:
            shown += LETTERS.search(sentence) is not None
            told = red.words(sentence)
            assert LETTERS.search(told) is None, (name, sentence, told)
            assert red.words(told) == told
        fired |= {rule for f in report.findings for rule in (f.rule, f.label)}
    rules = {path.stem for path in [*CASES.glob("*.toml"), *CASES.glob("teams/*.toml")]}
    assert shown > 100  # canaries do stand in the sentences that were looked at
    assert len(rules - fired) <= NO_FINDING


def test_what_the_engine_quotes_of_its_own_stays() -> None:
    """Every word that its source has in backticks."""
    red, count = redactor("ag-ui", "structure"), 0
    for path in CORE.rglob("*.py"):
        if path == CORE / "records.py":
            continue  # its words explain the readers' notes and stand in no sentence
        tree = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        remarks = {id(node.value) for node in tree if isinstance(node, ast.Expr)}
        texts = [node for node in tree if isinstance(node, ast.Constant) and id(node) not in remarks]
        for word in re.findall(WORD, "\n".join(str(node.value) for node in texts)):
            count += 1
            assert red.words(f"`{word}`") == f"`{word}`", (path.name, word)
    assert count > 40


def structure(*events: dict[str, object]) -> Redactor:
    red = redactor("ag-ui", "structure")
    for event in events:
        red.record(json.dumps(event).encode())
    return red


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("#12 opened `m-1` with `TEXT_MESSAGE_START`", True),
        ("`messages[2].content[0]` is null", True),
        ("`m-2` is unknown", False),
        ("the value is `17`", False),
        ('near `"Jane"`', False),
    ],
)
def test_ids_and_words_of_the_protocol_stay(said: str, kept: bool) -> None:
    """An id that no record has named is a text; a number may be one of the state."""
    told = structure({"type": "TEXT_MESSAGE_START", "messageId": "m-1", "role": "user"}).words(said)
    assert (told == said) == kept


def test_an_unknown_member_of_a_path_is_taken_out() -> None:
    """What leads to it stays."""
    red = redactor("ag-ui", "structure")
    assert red.words("no member `messages[0].janeDoe`") == f"no member `messages[0].{marker(7)}`"
    assert red.words('no member `metadata["Jane Doe"]`') == f"no member `metadata[{marker(8)}]`"
    assert red.words("no member `janeDoe.doe`") == f"no member `{marker(11)}`"


@pytest.mark.parametrize("length", [45, 70, 190])
def test_an_id_that_a_sentence_shortens_is_known(length: int) -> None:
    """In the ways either protocol shortens."""
    id_ = "call-" + "x1" * (length // 2)
    red = structure({"type": "TOOL_CALL_END", "toolCallId": id_})
    for short in (f"{id_[:40]}…{id_[-12:]}", f"{id_[:27]}…{id_[-12:]}"):
        assert red.words(f"`{short}`") == f"`{short}`"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'say "hi" to Jane',
        '"',
        '" was sent; ',
        'a" is on screen, "Jane',
        'x" Jane "y',
        "'Jane`",
        '""Jane',
    ],
)
def test_quotation_marks_in_a_text_open_nothing(text: str) -> None:
    """Between the first mark and the last nothing stays that is not the engine's."""
    shown = text.replace("`", "'")
    for sentence in (
        f'It holds "{shown}".',
        f'first: "{shown}" is on screen, "{shown}" was sent; 3 of 4 characters agree.',
    ):
        told = redactor("teams", "structure").words(sentence)
        assert "Jane" not in told
        assert told.startswith(sentence.split('"')[0])


def test_words_between_two_texts_stay_when_they_are_the_engines() -> None:
    """And so does what the service said."""
    said = (
        'difference at character 1: "Ab" is on screen, "c" was sent; 0 of 7 characters agree. What is on screen was '
        'changed or left out. The service answered 403: "Content stream is not allowed".'
    )
    assert redactor("teams", "structure").words(said) == said.replace('"Ab"', f'"{marker(2)}"').replace(
        '"c"', f'"{marker(1)}"'
    )
