"""Input that is none of ours: it is named, and nothing of it is judged."""

from __future__ import annotations

import pytest

from webapp.core.foreign import BY_SLUG, RECIPES, by_phrase
from webapp.readers.detect import concluded, detect
from webapp.readers.head import HEAD_BYTES
from webapp.readers.read import read
from webapp.views import recipes

STARTED = b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'
SAMPLES = {
    "keepalive": [b'data: {"type":"keepalive"}\n\n' * 3, b'{"type":"ping"}\n'],
    "langgraph": [
        b'event: metadata\ndata: {"run_id":"1"}\n\nevent: messages/partial\ndata: [{"type":"ai"}]\n\n',
        b'data: {"event":"on_chat_model_stream","run_id":"1","data":{}}\n\n',
    ],
    "ai-sdk": [
        b'0:"Hel"\n0:"lo"\ne:{"finishReason":"stop"}\n',
        (
            b'data: {"type":"start"}\n\ndata: {"type":"text-start","id":"0"}\n\n'
            b'data: {"type":"text-delta","id":"0","delta":"x"}\n\ndata: [DONE]\n\n'
        ),
    ],
    "openai-chat": [b'data: {"object":"chat.completion.chunk","choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n'],
    "openai-responses": [
        (
            b'event: response.created\ndata: {"type":"response.created","response":{}}\n\n'
            b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"x"}\n\n'
        )
    ],
    "anthropic": [
        (
            b'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'
            b'event: ping\ndata: {"type":"ping"}\n\n'
            b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{}}\n\n'
        )
    ],
    "gemini": [b'data: {"candidates":[{"content":{}}]}\n\n'],
    "mcp": [b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'],
    "a2a": [
        b'data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t"}}\n\n',
        b'{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{}}\n',
    ],
    "source-python": [
        (
            b"from ag_ui.core import RunStartedEvent, EventType\nimport json\n\nasync def run():\n"
            b'    yield RunStartedEvent(type=EventType.RUN_STARTED, thread_id="t", run_id="r")\n'
        )
    ],
    "source-typescript": [
        b"import { EventType } from '@ag-ui/core';\nexport const x = 1;\no.next({\n  type: 'RUN_STARTED',\n});\n"
    ],
    "server-log": [
        b"2026-09-01 10:00:00 INFO started\n2026-09-01 10:00:01 INFO GET /health 200\n[10:00:02] WARN slow\n"
    ],
    "cut-log": [
        b"".join(
            (
                b'10:00:0%d DEBUG sent {"at":%d,"request":{"type":"typing","text":"' % (n, n)
                + b"word " * (20 + n)
            )[:120]
            + b"\n"
            for n in range(4)
        )
    ],
    "prose": [b"Hello, the chat does not work since Monday."],
    "image": [b"\x89PNG\r\n\x1a\n"],
    "pdf": [b"%PDF-1.4"],
    "html": [b"<!doctype html><html><body>502 Bad Gateway</body></html>"],
    "run-input": [b'{"threadId":"t","runId":"r","messages":[]}'],
    "error-alone": [
        b"Cannot send 'TEXT_MESSAGE_CONTENT' event: No active text message found with ID 'm'.",
        b'{"error":{"code":"ContentStreamNotAllowed","message":"Content stream was canceled by user."}}',
        "Hi all, what is “First event must be ‘RUN_STARTED’”?".encode(),
        (
            b'Traceback (most recent call last):\n  File "bot.py", line 3, in f\n    await send()\n'
            b"ErrorResponseException: (BadSyntax) Only start streaming and continue streaming types are allowed\n"
        ),
    ],
}


@pytest.mark.parametrize(
    ("slug", "text"), [(slug, text) for slug, texts in SAMPLES.items() for text in texts]
)
def test_it_is_known_and_nothing_is_judged(slug, text):
    """No form, no record, a phrase that leads to its words."""
    found, records, account = read([text])
    assert (found.form, found.foreign) == (None, slug)
    assert list(records) == []
    assert account.lines == sum(account.ignored.values()) + account.not_understood
    known = by_phrase(found.reasons[0])
    assert known is not None
    assert known.slug == slug
    assert bool(found.said) == (slug == "error-alone")


@pytest.mark.parametrize("slug", ["keepalive", "openai-chat", "anthropic", "mcp", "a2a", "ai-sdk"])
def test_one_event_of_ours_makes_it_a_stream(slug):
    """Signs of life or another protocol's frames between events do not hide them."""
    text = SAMPLES[slug][-1]
    if text.startswith(b"{"):
        text = b"data: " + text + b"\n\n"
    found = detect(text + STARTED, complete=True)
    assert (found.form, found.protocol, found.foreign) == ("sse", "ag-ui", None)


def test_a_json_log_without_events_is_named():
    """Its entries lack what an event has, and that is no fault of an agent; with an event among them it is a log."""
    quiet = b'{"level":"info","msg":"started","type":"request"}\n' * 4
    assert detect(quiet, complete=True).foreign == "server-log"
    event = b'{"level":"info","msg":"sent","event":{"type":"RUN_STARTED","threadId":"t","runId":"r"}}\n'
    assert detect(quiet + event, complete=True).form == "log"


@pytest.mark.parametrize(
    ("quiet", "before"),
    [(b"2026-09-01 09:00:00,123 INFO app ready\n", b"2026-09-01 10:00:00,123 INFO app sent "),
     (b'{"level":"info","msg":"ready"}\n', b"")],
)  # fmt: skip
def test_events_far_down_in_a_log_are_read(quiet, before):
    """The first bytes hold none: whether there is one shows at the end."""
    event = STARTED.strip().removeprefix(b"data: ")
    if not before:
        event = b'{"level":"info","msg":"sent","event":' + event + b"}"
    text = quiet * (2 * HEAD_BYTES // len(quiet))
    found, records, _ = read([text, before, event, b"\n"])
    assert found.form == "log"
    assert len(list(records)) == 1
    found, records, _ = read([text])
    assert concluded(found, len(list(records))).foreign == "server-log"


def test_whatever_is_chosen_is_read():
    """Who says that it is a stream gets it judged as one."""
    found, records, _ = read([SAMPLES["openai-chat"][0]], "sse")
    assert found.form == "sse"
    assert len(list(records)) == 2


def test_a_log_with_an_error_and_events_is_a_log():
    """An error sentence among events is no error sentence alone."""
    text = b"2026-09-01 10:00:00 ERROR First event must be 'RUN_STARTED'\n"
    text += b'2026-09-01 10:00:00 INFO emit {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n'
    assert detect(text, complete=True).foreign is None


def test_an_error_as_an_event_of_a_stream_is_a_stream():
    """`data:` frames were sent by somebody: what is in them is to be judged."""
    assert detect(b'data: {"error":"API calls quota exceeded"}\n\n', complete=True).form == "sse"


def test_every_kind_points_to_a_recipe_that_exists():
    """The page has an anchor for each."""
    anchors = {recipe.anchor for recipe in recipes.RECIPES}
    assert anchors == set(RECIPES)
    assert {row.recipe for row in BY_SLUG.values()} <= anchors
