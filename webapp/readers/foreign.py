"""Input that is none of ours, known by content: other protocols' streams, source code, logs without events, errors.

Rules of this file: signs only, on the first bytes; the words stand in `core.foreign`. A stream that holds a single
event of ours is never foreign, and neither is anything that is read as a form the user chose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from webapp.core.errors import excerpt
from webapp.core.foreign import ERROR_ALONE
from webapp.readers.cut import LEAST, CutLines
from webapp.readers.head import Head

ERROR_BYTES = 64 * 1024  # a traceback, a chat message; more is a log
_ANTHROPIC = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
     "message_stop"}
)  # fmt: skip
_AI_SDK = re.compile(
    r"(?:text|reasoning)-(?:start|delta|end)|tool-(?:input|output)-[a-z-]+|(?:start|finish)-step|message-metadata|source-url|data-[a-z-]+"
)
_LIFE = frozenset({"keepalive", "keep-alive", "keep_alive", "ping", "heartbeat"})
_A2A_METHOD = re.compile(r"(?:message|tasks|agent)/")
_A2A_KIND = frozenset({"task", "message", "status-update", "artifact-update"})
_OPENAI_EVENT = re.compile(r"response\.[a-z_.]+")
_LANGGRAPH = re.compile(
    rb"^event: ?(?:messages/(?:partial|complete|metadata)|messages\|?|values|updates)[ \t\r]*$", re.M
)
_PARTS = re.compile(rb'[0-9a-k]:(?:"|\{|\[)')  # `0:"Hel"`, the older data stream of the AI SDK
_PYTHON = re.compile(
    rb"^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?[ \t\r]*$|"
    rb"(?:async )?def \w+\(|class \w+[(:]|@[\w.]+(?:\(|[ \t\r]*$)|if __name__ ==)",
    re.M,
)
_SCRIPT = re.compile(
    rb"^(?:import [^\n]{1,200} from ['\"]|import ['\"]|"
    rb"export (?:default |const |async |function |class |interface |type )"
    rb"|(?:const|let|var) [\w${},\s]{1,200}= |(?:async )?function \w+|interface \w+|class \w+[^\n]{0,80}\{[ \t\r]*$)",
    re.M,
)
_RECORDED = re.compile(rb"^(?:data: ?|\{\s*\"|\[\s*\{|<?EventType|[ \t]{0,80}+type=<)", re.M)
_LEVELS = frozenset({"level", "severity", "levelname", "loglevel", "log.level", "lvl", "l"})
_SAID = frozenset({"msg", "message", "mt", "m", "text", "event"})
_LOG_LINE = re.compile(
    rb"(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b"
    rb"|\d{1,3}(?:\.\d{1,3}){3} |[A-Z][a-z]{2} \d{1,2} \d\d:\d\d)",
    re.IGNORECASE,
)
_MAGIC = {"an image": "image", "a PDF document": "pdf", "an HTML page": "html"}


def of_phrase(what: str) -> str | None:
    """The slug of what `signs.what_else` says, as far as there is one for it."""
    return _MAGIC.get(what)


def source_code(head: Head) -> str | None:
    """Whether the text is a program: its statements begin lines, and nothing recorded does."""
    data = head.data
    if b"\n" not in data.strip() or _RECORDED.search(data):
        return None
    python, script = len(_PYTHON.findall(data)), len(_SCRIPT.findall(data))
    if max(python, script) < 2:
        return None
    return "source-python" if python >= script else "source-typescript"


def dialect(values: Iterable[Any], data: bytes) -> str | None:
    """The other protocol that the records of a stream speak. values: decoded records of the first bytes."""
    seen: dict[str, int] = {}
    total = life = 0
    for value in values:
        total += 1
        if isinstance(value, dict):
            if _is_life(value):
                life += 1
            elif (name := next((name for name, sign in _SIGNS if sign(value)), None)) is not None:
                seen[name] = seen.get(name, 0) + 1
    if _LANGGRAPH.search(data):
        return "langgraph"
    if total and life == total:
        return "keepalive"
    best = max(seen, key=lambda name: seen[name], default=None)
    return best if best is not None and seen[best] * 2 >= total - life - 1 else None


def loose(head: Head) -> str | None:
    """What text of no form is: parts of a data stream, a log without events."""
    lines = head.lines
    if not lines:
        return None
    if sum(_PARTS.match(line) is not None for line in lines) * 10 >= len(lines) * 6:
        return "ai-sdk"
    if len(lines) >= LEAST and head.complete and _all_cut(lines):
        return "cut-log"
    if len(lines) > 1 and sum(_LOG_LINE.match(line) is not None for line in lines) * 10 >= len(lines) * 6:
        return "server-log"
    return None


def _all_cut(lines: list[bytes]) -> bool:
    """Whether the longest lines are cut at one length."""
    lengths = CutLines()
    for number, line in enumerate(lines):
        lengths.add(line, number)
    return lengths.found() is not None


def error_alone(head: Head) -> str:
    """The known error sentences of a short text, "" when there is none."""
    if not head.complete or len(head.data) > ERROR_BYTES or b"\0" in head.data:
        return ""
    return excerpt(head.data.decode("utf-8", "replace"))


# -- one record


def _kind(value: dict[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _is_life(value: dict[str, Any]) -> bool:
    return len(value) <= 3 and (_kind(value) or str(value.get("event", ""))).lower() in _LIFE


def _openai_chat(value: dict[str, Any]) -> bool:
    if value.get("object") == "chat.completion.chunk":
        return True
    choices = value.get("choices")
    return (
        isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict) and "delta" in choices[0]
    )


def _openai_responses(value: dict[str, Any]) -> bool:
    return _OPENAI_EVENT.fullmatch(_kind(value)) is not None


def _a2a(value: dict[str, Any]) -> bool:
    inner = value.get("result") if value.get("jsonrpc") == "2.0" else value
    if isinstance(inner, dict) and inner.get("kind") in _A2A_KIND and ("type" not in inner):
        return "jsonrpc" in value or inner["kind"] in ("status-update", "artifact-update")
    method = value.get("method")
    return "jsonrpc" in value and isinstance(method, str) and _A2A_METHOD.match(method) is not None


def _logged(value: dict[str, Any]) -> bool:
    """An entry of a JSON log: how bad it is, and what it says."""
    names = {name.lower().lstrip("@") for name in value}
    return not _LEVELS.isdisjoint(names) and not _SAID.isdisjoint(names)


def _langgraph(value: dict[str, Any]) -> bool:
    event = value.get("event")
    return isinstance(event, str) and event.startswith("on_") and "data" in value and "run_id" in value


_SIGNS: tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...] = (
    ("openai-chat", _openai_chat),
    ("openai-responses", _openai_responses),
    ("anthropic", lambda value: _kind(value) in _ANTHROPIC),
    ("ai-sdk", lambda value: _AI_SDK.fullmatch(_kind(value)) is not None),
    ("a2a", _a2a),
    ("mcp", lambda value: value.get("jsonrpc") == "2.0"),
    ("langgraph", _langgraph),
    ("server-log", _logged),
    ("gemini", lambda value: isinstance(value.get("candidates"), list)),
)
__all__ = ["ERROR_ALONE", "dialect", "error_alone", "loose", "of_phrase", "source_code"]
