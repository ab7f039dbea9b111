"""Error sentences of AG-UI clients: the reference client's, those of its older versions, and the parsers below it.

Rules of this file: one row a wording; nothing is decided here. The literal words are the client's, and only as many
as are needed to know the sentence by.
"""

from __future__ import annotations

import re

from webapp.core.errors.model import Wording

_CONTENT = ("own-end", "opens-later", "never-opened", "other-kind", "stream-ended")
_END = ("own-end", "never-opened", "opens-later", "stream-ended")


def _id(group: str) -> str:
    return rf"'(?P<{group}>[^'\n]{{0,300}})'"


def _row(
    name: str, pattern: str, means: str, rules: str, kind: str | None = None, reasons: tuple[str, ...] = ()
) -> Wording:
    return Wording(
        name=name, protocol="ag-ui", pattern=re.compile(pattern, re.IGNORECASE), means=means,
        rules=tuple(f"AGUI-{rule}" for rule in rules.split()), kind=kind, reasons=reasons,
    )  # fmt: skip


def _streamed(
    noun: str, event: str, last: str, family: str, numbers: tuple[str, str, str], group: str, kind: str
) -> tuple[Wording, ...]:
    """The three sentences that every streamed item has: opened twice, continued unopened, ended unopened."""
    with_id = rf"(?: with ID {_id(group)})?"
    means = (
        "was not open when `{}` arrived: it was never opened, or it was ended before. The client stops there."
    )
    piece = last
    slug = noun.replace(" ", "-")
    return (
        _row(f"{slug}-open", rf"Cannot send '{event}_START' event: A {noun}{with_id} is already in progress",
             f"The {noun} was open already when `{event}_START` came for it a second time. The client stops there.",
             f"{family}-{numbers[0]}", kind),
        _row(f"{slug}-content", rf"Cannot send '{event}_{piece}' event: No active {noun} found{with_id}",
             f"The {noun} {means.format(f'{event}_{piece}')}", f"{family}-{numbers[1]}", kind, _CONTENT),
        _row(f"{slug}-end", rf"Cannot send '{event}_END' event: No active {noun} found{with_id}",
             f"The {noun} {means.format(f'{event}_END')}", f"{family}-{numbers[2]}", kind, _END),
    )  # fmt: skip


def _unfinished(noun: str, rule: str, kind: str | None) -> Wording:
    return _row(
        f"{noun.replace(' ', '-')}-at-finish",
        rf"Cannot send 'RUN_FINISHED' while {noun} are still active: (?P<open>[^\n\"]{{1,300}})",
        f"The run was finished while {noun} were still open. Each must be ended before the run.",
        rule, kind,
    )  # fmt: skip


