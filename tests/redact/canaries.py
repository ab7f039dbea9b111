"""Recordings whose every text is a canary: the letters of texts, keys and values are made Cyrillic, one for one.

Rules of this file: written without looking at the tables of `webapp.redact`, so that it can prove them. Equal texts
stay equal and beginnings stay beginnings, so what broke a rule still breaks it; a Cyrillic letter that comes out has
leaked.
"""

from __future__ import annotations

import json
import re
import string
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.core.agui.test_cases import lines
from tests.core.teams import script

_LOWER = {ord(c): chr(0x430 + n) for n, c in enumerate(string.ascii_lowercase)}
_UPPER = {ord(c): chr(0x410 + n) for n, c in enumerate(string.ascii_uppercase)}
_TURN = _LOWER | _UPPER
LETTERS = re.compile(r"[\u0400-\u04ff]")

# members whose strings are ids, types, names or times, which `structure` keeps
_KEPT = """
    type messageId toolCallId threadId runId parentRunId subagentRunId parentSubagentRunId parentToolCallId
    parentMessageId entityId interruptId id pendingToolCallIds interruptIds stepName toolCallName activityType role
    encryptedValueType protocolVersion code op subtype status mimeType expiresAt
    method url streamId streamType streamSequence streamResult conversationType tenantId channelId serviceUrl
    replyToId timestamp localTimestamp textFormat inputHint contentType additionalType @type MS-CV
    streamld streamID stream_id stream_type stream_sequence serviceurl"""
# members that hold the application's own values: their keys are texts too
_CONTENT = """
    snapshot state value metadata rawEvent event result payload forwardedProps parameters responseSchema
    appearance usageInfo suggestedActions"""
_OTHERS = """
    timestamp delta content messages toolCalls function name arguments input tools context resume outcome interrupts
    reason message usage provider model source patch path from replace title text description encryptedValue error
    inputTokens outputTokens totalTokens reasoningTokens cachedInputTokens cacheWriteInputTokens
    at took request response headers body recipient conversation isGroup entities attachments channelData citation
    position feedbackLoop feedbackLoopEnabled mentioned locale aadObjectId summary contentUrl
    Content-Type Retry-After content-type retry-after"""
KEPT, CONTENT = frozenset(_KEPT.split()), frozenset(_CONTENT.split())
MEMBERS = KEPT | CONTENT | frozenset(_OTHERS.split())
NAMED = frozenset({"CUSTOM", "SUBAGENT_STARTED"})


Turn = Callable[[str], str]


def turned(text: str) -> str:
    return text.translate(_TURN)


def canary(
    value: Any,
    key: str = "",
    *,
    inside: bool = False,
    answer: bool = False,
    kind: str = "",
    turn: Turn = turned,
) -> Any:
    """The value with its texts turned. inside: what the application made, keys and all; answer: of the service."""
    if isinstance(value, dict):
        kind = kind or (value["type"] if isinstance(value.get("type"), str) else "other")
        out = {}
        for name, one in value.items():
            deep = inside or name in CONTENT or (name == "content" and isinstance(one, dict))
            told = answer or (name == "response" and "url" in value)
            below = "named" if name in ("function", "tools") else kind if name == "" else "inner"
            kept_name = name == "name" and (kind in NAMED or kind == "named")
            if inside or name not in MEMBERS:
                out[turn(name)] = canary(one, "", inside=True, turn=turn)
            elif kept_name:
                out[name] = one
            else:
                out[name] = canary(
                    one, name, inside=deep, answer=told, kind=below if below == "named" else "", turn=turn
                )
        return out
    if isinstance(value, list):
        return [canary(one, key, inside=inside, answer=answer, kind=kind, turn=turn) for one in value]
    if not isinstance(value, str) or (key in KEPT and not inside) or (answer and not inside):
        return value
    return turn(value)


def canary_line(payload: bytes, turn: Turn = turned) -> bytes:
    """A record with its texts turned; of what is no object every letter."""
    try:
        value = json.loads(payload)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return turn(payload.decode("utf-8", "replace")).encode()
    return json.dumps(canary(value, turn=turn)).encode()


def _tables(file: Path) -> Iterator[dict[str, Any]]:
    for part in tomllib.loads(file.read_text(encoding="utf-8")).values():
        yield from part if isinstance(part, list) else [part]


def agui_cases(root: Path, turn: Turn = turned) -> Iterator[tuple[str, dict[str, Any], list[bytes]]]:
    """(name, case, its records turned) of every case with lines."""
    for file in sorted([*root.glob("AGUI-*.toml"), *root.glob("streams/*.toml")]):
        for case in _tables(file):
            if isinstance(case, dict) and "stream" in case and not case.get("binary"):
                yield file.stem, case, [canary_line(line.encode(), turn) for line in lines(case)]


def teams_cases(root: Path, turn: Turn = turned) -> Iterator[tuple[str, list[bytes]]]:
    for file in sorted(root.glob("teams/*.toml")):
        for case in _tables(file):
            if isinstance(case, dict) and "script" in case:
                yield file.stem, [canary_line(line, turn) for line in script.lines(case["script"])]
