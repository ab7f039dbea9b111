"""Sentences of findings without what they quote of the trace.

Rules of this file: default-deny for what stands in backticks or quotation marks. Words of the protocols and of the
engine stay, paths made of such words, and ids and names the records have kept; a number does not, since it may be a
value of the state. The engine writes no backtick inside backticks, but a quoted text may hold quotation marks: unless
all between two quotations is known to be the engine's, everything from the first mark to the last is taken out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webapp.core.agui.compat import RETIRED
from webapp.core.agui.shapes import SHAPES, Choice, Closed, ListOf, Node, OneOf, TextOr
from webapp.core.teams.answers import ANSWERS
from webapp.core.teams.exchanges import ACTIVITY_TYPES, FIELDS, STREAM_TYPES
from webapp.core.teams.shape import MISSPELT

if TYPE_CHECKING:
    from webapp.redact.base import Redactor

LONG = 40  # characters from which on a sentence may shorten an id

# what the engine itself puts in backticks, beside members and event types
_ENGINE = frozenset(
    {'""', "null", "{}", "[DONE]", "NaN", "Infinity", "-Infinity", "data:", "abort", "openai", "anthropic.signature",
     "com.example.progress", "example.com/key", "base_event", "base_event.type", "evidence.OVERSIZE", "MAJOR.MINOR",
     "NAME", "NAME.input.json", '{"type": "interrupt", …}', "/v3/conversations/…/activities", "19:", "Retry-After",
     "(an empty payload)", "text/event-stream", "application/json", "binary", "POST", "PUT", "DELETE"}
)  # fmt: skip
# members and words of Teams that its sentences name
_TEAMS = frozenset(
    {"channelData", "conversationType", "groupChat", "personal", "channel", "isGroup", "streaminfo", "streamResult",
     "entities", "attachments", "appearance", "encodingFormat", "citation", "position", "feedbackLoop",
     "feedbackLoopEnabled", "feedback_loop", "feedback_loop_enabled", "additionalType", "AIGeneratedContent",
     "usageInfo", "textFormat", "markdown", "plain", "xml", "replyToId", "serviceUrl", "suggestedActions", "success",
     "timeout", "error", "text", "id", "url", "at", "took", "request", "response", "status", "headers", "body"}
)  # fmt: skip
_STEP = r"[A-Za-z_][\w]{0,60}"
_PATH = re.compile(
    rf'(\$?\.?)((?:{_STEP}|\[\d{{1,9}}\]|\["[^`]*?"\])(?:\.{_STEP}|\[\d{{1,9}}\]|\["[^`]*?"\])*)'
)
_STEPS = re.compile(rf'(\.?)({_STEP})|(\[\d{{1,9}}\])|\["([^`]*?)"\]')
# what the engine writes between two texts that it quotes
_BETWEEN = re.compile(
    r"(?: is on screen, | is on screen, nothing was sent there; | was sent; "
    r"|[\d,]{1,12} of [\d,]{1,12} characters agree\. |The whole of it stands further on, after "
    r"|What is on screen was changed or left out\.|A citation mark that is already on screen was rewritten\."
    r"|The texts are the same but for white space, escapes or markup\."
    r"|It is an older state of the text, [\d,]{1,12} characters shorter\."
    r"| reads on from |: only the next piece was sent, not the whole text so far\.| was sent in its place\."
    r"| is not shown any more\.|\. The message | gives them the text that they had stopped\.|\.?"
    r"| The service answered \d{1,4}: )+"
)


def _named(node: Node) -> set[str]:
    """Names of members and words of closed sets."""
    match node:
        case Closed():
            return set(node.fields).union(*(_named(field.node) for field in node.fields.values()))
        case OneOf():
            return {node.tag_field, *node.members}.union(*map(_named, node.members.values()))
        case ListOf():
            return _named(node.item)
        case TextOr():
            return _named(node.parts)
        case Choice():
            return set(node.values)
    return set()


WORDS = (
    _ENGINE
    | _TEAMS
    | frozenset({"type", *SHAPES, *RETIRED, "data", "filename"}).union(*map(_named, SHAPES.values()))
    | {*FIELDS, *MISSPELT, *MISSPELT.values(), *STREAM_TYPES, *ACTIVITY_TYPES}
    | {row.code for row in ANSWERS if row.code}
)
_SAID = frozenset(row.message.rstrip(".") for row in ANSWERS if row.message)


class Sentences:
    """Of one trace. Ids that records name later are known from then on."""

    def __init__(self, red: Redactor) -> None:
        self._red = red
        self._short: set[str] = set()
        self._seen = -1

    def without(self, sentence: str) -> str:
        """The sentence with a marker for each quotation that is neither the engine's nor an id's."""
        parts = sentence.split("`")
        if len(parts) % 2 == 0 or (any(part.count('"') % 2 for part in parts[::2]) and "`" in sentence):
            return self._red.text(
                sentence, "quotations"
            )  # no sentence of the engine's: its marks come in pairs
        for place, part in enumerate(parts):
            parts[place] = self._code(part) if place % 2 else self._texts(part)
        return "`".join(parts)

    def _code(self, said: str) -> str:
        if self._is_known(said):
            return said
        if said in self._red.aliases:
            return self._red.aliases[said]
        if len(said) > 1 and said[0] == said[-1] == '"' and self._is_known(said[1:-1]):
            return said
        if _PATH.fullmatch(said) and (path := self._path(said)) is not None:
            return path
        return self._red.text(said, "quotations")

    def _is_known(self, said: str) -> bool:
        ids = self._red.ids
        if said in WORDS or said in ids:
            return True
        if "…" not in said:
            return False
        if self._seen != len(ids):
            self._seen = len(ids)
            self._short = {short for id_ in ids if len(id_) > LONG for short in _shortened(id_)}
        return said in self._short

    def _path(self, said: str) -> str | None:
        """A path with its unknown members out; None when it has no known one."""
        known = False

        def step(found: re.Match[str]) -> str:
            nonlocal known
            dot, name, index, odd = found.groups()
            if index is not None:
                return found[0]
            if name is not None and name in WORDS:
                known = True
                return found[0]
            text = self._red.text(name if name is not None else odd, "quotations")
            return f"{dot}{text}" if name is not None else f"[{text}]"

        body = said.removeprefix("$")
        made = _STEPS.sub(step, body)
        return said[: len(said) - len(body)] + made if known else None

    def _texts(self, part: str) -> str:
        quoted = part.split('"')
        if len(quoted) == 1:
            return part
        inner = quoted[2:-1:2]
        if len(quoted) % 2 == 0 or not all(_BETWEEN.fullmatch(between) for between in inner):
            first, last = part.index('"'), part.rindex('"')
            text = self._red.text(part[first + 1 : last] if last > first else part[first + 1 :], "quotations")
            return f'{part[:first]}"{text}"{part[last + 1 :] if last > first else ""}'
        quoted[1::2] = [
            text if text in _SAID else self._red.text(text, "quotations") for text in quoted[1::2]
        ]
        return '"'.join(quoted)


def _shortened(id_: str) -> tuple[str, ...]:
    """As the engine shortens what it names, in either protocol."""
    flat = id_.replace("`", "'")
    return (f"{flat[:40]}…{flat[-12:]}", f"{flat[:27]}…{flat[-12:]}", f"{flat[:59]}…")
