"""The value objects inside AG-UI events as strict structs: content parts, messages, run input, patches.

Rules of this file: shapes only, field names as on the wire. Absent optional members are UNSET, since `None` would
let a wire `null` in. Source: specification 1.1, basic/index#schema.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

MAX_SAFE = 2**53 - 1
TokenCount = Annotated[int, Meta(ge=0, le=MAX_SAFE)]
NotNull = bool | int | float | str | list[Any] | dict[str, Any]
Metadata = dict[str, Any]


class Value(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, eq=False):
    """A closed object inside an event."""


class DataSource(Value, tag_field="type", tag="data", kw_only=True):
    value: str
    mimeType: str


class UrlSource(Value, tag_field="type", tag="url", kw_only=True):
    value: str
    mimeType: str | UnsetType = UNSET


class FileSource(Value, tag_field="type", tag="file", kw_only=True):
    value: str
    provider: str | UnsetType = UNSET
    mimeType: str | UnsetType = UNSET


PartSource = DataSource | UrlSource | FileSource


class _Part(Value, tag_field="type", kw_only=True):
    id: str | UnsetType = UNSET
    metadata: NotNull | UnsetType = UNSET


class TextPart(_Part, tag="text", kw_only=True):
    text: str


class ImagePart(_Part, tag="image", kw_only=True):
    source: PartSource


class AudioPart(_Part, tag="audio", kw_only=True):
    source: PartSource


class VideoPart(_Part, tag="video", kw_only=True):
    source: PartSource


class DocumentPart(_Part, tag="document", kw_only=True):
    source: PartSource


ContentPart = TextPart | ImagePart | AudioPart | VideoPart | DocumentPart
Content = str | list[ContentPart]


class FunctionCall(Value, kw_only=True):
    name: str
    arguments: str


class ToolCall(Value, kw_only=True):
    id: str
    type: Literal["function"]
    function: FunctionCall
    encryptedValue: str | UnsetType = UNSET
    encryptedValueType: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class _Message(Value, tag_field="role", kw_only=True):
    id: str
    metadata: Metadata | UnsetType = UNSET
    subagentRunId: str | UnsetType = UNSET


class _Encrypted(_Message, tag_field="role", kw_only=True):
    encryptedValue: str | UnsetType = UNSET
    encryptedValueType: str | UnsetType = UNSET


class DeveloperMessage(_Encrypted, tag="developer", kw_only=True):
    content: str
    name: str | UnsetType = UNSET


class SystemMessage(_Encrypted, tag="system", kw_only=True):
    content: str
    name: str | UnsetType = UNSET


class AssistantMessage(_Encrypted, tag="assistant", kw_only=True):
    content: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    toolCalls: list[ToolCall] | UnsetType = UNSET


class UserMessage(_Encrypted, tag="user", kw_only=True):
    content: Content
    name: str | UnsetType = UNSET


class ToolMessage(_Encrypted, tag="tool", kw_only=True):
    toolCallId: str
    content: Content
    error: str | UnsetType = UNSET


class ReasoningMessage(_Encrypted, tag="reasoning", kw_only=True):
    content: str


class ActivityMessage(_Message, tag="activity", kw_only=True):
    activityType: str
    content: dict[str, Any]


Message = (
    DeveloperMessage
    | SystemMessage
    | AssistantMessage
    | UserMessage
    | ToolMessage
    | ReasoningMessage
    | ActivityMessage
)


class TokenUsage(Value, kw_only=True):
    provider: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    inputTokens: TokenCount | UnsetType = UNSET
    outputTokens: TokenCount | UnsetType = UNSET
    totalTokens: TokenCount | UnsetType = UNSET
    reasoningTokens: TokenCount | UnsetType = UNSET
    cachedInputTokens: TokenCount | UnsetType = UNSET
    cacheWriteInputTokens: TokenCount | UnsetType = UNSET


class Interrupt(Value, kw_only=True):
    id: str
    reason: str
    message: str | UnsetType = UNSET
    toolCallId: str | UnsetType = UNSET
    responseSchema: dict[str, Any] | UnsetType = UNSET
    expiresAt: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET
    subagentRunId: str | UnsetType = UNSET


class RunSuccess(Value, tag_field="type", tag="success", kw_only=True):
    pendingToolCallIds: list[str] | UnsetType = UNSET


class RunInterrupt(Value, tag_field="type", tag="interrupt", kw_only=True):
    interrupts: Annotated[list[Interrupt], Meta(min_length=1)]


class RunCancelled(Value, tag_field="type", tag="cancelled", kw_only=True):
    pass


class SubagentSuccess(Value, tag_field="type", tag="success", kw_only=True):
    pass


class SubagentSuspended(Value, tag_field="type", tag="suspended", kw_only=True):
    interruptIds: list[str] | UnsetType = UNSET


class Tool(Value, kw_only=True):
    name: str
    description: str
    parameters: NotNull | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class Context(Value, kw_only=True):
    description: str
    value: str


class ResumeEntry(Value, kw_only=True):
    interruptId: str
    status: Literal["resolved", "cancelled"]
    payload: NotNull | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class RunAgentInput(Value, kw_only=True):
    threadId: str
    runId: str
    messages: list[Message]
    protocolVersion: str | UnsetType = UNSET
    parentRunId: str | UnsetType = UNSET
    state: NotNull | UnsetType = UNSET
    tools: list[Tool] | UnsetType = UNSET
    context: list[Context] | UnsetType = UNSET
    forwardedProps: NotNull | UnsetType = UNSET
    resume: list[ResumeEntry] | UnsetType = UNSET


# ── JSON Patch: extra members are legal and must survive, so these are open ──

Pointer = Annotated[str, Meta(pattern=r"^(?:/[^/~]*(?:~[01][^/~]*)*)*\Z")]


class _Operation(msgspec.Struct, tag_field="op", gc=False, kw_only=True, eq=False):
    path: Pointer


class AddOp(_Operation, tag="add", kw_only=True):
    value: Any


class ReplaceOp(_Operation, tag="replace", kw_only=True):
    value: Any


class TestOp(_Operation, tag="test", kw_only=True):
    value: Any


class RemoveOp(_Operation, tag="remove", kw_only=True):
    pass


class _From(_Operation, tag_field="op", kw_only=True):
    from_: Pointer = msgspec.field(name="from")


class MoveOp(_From, tag="move", kw_only=True):
    pass


class CopyOp(_From, tag="copy", kw_only=True):
    pass


Operation = AddOp | ReplaceOp | TestOp | RemoveOp | MoveOp | CopyOp