WORDINGS: tuple[Wording, ...] = (
    *_streamed("text message", "TEXT_MESSAGE", "CONTENT", "TXT", ("01", "02", "03"), "message", "text"),
    *_streamed("tool call", "TOOL_CALL", "ARGS", "TOL", ("01", "02", "03"), "call", "tool"),
    *_streamed("reasoning message", "REASONING_MESSAGE", "CONTENT", "RSN", ("04", "05", "06"), "message", "reasoning"),
    _row("span-open", rf"Cannot send 'REASONING_START' event: A reasoning span with ID {_id('span')} is already",
         "The reasoning span was open already when it was opened again.", "RSN-01", "span"),
    _row("span-end", rf"Cannot send 'REASONING_END' event: No active reasoning span found with ID {_id('span')}",
         "A reasoning span was ended that is not open.", "RSN-02", "span", _END),
    _unfinished("steps", "STP-04", "step"),
    _unfinished("text messages", "TXT-04", "text"),
    _unfinished("tool calls", "TOL-04", "tool"),
    _unfinished("reasoning messages", "RSN-07", "reasoning"),
    _unfinished("reasoning spans", "RSN-03", "span"),
    _unfinished("subagents", "SUB-05", "subagent"),
    _row("first-event", r"First event must be 'RUN_STARTED'",
         "The stream did not begin with `RUN_STARTED` (or `RUN_ERROR`). The client reads nothing of it.", "RUN-01"),
    _row("nested-run", r"Cannot send 'RUN_STARTED' while a run is still active",
         "A second run was started before the first one was finished.", "RUN-02"),
    _row("after-finish", rf"Cannot send event type {_id('event')}: The run has already finished",
         "An event came after `RUN_FINISHED`. Only a new run or an error may follow.", "RUN-03"),
    _row("after-error", rf"Cannot send event type {_id('event')}: The run has already errored",
         "An event came after `RUN_ERROR`. Only a new run may follow.", "RUN-04"),
    _row("step-open", r"Step \\?\"(?P<step>[^\"\\\n]{0,300})\\?\" is already active",
         "A step was started that is running already.", "STP-01", "step"),
    _row("step-owner",
         r"Cannot send 'STEP_FINISHED' for step \\?\"(?P<step>[^\"\\\n]{0,300})\\?\" attributed to",
         "A step was finished under another owner than the one that started it.", "STP-03", "step"),
    _row("step-end", r"Cannot send 'STEP_FINISHED' for step \\?\"(?P<step>[^\"\\\n]{0,300})\\?\" that was not started",
         "A step was finished that is not running.", "STP-02", "step", _END),
    _row("subagent-active", rf"Cannot send 'SUBAGENT_STARTED': subagent {_id('subagent')} is already active",
         "A subagent was announced again while it is active.", "SUB-02", "subagent"),
    _row("subagent-reused", rf"Cannot send 'SUBAGENT_STARTED': subagent {_id('subagent')} has already finished",
         "The id of a subagent that has ended was used again in the same run.", "SUB-03", "subagent"),
    _row("subagent-parent",
         rf"Cannot send 'SUBAGENT_STARTED': parentSubagentRunId {_id('subagent')} has not been started",
         "A subagent names a parent that was not announced in this run.", "SUB-06", "subagent"),
    _row("subagent-end", rf"Cannot send {_id('event')}: no active subagent found with ID {_id('subagent')}",
         "A subagent was ended that is not active.", "SUB-04", "subagent", _END),
    _row("subagent-field", r"Cannot send '(?P<event>SUBAGENT_\w+)' without a '(?P<field>\w+)'",
         "An event about a subagent lacks a member that it must have.", "SUB-07"),
    _row("tag-null", r"Cannot send [^\n]{1,200}?'?subagentRunId: null'",
         "A subagent mark is sent as null. An event of the parent agent has no mark at all.", "ENV-14 ENV-06"),
    _row("field-null", r"Cannot send '(?P<event>\w+)' with '(?P<field>[\w.]+): null'",
         "A member without a value is sent as null. It must be left out.", "ENV-06"),
    _row("subagent-outcome", rf"Cannot send {_id('event')} with outcome type ",
         "A subagent ended with an outcome that does not exist.", "SUB-08"),
    _row("parent-owner",
         rf"Cannot send 'TOOL_CALL_START': (?:subagentRunId|tool call) {_id('call')}[^\n]{{0,80}}?parent message",
         "A tool call carries another agent’s mark than the message it belongs to.", "TOL-06", "tool"),
    _row("owner", rf"Cannot send {_id('event')}: subagentRunId {_id('subagent')} does not match the "
         rf"(?P<item>[\w ]{{1,40}}?) {_id('message')}",
         "An item is continued under another agent’s mark than the one that opened it.",
         "TXT-05 TOL-05 RSN-08"),
    _row("chunk-owner", rf"Cannot continue (?P<item>[\w ]{{1,40}}?) {_id('message')}: chunk subagentRunId",
         "A chunk carries another agent’s mark than the chunk that opened the item.", "CHK-09"),
    _row("chunk-field", rf"Cannot continue (?P<item>[\w ]{{1,40}}?) {_id('message')}: chunk (?P<field>\w+) ",
         "A later chunk repeats a member with another value than the first chunk had.",
         "CHK-07 CHK-05 CHK-06 CHK-08"),
    _row("chunk-ambiguous", r"Ambiguous (?P<event>\w+_CHUNK): it carries neither",
         "A chunk without an id could belong to several open items.", "CHK-10"),
    _row("chunk-text-id", r"First TEXT_MESSAGE_CHUNK must have a messageId",
         "The first chunk of a message has no id: or a continuation came after its stream was ended.",
         "CHK-01 CHK-11"),
    _row("chunk-reasoning-id", r"First REASONING_MESSAGE_CHUNK must have a messageId",
         "The first chunk of a reasoning message has no id.", "CHK-02 CHK-11"),
    _row("chunk-tool-id", r"First TOOL_CALL_CHUNK must have a toolCallId",
         "The first chunk of a tool call has no id: or a continuation came after its stream was ended.",
         "CHK-03 CHK-11"),
    _row("chunk-tool-name", r"First TOOL_CALL_CHUNK must have a toolCallName",
         "The first chunk of a tool call has no tool name: or a continuation came after its stream was ended.",
         "CHK-04 CHK-11"),
    _row("not-object", r"Invalid event: the frame is not a JSON object",
         "A frame holds JSON, but no object.", "TRN-04"),
    _row("no-type", r"Invalid event: the frame carries no event type",
         "A frame holds an object without the name of an event.", "TRN-05"),
    _row("oversize", r"(?:SSE buffer|Protobuf message) size exceeded maximum limit",
         "A frame is larger than the client takes, or frames are not separated.", "TRN-16 TRN-02"),
    _row("mid-frame", r"The binary stream ended mid-frame",
         "The connection was cut inside a binary frame.", "TRN-15 TRN-10"),
    _row("bad-frame", r"Failed to decode protocol buffer message",
         "The body is announced as binary, and holds something else, or a damaged frame.", "TRN-13"),
    _row("dropped-event", rf"Dropping unrecognised event {_id('event')}",
         "The client left out an event whose type it does not know.", "ENV-01 ENV-17"),
    _row("removed-material", rf"Removed unrecognised material at {_id('path')} on (?P<event>\w+)",
         "The client left out a member that the protocol does not describe.", "ENV-02 ENV-03"),
    _row("uncovered", r"Thread has (?P<thread>\d+) pending interrupt\(s\) not addressed by resume|"
         r"buildResumeArray: missing responses for open interrupts",
         "The application answers a paused run without answering every open question.", "INT-07"),
    _row("unknown-interrupt", r"buildResumeArray: responses reference unknown interrupt ids",
         "The application answers a question that the last run did not ask.", "INT-08"),
    _row("expired", r"Interrupt (?P<interrupt>\S{1,200}) expired at \S+ and can no longer be answered",
         "The question has expired. It can be cancelled, not answered.", "INT-09"),
    # older clients
    _row("id-mismatch",
         rf"Cannot send '(?P<event>\w+)' event: (?:Message|Tool call) ID mismatch\. The ID {_id('message')}",
         "An older client, which knows one open item at a time, was sent a piece for another one. The present "
         "protocol allows several open at once: the client should be upgraded, if the item was opened at all.",
         "TXT-02 TOL-02", "text"),
    _row("interleaved", r"Cannot send event type '(?P<event>\w+)' after '(?P<other>\w+_START)'",
         "An older client refuses other events while a message or call is open. The present protocol allows them: the "
         "client should be upgraded.", "TXT-04 TOL-04"),
    _row("old-unknown-type", r"Invalid discriminator value\. Expected 'TEXT_MESSAGE_START'|invalid_union_discriminator",
         "A client older than 1.0 met an event type that it does not know, and stopped. A present one leaves the event "
         "out and goes on.", "ENV-01 ENV-17"),
    _row("null-value", r"expected \w+, received null|Input should be a valid \w+ \[type=\w+, input_value=None",
         "A member holds null where the protocol has a value or nothing at all.", "ENV-06 ENV-04"),
    _row("wrong-value", r"invalid_type[^\n]{0,80}expected|Invalid input: expected \w+, received (?!undefined)\w+",
         "A member holds a value of another kind than the protocol describes.", "ENV-04"),
    _row("missing-value", r"Invalid input: expected \w+, received undefined"
         r"|\b\d{1,9} validation errors? for \w+Event\b",
         "A member that must be there is missing, often because its name is spelt in snake_case.", "ENV-05 ENV-16"),
    # the parsers below
    _row("several-documents", r"Unexpected non-whitespace character after JSON|JSONDecodeError: Extra data",
         "One frame holds more than one event: the blank line between two events is missing.", "TRN-02"),
    _row("half-document",
         r"Unexpected end of JSON input|Unterminated string in JSON|JSONDecodeError: Unterminated string",
         "A frame holds half an event, or nothing: an event was cut into two frames, or an empty one is sent as a sign "
         "of life.", "TRN-02 TRN-07"),
    _row("not-json", r"Unexpected token [^\n]{1,80}?(?:is not valid JSON|in JSON at position)|"
         r"JSONDecodeError: Expecting value",
         "A frame holds something that is no JSON, such as `[DONE]`, `NaN`, or an error page.", "TRN-03"),
)  # fmt: skip
