"""The 31 events of AG-UI 1.1 as strict structs: the fast path of decoding.

Rules of this file: shapes only, one struct an event, field names as on the wire. A payload that fits a struct has
no unknown member, no wrong type and no null; everything else takes the slow path (`enforce.py`). Absent optional
members are UNSET, since `None` would let a wire `null` in. Source: specification 1.1, basic/index#events.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from webapp.core.agui.values import (
    MAX_SAFE,
    Content,
    Message,
    Metadata,
    NotNull,
    Operation,
    RunAgentInput,
    RunCancelled,
    RunInterrupt,
    RunSuccess,
    SubagentSuccess,
    SubagentSuspended,
    TokenUsage,
)

Timestamp = Annotated[int, Meta(ge=-MAX_SAFE, le=MAX_SAFE)]
Role = Literal["developer", "system", "assistant", "user"]


class Event(msgspec.Struct, tag_field="type", forbid_unknown_fields=True, gc=False, kw_only=True, eq=False):
    """Envelope of every event."""

    timestamp: Timestamp | UnsetType = UNSET
    rawEvent: NotNull | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class Tagged(Event, kw_only=True):
    """An event that may be attributed to a subagent invocation."""

    subagentRunId: str | UnsetType = UNSET


class RunStarted(Event, tag="RUN_STARTED", kw_only=True):
    threadId: str
    runId: str
    protocolVersion: str | UnsetType = UNSET
    parentRunId: str | UnsetType = UNSET
    input: RunAgentInput | UnsetType = UNSET


class RunFinished(Event, tag="RUN_FINISHED", kw_only=True):
    threadId: str
    runId: str
    result: NotNull | UnsetType = UNSET
    outcome: RunSuccess | RunInterrupt | RunCancelled | UnsetType = UNSET
    usage: list[TokenUsage] | UnsetType = UNSET


class RunError(Event, tag="RUN_ERROR", kw_only=True):
    message: str
    code: str | UnsetType = UNSET
    usage: list[TokenUsage] | UnsetType = UNSET


class StepStarted(Tagged, tag="STEP_STARTED", kw_only=True):
    stepName: str


class StepFinished(Tagged, tag="STEP_FINISHED", kw_only=True):
    stepName: str


class TextMessageStart(Tagged, tag="TEXT_MESSAGE_START", kw_only=True):
    messageId: str
    role: Role | UnsetType = UNSET
    name: str | UnsetType = UNSET


class TextMessageContent(Tagged, tag="TEXT_MESSAGE_CONTENT", kw_only=True):
    messageId: str
    delta: str


class TextMessageEnd(Tagged, tag="TEXT_MESSAGE_END", kw_only=True):
    messageId: str


class TextMessageChunk(Tagged, tag="TEXT_MESSAGE_CHUNK", kw_only=True):
    messageId: str | UnsetType = UNSET
    role: Role | UnsetType = UNSET
    delta: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class ToolCallStart(Tagged, tag="TOOL_CALL_START", kw_only=True):
    toolCallId: str
    toolCallName: str
    parentMessageId: str | UnsetType = UNSET


class ToolCallArgs(Tagged, tag="TOOL_CALL_ARGS", kw_only=True):
    toolCallId: str
    delta: str


class ToolCallEnd(Tagged, tag="TOOL_CALL_END", kw_only=True):
    toolCallId: str


class ToolCallChunk(Tagged, tag="TOOL_CALL_CHUNK", kw_only=True):
    toolCallId: str | UnsetType = UNSET
    toolCallName: str | UnsetType = UNSET
    parentMessageId: str | UnsetType = UNSET
    delta: str | UnsetType = UNSET


class ToolCallResult(Tagged, tag="TOOL_CALL_RESULT", kw_only=True):
    messageId: str
    toolCallId: str
    content: Content
    role: Literal["tool"] | UnsetType = UNSET


class ReasoningStart(Tagged, tag="REASONING_START", kw_only=True):
    messageId: str


class ReasoningEnd(Tagged, tag="REASONING_END", kw_only=True):
    messageId: str


class ReasoningMessageStart(Tagged, tag="REASONING_MESSAGE_START", kw_only=True):
    messageId: str
    role: Literal["reasoning"]


class ReasoningMessageContent(Tagged, tag="REASONING_MESSAGE_CONTENT", kw_only=True):
    messageId: str
    delta: str


class ReasoningMessageEnd(Tagged, tag="REASONING_MESSAGE_END", kw_only=True):
    messageId: str


class ReasoningMessageChunk(Tagged, tag="REASONING_MESSAGE_CHUNK", kw_only=True):
    messageId: str | UnsetType = UNSET
    delta: str | UnsetType = UNSET


class ReasoningEncryptedValue(Tagged, tag="REASONING_ENCRYPTED_VALUE", kw_only=True):
    subtype: Literal["message", "tool-call"]
    entityId: str
    encryptedValue: str
    encryptedValueType: str | UnsetType = UNSET


class StateSnapshot(Tagged, tag="STATE_SNAPSHOT", kw_only=True):
    snapshot: Any


class StateDelta(Tagged, tag="STATE_DELTA", kw_only=True):
    delta: list[Operation]


class MessagesSnapshot(Event, tag="MESSAGES_SNAPSHOT", kw_only=True):
    messages: list[Message]


class ActivitySnapshot(Tagged, tag="ACTIVITY_SNAPSHOT", kw_only=True):
    messageId: str
    activityType: str
    content: dict[str, Any]
    replace: bool | UnsetType = UNSET


class ActivityDelta(Tagged, tag="ACTIVITY_DELTA", kw_only=True):
    messageId: str
    activityType: str
    patch: list[Operation]


class SubagentStarted(Event, tag="SUBAGENT_STARTED", kw_only=True):
    subagentRunId: str
    name: str
    description: str | UnsetType = UNSET
    parentSubagentRunId: str | UnsetType = UNSET
    parentToolCallId: str | UnsetType = UNSET
    parentMessageId: str | UnsetType = UNSET


class SubagentFinished(Event, tag="SUBAGENT_FINISHED", kw_only=True):
    subagentRunId: str
    result: NotNull | UnsetType = UNSET
    outcome: SubagentSuccess | SubagentSuspended | UnsetType = UNSET


class SubagentError(Event, tag="SUBAGENT_ERROR", kw_only=True):
    subagentRunId: str
    message: str
    code: str | UnsetType = UNSET


class Raw(Tagged, tag="RAW", kw_only=True):
    event: Any
    source: str | UnsetType = UNSET


class Custom(Tagged, tag="CUSTOM", kw_only=True):
    name: str
    value: Any


AnyEvent = (
    TextMessageContent
    | TextMessageStart
    | TextMessageEnd
    | TextMessageChunk
    | ToolCallStart
    | ToolCallArgs
    | ToolCallEnd
    | ToolCallChunk
    | ToolCallResult
    | ReasoningStart
    | ReasoningEnd
    | ReasoningMessageStart
    | ReasoningMessageContent
    | ReasoningMessageEnd
    | ReasoningMessageChunk
    | ReasoningEncryptedValue
    | RunStarted
    | RunFinished
    | RunError
    | StepStarted
    | StepFinished
    | StateSnapshot
    | StateDelta
    | MessagesSnapshot
    | ActivitySnapshot
    | ActivityDelta
    | SubagentStarted
    | SubagentFinished
    | SubagentError
    | Raw
    | Custom
)
EVENTS: dict[str, type[Event]] = {cls.__struct_config__.tag: cls for cls in AnyEvent.__args__}
decode = msgspec.json.Decoder(AnyEvent).decode
