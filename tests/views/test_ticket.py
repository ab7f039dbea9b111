"""Text for a ticket: what it says, and that a recording cannot make it say more."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt

from webapp.app import ROOT
from webapp.ingest.upload import ingest
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views import ticket
from webapp.views.markdown import code, plain, prose

SAMPLES = ROOT / "tests" / "samples"
LINK = "http://lanes.example/traces/abc"
HOSTILE = (
    "`</code>` | x | **bold** [a](http://evil.example) ![i](http://evil.example/i.png) <img src=x onerror=y> "
    "\n\n# head\n- item\n```\n&lt; www.evil.example @someone #7 \\| \\` ~~s~~ $m$ \u202e\u2028 <http://evil.example>"
)
CUT = b"".join(  # a log that cuts its lines, and so lost pieces of a text, arguments and a result
    f"2026-11-30 09:12:0{second} INFO {json.dumps(event)}"[:150].encode() + b"\n"
    for second, event in enumerate(
        [
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
            {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hello"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "long " * 50},
            {"type": "TEXT_MESSAGE_END", "messageId": "m"},
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "find"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "long " * 50},
            {"type": "TOOL_CALL_RESULT", "messageId": "n", "toolCallId": "c", "content": "long " * 50},
            {"type": "TOOL_CALL_END", "toolCallId": "c"},
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        ]
    )
)
Told = Callable[..., str]


@pytest.fixture
def told(database: Database) -> Told:
    """Store bytes or events; gives the ticket's text."""

    def store(what: bytes | list[dict[str, Any]], name: str = "refund desk") -> str:
        body = what if isinstance(what, bytes) else "\n".join(map(json.dumps, what)).encode()
        stored = ingest(database, [body], name=name)
        with database.session() as session:
            trace = traces.get(session, stored.id)
            assert trace is not None
            traces.set_note(session, trace.pk, "a note")
            return ticket.build(session, trace, LINK)

    return store


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")][1:]


def render(text: str) -> str:
    """As a tracker that knows tables, strikethrough and bare addresses would show it."""
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def test_a_rejected_trace_says_what_where_why_and_how_to_fix_it(told: Told) -> None:
    """Verdict, rule, why, fix, side, what the user saw, and the address at the event."""
    text = told((SAMPLES / "chunked-two-subagents.sse").read_bytes())
    head, *rest = text.splitlines()
    assert head.startswith("**✖ Rejected.** A client stops at `#352`: a chunk without `messageId`")
    for label in ("Trace", "Cause", "Why", "What to change", "Whose side", "The user saw", "Findings"):
        assert sum(line.startswith(f"- **{label}:** ") for line in rest) == 1
    assert "- **Cause:** fatal at `#352`, by the rule `AGUI-CHK-01`: " in text
    assert rest[-1].startswith("Judged by Lanescope ")
    assert rest[-1].endswith(f"Trace: <{LINK}?event=352>")
    assert "a note" not in text


def test_a_note_is_called_no_cause(told: Told) -> None:
    """Where nothing is wrong, what is told is a note, by its rule."""
    unanswered = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "weather"},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ]
    text = told(unanswered)
    assert "- **Note:** at `#3`, by the rule `AGUI-TOL-18`: " in text
    assert "**Cause:**" not in text


def test_cut_lines_are_told_where_nothing_is_wrong(told: Told) -> None:
    """Headline, what the user saw and a line of their own: what was read is not all that was sent."""
    text = told(CUT)
    assert "Nothing wrong in the 7 events that could be read, while other lines were cut" in text
    assert "The lines that were cut may have held more." in text
    assert "- **The recording:** The lines seem to be cut at 150 characters " in text


def test_the_few_events_that_matter_are_a_table(told: Told) -> None:
    """The cause's record and those it names, in order, with what was received."""
    text = told((SAMPLES / "chunked-two-subagents.sse").read_bytes())
    assert [row.split(" | ")[0] for row in rows(text)] == ["| `#21`", "| `#351`", "| `#352`", "| `#358`"]
    assert "refused here" in rows(text)[2]
    assert "never delivered" in rows(text)[3]
    assert render(text).count("<tr>") == 5


