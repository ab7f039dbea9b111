"""Which rule a breach of shape breaks, and the words for it.

Rules of this file: tables and texts. The most specific rule wins: rows are tried from top to bottom. A row's
place is the member's path with `[]` for any index. Nothing here reads a payload.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

# what can be wrong with a described member
MISSING, NULL, TYPE, RANGE, EMPTY, FIXED, SET = "missing", "null", "type", "range", "empty", "fixed", "set"
SHOWN = 60  # characters of a foreign string that a title repeats


class Fault(msgspec.Struct):
    """One thing wrong with a payload.

    rule: catalogue id; path: `$.messages[2].content`, None for the payload as a whole
    title: one clause without a full stop; why: whole sentences, may be empty
    label: a hint's rule id (AGUI-ENV-16, AGUI-ENV-17); severity: where it is not the rule's own
    habit: the way of spelling known names that it shows, "" for none
    """

    rule: str
    path: str | None
    title: str
    why: str = ""
    label: str | None = None
    severity: str | None = None
    habit: str = ""


class Place(NamedTuple):
    """Where a member stands: as written (`messages[2].content`), as a form (`messages[].content`)."""

    where: str = ""
    form: str = ""

    def member(self, key: str) -> Place:
        dot = "." if self.where else ""
        plain = re.fullmatch(r"[A-Za-z_$][\w$-]{0,79}", key, re.ASCII)
        step = f"{dot}{key}" if plain else f'["{shown(key)}"]'
        return Place(self.where + step, f"{self.form}{'.' if self.form else ''}{key}")

    def nth(self, number: int) -> Place:
        return Place(f"{self.where}[{number}]", f"{self.form}[]")

    @property
    def path(self) -> str:
        return "$" + ("" if not self.where or self.where.startswith("[") else ".") + self.where


def shown(text: str, limit: int = SHOWN) -> str:
    """A foreign string that is safe inside backticks, a database and a page."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return re.sub(r"[\x00-\x1f\x7f`\ud800-\udfff]", "\ufffd", cut)


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
    return "an object"


RUN_SCOPED = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"})
_SUBAGENT = frozenset({"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"})
CHUNKS = frozenset({"TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK"})
_PATCHES = frozenset({"STATE_DELTA", "ACTIVITY_DELTA"})
_ANY_EVENT: frozenset[str] = frozenset()
_ANY = frozenset({MISSING, NULL, TYPE, RANGE, EMPTY, FIXED, SET})
_VALUE = frozenset({NULL, TYPE, RANGE})

# rule, event types (none = all), place (regular expression on the form), problems
_MALFORMED: tuple[tuple[str, frozenset[str], str, frozenset[str]], ...] = (
    ("AGUI-ENV-10", _ANY_EVENT, r"timestamp", _ANY),
    ("AGUI-SUB-07", _SUBAGENT, r"subagentRunId|name|message", frozenset({MISSING, NULL})),
    ("AGUI-ENV-14", _ANY_EVENT, r"(.*\.)?subagentRunId", frozenset({NULL})),
    ("AGUI-ENV-12", _ANY_EVENT, r"(?!.*content\[\]).*\bmetadata", _ANY),
    ("AGUI-ENC-03", frozenset({"REASONING_ENCRYPTED_VALUE"}), r"subtype", frozenset({SET})),
    ("AGUI-ENV-07", _ANY_EVENT, r".*", frozenset({SET})),
    ("AGUI-ENV-08", _ANY_EVENT, r".*", frozenset({FIXED})),
    ("AGUI-INP-01", frozenset({"RUN_STARTED"}), r"input\b.*", _ANY),
    ("AGUI-INT-01", frozenset({"RUN_FINISHED"}), r"outcome\.interrupts", frozenset({MISSING, NULL, EMPTY})),
    ("AGUI-INT-03", frozenset({"RUN_FINISHED"}), r"outcome\.interrupts.*", _ANY),
    ("AGUI-RUN-13", frozenset({"RUN_FINISHED"}), r"outcome", _ANY),
    ("AGUI-MSG-07", frozenset({"MESSAGES_SNAPSHOT"}), r"messages\[\].*", _ANY),
    ("AGUI-TOL-09", frozenset({"TOOL_CALL_RESULT"}), r"content(\[\])?", _VALUE),
    ("AGUI-ACT-07", frozenset({"ACTIVITY_SNAPSHOT"}), r"content|replace", _VALUE),
    ("AGUI-STA-01", _PATCHES, r"(delta|patch)(\[\])?", _VALUE),
    ("AGUI-STA-02", _PATCHES, r"(delta|patch)\[\]\..*", _ANY),
    ("AGUI-CHK-14", CHUNKS, r".*", _VALUE),
    ("AGUI-ENV-05", _ANY_EVENT, r".*", frozenset({MISSING})),
    ("AGUI-ENV-04", _ANY_EVENT, r".*", _ANY),
)
_NO_MEMBER = "`{type}` has no member `{where}`"
# …, name of the struct it stands in (None = any), title
_STRIPPED: tuple[tuple[str, frozenset[str], str, str | None, str], ...] = (
    ("AGUI-ENV-13", RUN_SCOPED, r"subagentRunId", None, "`{type}` carries the tag `subagentRunId`"),
    ("AGUI-USG-07", _ANY_EVENT, r"usage", None, "`{type}` carries `usage`"),
    ("AGUI-RUN-14", _ANY_EVENT, r"outcome\.interrupts", "RunSuccess", "a success outcome carries `{key}`"),
    ("AGUI-RUN-16", _ANY_EVENT, r"outcome\..*", "RunCancelled", "a cancelled outcome carries `{key}`"),
    (
        "AGUI-SUB-09",
        _ANY_EVENT,
        r"outcome\.interruptIds",
        "SubagentSuccess",
        "a success outcome carries `{key}`",
    ),
    ("AGUI-ENV-02", _ANY_EVENT, r".*", None, _NO_MEMBER),
)
_UNKNOWN: tuple[tuple[str, frozenset[str], str], ...] = (
    ("AGUI-RUN-12", frozenset({"RUN_FINISHED"}), r"outcome"),
    ("AGUI-SUB-08", frozenset({"SUBAGENT_FINISHED"}), r"outcome"),
    ("AGUI-STA-03", _PATCHES, r"(delta|patch)\[\]"),
    ("AGUI-TOL-10", frozenset({"TOOL_CALL_RESULT"}), r"content\[\]"),
    ("AGUI-ENV-03", _ANY_EVENT, r".*"),
)

_STOPS = "A client stops here: it neither repairs nor ignores a described field with a wrong value."
_WHY = {
    "AGUI-ENV-05": "A client stops here: required fields are never filled in.",
    "AGUI-ENV-06": "A client stops here: an optional field without value is left out, never null.",
    "AGUI-ENV-07": "The specification wants an unknown value here ignored; the reference client stops.",
    "AGUI-ENC-03": "The specification wants the event dropped; the reference client stops.",
    "AGUI-ENV-10": "A client stops here: a timestamp is a whole number of milliseconds, or left out.",
    "AGUI-ENV-12": "A client stops here: metadata is an object, or left out.",
    "AGUI-ENV-14": "A client stops here: without a subagent the tag is left out, never null.",
    "AGUI-CHK-14": "A client stops here: a chunk is judged before it is expanded, and no default is put in.",
    "AGUI-INT-01": "A client stops here: an interrupt outcome says what it waits for.",
    "AGUI-RUN-13": 'A client stops here: an outcome is an object such as `{"type": "interrupt", …}`.',
    "AGUI-INP-01": "A client stops at an echoed input with a wrong value.",
    "AGUI-ENV-02": "A client removes the member and goes on.",
    "AGUI-ENV-13": "A client removes the tag: run events and message snapshots belong to the run as a whole.",
    "AGUI-USG-07": "A client removes it: token usage stands on `RUN_FINISHED` and `RUN_ERROR` only.",
    "AGUI-RUN-14": "A client removes them and reports success, so the pause is lost.",
    "AGUI-RUN-16": "A client removes the member and goes on.",
    "AGUI-SUB-09": "A client removes them and reports success.",
    "AGUI-RUN-12": "A client removes the outcome, and the run reads as a success.",
    "AGUI-SUB-08": "A client removes the outcome, and the invocation reads as a success.",
    "AGUI-STA-03": "A client leaves the operation out and applies the rest.",
    "AGUI-TOL-10": "A client leaves the part out and keeps the rest.",
    "AGUI-ENV-03": "A client leaves it out and goes on.",
    "AGUI-ENV-09": "The specification calls this malformed; the reference client removes it and goes on.",
}


def why_of(rule: str) -> str:
    """What a client does about a breach of `rule`, in whole sentences."""
    return _WHY.get(rule, _STOPS)


def malformed_rule(event_type: str, form: str, problem: str, required: bool) -> str:
    """The rule that a wrong or missing described member breaks."""
    for rule, types, place, problems in _MALFORMED:
        if (
            problem in problems
            and (not types or event_type in types)
            and re.fullmatch(place, form, re.DOTALL)
        ):
            # null is "no value" only where having none is allowed
            return "AGUI-ENV-06" if rule == "AGUI-ENV-04" and problem == NULL and not required else rule
    raise AssertionError("the last row takes everything")


def stripped_rule(event_type: str, form: str, struct: str) -> tuple[str, str]:
    """The rule that an undescribed member breaks, and a title to format with type, where and key."""
    for rule, types, place, inside, title in _STRIPPED:
        here = (not types or event_type in types) and inside in (None, struct)
        if here and re.fullmatch(place, form, re.DOTALL):
            return rule, title
    raise AssertionError("the last row takes everything")


def unknown_rule(event_type: str, form: str) -> str:
    """The rule that a union object of an undescribed kind breaks."""
    return next(
        r for r, types, place in _UNKNOWN if (not types or event_type in types) and re.fullmatch(place, form)
    )
