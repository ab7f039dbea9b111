"""What one record says, in a few plain words and its own text: the content column.

Rules of this file: pure; payload text in, words out. A payload may be cut, may be no JSON, may hold anything;
the answer is always short. Lone surrogates and control characters are shown as codes: they reach no page raw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webapp.redact import marked
from webapp.storage.models import ItemRow
from webapp.views.names import clip, plural

TEXT_SHOWN = 240  # characters of a text in a row; the inspector has it whole

_UNSHOWABLE = re.compile("[\ud800-\udfff\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_OBEYED = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Content:
    """say: plain words, shown quiet; text: words of the stream itself, in the code face."""

    say: str = ""
    text: str = ""

    @property
    def ascii(self) -> bool:
        return self.text.isascii()


def showable(text: str) -> str:
    """Text with what a page cannot hold, or would obey, as visible codes: `\\n`, `�\\ud83d`, `\\u202e`."""
    return _UNSHOWABLE.sub(_code, text)


def harmless(text: str) -> str:
    """`showable` for text that keeps its lines and tabs: what a page would obey is a code, the rest is as it was."""
    return _OBEYED.sub(_code, text)


def _code(found: re.Match[str]) -> str:
    char = found[0]
    if char in _NAMED:
        return _NAMED[char]
    number = ord(char)
    code = f"\\u{number:04x}"  # as JSON spells it; begins with a letter, so it stays in order beside Arabic
    return f"\ufffd{code}" if 0xD800 <= number < 0xE000 else code


def quoted(text: str) -> str:
    """A piece of text as JSON would quote it, so that its spaces are seen; a marker stands for itself."""
    if marked(text) is not None:
        return text
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{showable(clip(inner, TEXT_SHOWN))}"'


def parse(raw: str) -> Any:
    """The payload as JSON; None when it is cut, too deep or none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def members(raw: str) -> dict[str, Any]:
    """The members of a payload; none when it is no JSON object."""
    body = parse(raw)
    return body if isinstance(body, dict) else {}


def content(type_: str | None, raw: str, item: ItemRow | None = None) -> Content:
    """The content column of one record. raw: its payload, which a list may have cut."""
    if type_ is None:
        return Content("cannot be read:", showable(clip(raw.strip(), TEXT_SHOWN)))
    body = parse(raw)
    if not isinstance(body, dict):
        return _cut(type_, raw)
    say = _SAY.get(type_)
    if say is None:
        return Content("unknown type, dropped:", showable(clip(raw, TEXT_SHOWN)))
    return say(body, item)


def _cut(type_: str, raw: str) -> Content:
    """Of a payload that a list has cut, or that is nested too deeply: what follows the member that matters."""
    name = _MATTERS.get(type_, "")
    _, found, rest = raw.partition(f'"{name}"') if name else ("", "", "")
    if not found:
        return Content("a long payload" if type_ in _SAY else "unknown type, dropped:")
    return Content("long payload:", showable(clip(rest.lstrip(" :"), TEXT_SHOWN)))


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _shown(body: dict[str, Any], name: str) -> str:
    return showable(clip(_text(body, name), TEXT_SHOWN))


def _plain(words: str) -> Callable[[dict[str, Any], ItemRow | None], Content]:
    return lambda body, item: Content(words)


def _member(words: str, name: str) -> Callable[[dict[str, Any], ItemRow | None], Content]:
    return lambda body, item: Content(words, _shown(body, name))


def _run_started(body: dict[str, Any], item: ItemRow | None) -> Content:
    version = body.get("protocolVersion")
    told = f"protocol {showable(clip(version, 20))}, thread" if isinstance(version, str) else "thread"
    return Content(told, _shown(body, "threadId"))


def _run_finished(body: dict[str, Any], item: ItemRow | None) -> Content:
    outcome = body.get("outcome")
    kind = outcome.get("type") if isinstance(outcome, dict) else None
    words = {"interrupt": "interrupted", "cancelled": "cancelled", None: "finished"}.get(kind, str(kind))
    tokens = _tokens(body.get("usage"))
    return Content(f"{words}, {plural(tokens, 'token')}" if tokens else words)


def _tokens(usage: Any) -> int:
    total = 0
    for entry in usage if isinstance(usage, list) else ():
        if isinstance(entry, dict):
            parts = [entry.get("totalTokens")] if "totalTokens" in entry else []
            parts = parts or [entry.get("inputTokens"), entry.get("outputTokens")]
            total += sum(part for part in parts if isinstance(part, int) and not isinstance(part, bool))
    return total


def _opens(word: str) -> Callable[[dict[str, Any], ItemRow | None], Content]:
    def say(body: dict[str, Any], item: ItemRow | None) -> Content:
        role = body.get("role")
        named = f", {showable(clip(role, 20))}" if isinstance(role, str) and word == "message" else ""
        return Content(f"{word} opens{named}")

    return say


def _delta(body: dict[str, Any], item: ItemRow | None) -> Content:
    return Content("", quoted(_text(body, "delta")))


def _args(body: dict[str, Any], item: ItemRow | None) -> Content:
    piece = _shown(body, "delta")
    return Content("", piece) if piece else Content("no arguments in this piece")


def _chunk(body: dict[str, Any], item: ItemRow | None) -> Content:
    return _delta(body, item) if "delta" in body else Content("chunk without text")