def test_a_long_record_is_cut(told: Told) -> None:
    """200 characters of each, the cut marked: a ticket is no archive."""
    start = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    text = told([start, {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x" * 5_000}])
    longest = max(rows(text), key=len)
    assert "x…` |" in longest
    assert len(longest) < 300


def test_the_list_of_events_is_bounded(told: Told) -> None:
    """A fault that comes again and again fills no page; what is left out is counted."""
    start = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    again = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}] * 60
    text = told([start, *again])
    assert len(rows(text)) == ticket.EVENTS
    assert "more events that matter not listed here." in text


def test_a_trace_without_a_fault_says_so(told: Told) -> None:
    """A verdict, and no table."""
    run = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ]
    text = told(run)
    assert text.startswith("**✓ Conformant.** Nothing wrong in 2 events.")
    assert rows(text) == []
    assert text.rstrip().endswith(f"Trace: <{LINK}>")


def test_nothing_that_could_be_read_says_that(told: Told) -> None:
    """Never a pass."""
    assert told(b"hello").startswith("**◌ Unchecked.** No event could be read")


def hostile_stream() -> list[dict[str, Any]]:
    """Every text a recording can choose, chosen badly; then a fault about it."""
    return [
        {"type": "RUN_STARTED", "threadId": HOSTILE, "runId": HOSTILE},
        {"type": "SUBAGENT_STARTED", "subagentRunId": HOSTILE, "name": HOSTILE},
        {"type": "TEXT_MESSAGE_START", "messageId": HOSTILE, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": HOSTILE, "delta": HOSTILE},
        {"type": "TEXT_MESSAGE_END", "messageId": HOSTILE},
        {"type": "TOOL_CALL_START", "toolCallId": HOSTILE, "toolCallName": HOSTILE},
        {"type": "TOOL_CALL_END", "toolCallId": HOSTILE},
        {"type": "TOOL_CALL_ARGS", "toolCallId": HOSTILE, "delta": HOSTILE},
        {"type": HOSTILE[:50]},
    ]


def test_a_hostile_recording_stays_text(told: Told) -> None:
    """No tag, link, image, heading, list, code block or table cell of its own, in any column or sentence."""
    text = told(hostile_stream(), name=HOSTILE.replace("\n", " ")[:200])
    assert rows(text)
    html = render(text)
    for tag in ("<img", "<h1", "<pre", "<s>", "<script", '<a href="http://evil'):
        assert tag not in html
    assert html.count("<a ") == 1
    assert html.count("<ul>") == 1
    assert html.count("<td>") == 5 * len(rows(text))
    assert "onerror=y&gt;" in html
    assert "\u202e" not in text
    assert "\u2028" not in text


@pytest.mark.parametrize("text", [HOSTILE, "\\", "`", "``", "|", "\\|", " ", "", "a\\", "x`|`y", "\\\\|`"])
def test_code_is_one_span_in_one_cell(text: str) -> None:
    """Whatever is in it: the cell after it is still a cell, and the word after it no code."""
    html = render(f"| a | b |\n|---|---|\n| {code(text)} | *end* |\n")
    assert html.count("<td>") == 2
    assert html.count("<code>") == 1
    assert "<td><em>end</em></td>" in html


@pytest.mark.parametrize(
    "text", [HOSTILE, "\\", "*a*", "a_b_c", "[x](y)", "<b>", "&amp;", "1. x", "a|b", "https://x.y"]
)
def test_plain_text_comes_out_as_it_went_in(text: str) -> None:
    """Rendered, the characters are those of the recording."""
    html = render(f"- x {plain(text)}\n\n| a |\n|---|\n| {plain(text)} |\n")
    assert html.count("<td>") == 1
    assert html.count("<li>") == 1
    for tag in ("<em>", "<strong>", "<a ", "<b>", "<img", "<s>"):
        assert tag not in html
    if text == "&amp;":
        assert "&amp;amp;" in html


def test_numbers_and_names_call_nobody(told: Told) -> None:
    """`#12` is no link to another ticket, `@name` no mention, an address no link."""
    assert prose("at #12, by @ops on www.x.example") == "at `#12`, by @\u2060ops on www\\.x.example"
    assert plain("see #7, http://x") == "see #\u20607, http\\://x"
