"""Error sentences: each known wording leads to its rule, whatever stands around it."""

from __future__ import annotations

import re

import pytest

from webapp.core.errors import excerpt, look_up
from webapp.core.errors.agui import WORDINGS as AGUI
from webapp.core.errors.model import LABELS
from webapp.core.errors.teams import CODES, answer_in
from webapp.core.errors.teams import WORDINGS as TEAMS
from webapp.core.reasons import REASONS
from webapp.core.rules.model import catalogue
from webapp.core.teams.answers import ANSWERS, BY_KEY

# sentence -> first rule, ids
SAID = [
    ("First event must be 'RUN_STARTED'", "AGUI-RUN-01", {}),
    (
        "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished",
        "AGUI-RUN-02",
        {},
    ),
    (
        "Cannot send event type 'CUSTOM': The run has already finished with 'RUN_FINISHED'.",
        "AGUI-RUN-03",
        {"event": "CUSTOM"},
    ),
    ("Cannot send event type 'RAW': The run has already errored with 'RUN_ERROR'.", "AGUI-RUN-04", {"event": "RAW"}),
    (
        "Cannot send 'TEXT_MESSAGE_START' event: A text message with ID 'm' is already in progress.",
        "AGUI-TXT-01",
        {"message id": "m"},
    ),
    (
        "Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm'.",
        "AGUI-TXT-02",
        {"message id": "m"},
    ),
    ("Cannot send 'TEXT_MESSAGE_END' event: No active text message found with ID 'm'.", "AGUI-TXT-03", {}),
    (
        "Cannot send 'TOOL_CALL_ARGS' event: No active tool call found with ID 'c'.",
        "AGUI-TOL-02",
        {"tool call id": "c"},
    ),
    (
        "Cannot send 'REASONING_MESSAGE_CONTENT' event: No active reasoning message found with ID 'r'.",
        "AGUI-RSN-05",
        {},
    ),
    ("Cannot send 'REASONING_END' event: No active reasoning span found with ID 'r'.", "AGUI-RSN-02", {}),
    (
        "Cannot send 'RUN_FINISHED' while text messages are still active: m-1, m-2",
        "AGUI-TXT-04",
        {"still open": "m-1, m-2"},
    ),
    ("Step \"plan\" is already active for 'STEP_STARTED'", "AGUI-STP-01", {"step": "plan"}),
    ("Cannot send 'STEP_FINISHED' for step \"plan\" that was not started", "AGUI-STP-02", {}),
    (
        "Cannot send 'SUBAGENT_FINISHED': no active subagent found with ID 's'. A 'SUBAGENT_STARTED' event must be",
        "AGUI-SUB-04",
        {"subagent": "s"},
    ),
    ("Cannot send 'CUSTOM' with 'subagentRunId: null'. The field is optional", "AGUI-ENV-14", {}),
    ("First TOOL_CALL_CHUNK must have a toolCallName", "AGUI-CHK-04", {}),
    ("Cannot continue tool call 'c': chunk toolCallName 'a' does not match the open stream's", "AGUI-CHK-07", {}),
    ("SyntaxError: Unexpected non-whitespace character after JSON at position 40", "AGUI-TRN-02", {}),
    ("Thread has 2 pending interrupt(s) not addressed by resume: i-1, i-2", "AGUI-INT-07", {}),
    ('{"code":"ContentStreamNotAllowed","message":"Content stream was cancelled by user"}', "TEAMS-044", {}),
    ("The streaming API isn’t allowed for the user or bot.", "TEAMS-047", {}),
    ("failed to complete the streaming process within the strict time limit of two minutes.", "TEAMS-041", {}),
    ("API calls quota exceeded", "TEAMS-037", {}),
    ('{"error":{"code":"ContentStreamNotAllowed"}}', "TEAMS-052", {}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "rule", "ids"), SAID)
def test_a_sentence_leads_to_its_rule(said, rule, ids):
    """Alone, in a chat with curled quotes, and in a traceback."""
    curled = "Hi, what is this? “" + re.sub(r"'([^']*)'", "‘\\1’", said) + "” Thanks"
    for text in (said, curled, f"Traceback:\n  File 'x.py', line 3\nRuntimeError: {said}\n"):
        [known] = look_up(text)
        assert known.wording.rules[0] == rule
        assert ids.items() <= dict(known.ids).items()
        assert known.causes
        assert known.wording.means


def test_one_code_has_six_meanings_and_the_message_decides():
    """Each answer's own words give that answer's row."""
    for row in ANSWERS:
        if row.message and row.key not in ("E405", "E500"):
            found = look_up(f'{{"error":{{"code":"{row.code}","message":"{row.message}"}}}}')
            assert [known.wording.answer for known in found] == [row.key], row.key
            answer = answer_in(row.message)
            assert answer is not None
            assert answer.key == row.key


def test_ids_near_an_answer_are_found():
    """What support asks for: the chat, the stream, the correlation id."""
    text = (
        "POST https://smba.trafficmanager.net/amer/v3/conversations/a:1zz/activities HTTP/1.1 403\nMS-CV: abc.1/2\n"
        '{"streamId":"179"} {"error":{"message":"Message size too large"}}'
    )
    [known] = look_up(text)
    assert dict(known.ids) == {"conversation": "a:1zz", "stream": "179", "MS-CV": "abc.1/2", "status": "403"}


def test_other_text_holds_no_known_sentence():
    """Prose about errors and a healthy event are none."""
    for text in ("", "The bot does not answer.", '{"type":"RUN_STARTED"}', "HTTP 403 Forbidden"):
        assert look_up(text) == ()
        assert excerpt(text) == ""


def test_every_row_is_sound():
    """Names once, rules of the catalogue (or of families to come), reasons and labels that exist."""
    rows = (*AGUI, *TEAMS, *CODES)
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        assert any(rule in catalogue() for rule in row.rules), row.name
        assert all(reason in REASONS for reason in row.reasons), row.name
        assert set(row.pattern.groupindex) <= LABELS.keys(), row.name
        assert row.answer is None or row.answer in BY_KEY


def test_long_texts_are_bounded():
    """What goes into an address is short; looking at hostile text takes no time."""
    text = "x" * 5000 + "\nFirst event must be 'RUN_STARTED'\n" + "y" * 5000
    assert excerpt(text) == "First event must be 'RUN_STARTED'"
    for bait in ("Cannot send '" * 8000, "conversations/" * 7000, "expected a" * 9000, "'" * 100_000):
        look_up(bait)