def _result(body: dict[str, Any], item: ItemRow | None) -> Content:
    value = body.get("content")
    return Content("result", quoted(value) if isinstance(value, str) else _shown(body, "content"))


def _operations(body: dict[str, Any], item: ItemRow | None) -> Content:
    patch = body.get("delta", body.get("patch"))
    operations = [op for op in patch if isinstance(op, dict)] if isinstance(patch, list) else []
    told = [f"{op.get('op', '?')} {op.get('path', '?')}" for op in operations[:3]]
    return Content(f"{plural(len(operations), 'change')}:", showable(clip(" · ".join(told), TEXT_SHOWN)))


def _messages(body: dict[str, Any], item: ItemRow | None) -> Content:
    given = body.get("messages")
    number = len(given) if isinstance(given, list) else 0
    return Content(f"the message list is now {plural(number, 'message')}")


def _subagent_finished(body: dict[str, Any], item: ItemRow | None) -> Content:
    outcome = body.get("outcome")
    suspended = isinstance(outcome, dict) and outcome.get("type") == "suspended"
    return Content("subagent suspended" if suspended else "subagent finishes")


def _custom(body: dict[str, Any], item: ItemRow | None) -> Content:
    return Content(_shown(body, "name") or "custom event", _shown(body, "value"))


_SAY: dict[str, Callable[[dict[str, Any], ItemRow | None], Content]] = {
    "RUN_STARTED": _run_started,
    "RUN_FINISHED": _run_finished,
    "RUN_ERROR": _member("the run failed:", "message"),
    "STEP_STARTED": _plain("step begins"),
    "STEP_FINISHED": _plain("step ends"),
    "TEXT_MESSAGE_START": _opens("message"),
    "TEXT_MESSAGE_CONTENT": _delta,
    "TEXT_MESSAGE_END": _plain("message complete"),
    "TEXT_MESSAGE_CHUNK": _chunk,
    "TOOL_CALL_START": _opens("call"),
    "TOOL_CALL_ARGS": _args,
    "TOOL_CALL_END": _plain("call closes"),
    "TOOL_CALL_CHUNK": _chunk,
    "TOOL_CALL_RESULT": _result,
    "REASONING_START": _plain("reasoning begins"),
    "REASONING_END": _plain("reasoning ends"),
    "REASONING_MESSAGE_START": _opens("reasoning message"),
    "REASONING_MESSAGE_CONTENT": _delta,
    "REASONING_MESSAGE_END": _plain("reasoning message complete"),
    "REASONING_MESSAGE_CHUNK": _chunk,
    "REASONING_ENCRYPTED_VALUE": _member("encrypted reasoning for", "entityId"),
    "STATE_SNAPSHOT": _member("the whole state:", "snapshot"),
    "STATE_DELTA": _operations,
    "MESSAGES_SNAPSHOT": _messages,
    "ACTIVITY_SNAPSHOT": _member("activity", "activityType"),
    "ACTIVITY_DELTA": _operations,
    "SUBAGENT_STARTED": _member("subagent starts", "description"),
    "SUBAGENT_FINISHED": _subagent_finished,
    "SUBAGENT_ERROR": _member("subagent failed:", "message"),
    "RAW": _member("provider event, passed on", "source"),
    "CUSTOM": _custom,
}
_MATTERS = {
    "STATE_SNAPSHOT": "snapshot",
    "TOOL_CALL_RESULT": "content",
    "RUN_ERROR": "message",
    "SUBAGENT_ERROR": "message",
    "CUSTOM": "value",
    "RAW": "event",
    "ACTIVITY_SNAPSHOT": "content",
    **{name: "delta" for name in _SAY if name.endswith(("_CONTENT", "_ARGS", "_CHUNK", "_DELTA"))},
    "ACTIVITY_DELTA": "patch",
}
DERIVED = {
    "text": {"opened": "TEXT_MESSAGE_START", "grew": "TEXT_MESSAGE_CONTENT", "closed": "TEXT_MESSAGE_END"},
    "tool": {"opened": "TOOL_CALL_START", "grew": "TOOL_CALL_ARGS", "closed": "TOOL_CALL_END"},
    "reasoning": {
        "opened": "REASONING_MESSAGE_START",
        "grew": "REASONING_MESSAGE_CONTENT",
        "closed": "REASONING_MESSAGE_END",
    },
}
DERIVED_SAY = {"opened": "opens, derived from the chunk", "closed": "closed here, derived from this event"}
_CHANGES = {"end": "closed", "start": "opened", "content": "grew", "args": "grew"}


@dataclass(frozen=True, slots=True)
class Derived:
    """One event the expansion adds before a record. number: `205a`; change: opened | grew | closed."""

    number: str
    change: str
    item: int


def derived(seq: int, synth: str | None) -> list[Derived]:
    """The derived events of one record, from the stored `end:12;start:13;grew:13`."""
    out: list[Derived] = []
    for index, part in enumerate((synth or "").split(";")[:26] if synth else ()):
        change, _, ord_ = part.partition(":")
        if ord_.isdigit():
            letter = chr(ord("a") + index)
            out.append(Derived(f"{seq}{letter}", _CHANGES.get(change, change), int(ord_)))
    return out
