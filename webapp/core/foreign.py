"""Input that is no recording of either protocol: what it is, what to say, which recipe helps.

Rules of this file: one row a kind; words only. `readers/foreign.py` knows them by content. `what` follows "This is ";
the page that shows the recipes has an anchor for each of RECIPES.
"""

from __future__ import annotations

from typing import NamedTuple

RECIPES = (
    "browser", "har", "curl", "devtools", "copilotkit", "inspector", "python", "typescript", "teams", "teams-logs",
)  # fmt: skip


class Foreign(NamedTuple):
    """slug: in code and reports; what: a phrase; explains: whole sentences; recipe: one of RECIPES, "" for none"""

    slug: str
    what: str
    explains: str
    recipe: str


_DIALECT = "Its events are another protocol’s, so no rule of AG-UI or of Teams applies to them."
_BEHIND = (
    f"{_DIALECT} Where an AG-UI agent stands in front of it, record what that agent answers, not what its model or "
    "framework sends."
)
ERROR_ALONE = "error-alone"

_ROWS = (
    Foreign("run-input", "the input of a run, not the stream that answered it",
            "It is what the application asked. Give it together with the answer: as `NAME.input.json` beside the "
            "recording `NAME`.", "curl"),
    Foreign(ERROR_ALONE, "an error message, not a recording",
            "It says where a client stopped, not what led there.", "browser"),
    Foreign("source-python", "source code in Python",
            "The code says what an agent may send, not what it sent. A few lines beside it write the events down.",
            "python"),
    Foreign("source-typescript", "source code in TypeScript or JavaScript",
            "The code says what an agent may send, not what it sent. A few lines beside it write the events down.",
            "typescript"),
    Foreign("image", "an image",
            "A screenshot shows what somebody saw; the events behind it are not in it. Copy the text, or save the "
            "response.", "browser"),
    Foreign("pdf", "a PDF document", "Copy the text of the log out of it, or save the response itself.", "browser"),
    Foreign("html", "an HTML page",
            "It is the page around the chat, or the error page of a proxy. The events come in a response of their own.",
            "browser"),
    Foreign("keepalive", "signs of life of a connection, without an event",
            "The connection was kept open and no event came, or another stream of the same page was recorded.",
            "browser"),
    Foreign("langgraph", "a LangGraph stream", _BEHIND, "curl"),
    Foreign("ai-sdk", "an AI SDK data stream", _BEHIND, "browser"),
    Foreign("openai-chat", "a stream of chat completion chunks", _BEHIND, "python"),
    Foreign("openai-responses", "a stream of the Responses API", _BEHIND, "python"),
    Foreign("anthropic", "a stream of the Messages API", _BEHIND, "python"),
    Foreign("gemini", "a stream of generated-content responses", _BEHIND, "python"),
    Foreign("mcp", "JSON-RPC messages, as MCP sends them", _BEHIND, "curl"),
    Foreign("a2a", "messages of the A2A protocol", _BEHIND, "curl"),
    Foreign("server-log", "a log without events",
            ("It says that calls were made, not what was in them. Have the agent write its events, or "
            "record the response."),
            "python"),
    Foreign("cut-log", "a log whose long lines are cut off",
            "Whatever wrote it ends each of them at the same length, so no event in them is whole. Have it write whole "
            "lines, or record the response itself.", "python"),
    Foreign("other-json", "JSON without an event of AG-UI or a call or activity of Teams",
            "No record in it has a `type` of the protocol. Where it is a stream all the same, its names may have been "
            "changed on the way: record it nearer to the wire.", "browser"),
    Foreign("long-prose", "text without an event in its first 4 MB",
            "What stands further down was not looked at. Cut off what stands before the recording, and give the rest.",
            "browser"),
    Foreign("prose", "plain text",
            "It is no recording: paste the agent’s response itself (lines such as `data: {…}`), a log that holds its "
            "events, or the calls to Teams with their answers.", "browser"),
)  # fmt: skip

BY_SLUG = {row.slug: row for row in _ROWS}
_BY_WHAT = {row.what: row for row in _ROWS}


def by_phrase(phrase: str) -> Foreign | None:
    """The row whose words a stored reason is."""
    return _BY_WHAT.get(phrase)
