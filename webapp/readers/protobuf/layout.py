"""The layout of the AG-UI binary binding, and classes of the protobuf runtime built from it.

Rules of this file: a table and what turns it into descriptors; nothing is decoded here. Fields stand in the order of
their numbers, which are append-only, without a gap: from 2 in events (1 is `base_event`), from 1 elsewhere.

`name` is text · `name:kind` another kind · `?` may be absent · `*` repeated · `|` one of several. Kinds: int, bool, op
(a patch operation's number), V (google.protobuf.Value), S (google.protobuf.Struct), or a message below.

On the wire, texts, V and S are bytes with a length, and as such they are declared: whether a text is UTF-8 is then for
the engine to say, and no depth of a V is too deep for the runtime. The events are declared as separate fields instead
of one `oneof`, so that a frame with two of them can be told. The last four rows are google.protobuf's own, in the same
manner; `values` reads them by itself.

Source: basic/transports/http-protobuf#the-wire-schema
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

TABLE = """
TextMessageStart            message_id role? name? subagent_run_id?
TextMessageContent          message_id delta subagent_run_id?
TextMessageEnd              message_id subagent_run_id?
ToolCallStart               tool_call_id tool_call_name parent_message_id? subagent_run_id?
ToolCallArgs                tool_call_id delta subagent_run_id?
ToolCallEnd                 tool_call_id subagent_run_id?
StateSnapshot               snapshot?:V subagent_run_id?
StateDelta                  delta*:JsonPatchOperation subagent_run_id?
MessagesSnapshot            messages*:Message
Raw                         event?:V source? subagent_run_id?
Custom                      name value?:V subagent_run_id?
RunStarted                  thread_id run_id parent_run_id? input?:RunAgentInput protocol_version?
RunFinished                 thread_id run_id result?:V outcome interrupts*:Interrupt usage*:Usage pending_tool_call_ids*
RunError                    code? message usage*:Usage
StepStarted                 step_name subagent_run_id?
StepFinished                step_name subagent_run_id?
TextMessageChunk            message_id? role? delta? name? subagent_run_id?
ToolCallChunk               tool_call_id? tool_call_name? parent_message_id? delta? subagent_run_id?
SubagentStarted             subagent_run_id name description? parent_subagent_run_id? parent_tool_call_id? parent_message_id?
SubagentFinished            subagent_run_id result?:V outcome interrupt_ids*
SubagentError               subagent_run_id message code?
ToolCallResult              subagent_run_id? message_id tool_call_id content? role? content_parts*:InputContent
ActivitySnapshot            subagent_run_id? message_id activity_type content?:S replace?:bool
ActivityDelta               subagent_run_id? message_id activity_type patch*:JsonPatchOperation
ReasoningStart              subagent_run_id? message_id
ReasoningMessageStart       subagent_run_id? message_id role
ReasoningMessageContent     subagent_run_id? message_id delta
ReasoningMessageEnd         subagent_run_id? message_id
ReasoningMessageChunk       subagent_run_id? message_id? delta?
ReasoningEnd                subagent_run_id? message_id
ReasoningEncryptedValue     subagent_run_id? subtype entity_id encrypted_value encrypted_value_type?
---
BaseEvent                   type:int timestamp?:int raw_event?:V metadata?:S
JsonPatchOperation          op:op path from? value?:V
Message                     id role content? name? tool_calls*:ToolCall tool_call_id? error? content_parts*:InputContent metadata?:S subagent_run_id? encrypted_value? activity_type? activity_content?:S encrypted_value_type?
ToolCall                    id type function?:Function metadata?:S encrypted_value? encrypted_value_type?
Function                    name arguments
InputContent                text|:TextPart image|:MediaPart audio|:MediaPart video|:MediaPart document|:MediaPart
TextPart                    text id? metadata?:V
MediaPart                   source?:PartSource metadata?:V id?
PartSource                  data|:DataSource url|:UrlSource file|:FileSource
DataSource                  value mime_type
UrlSource                   value mime_type?
FileSource                  value provider? mime_type?
Interrupt                   id reason message? tool_call_id? response_schema?:V expires_at? metadata?:V subagent_run_id?
Usage                       provider? model? input_tokens?:int output_tokens?:int total_tokens?:int reasoning_tokens?:int cached_input_tokens?:int cache_write_input_tokens?:int
RunAgentInput               thread_id run_id parent_run_id? state?:V messages*:Message tools*:Tool context*:Context forwarded_props?:V resume*:ResumeEntry protocol_version?
Tool                        name description parameters?:V metadata?:S
Context                     description value
ResumeEntry                 interrupt_id status payload?:V metadata?:S
Value                       null_value|:int number_value|:double string_value| bool_value|:bool struct_value|:S list_value|:S
Struct                      fields*:Entry
Entry                       key value?:V
ListValue                   values*:V
"""  # noqa: E501 - a row is a message

# the number of an event type in `BaseEvent.type`, by its arm (the number of its field in `Event`)
TYPES = {arm: arm - 1 for arm in range(1, 17)} | {
    19: 16, 20: 17, 21: 18, 17: 19, 18: 20, 22: 21, 23: 22, 24: 23, 25: 24, 26: 25, 27: 26, 28: 27, 29: 28, 30: 29,
    31: 30,
}  # fmt: skip
_FIELD = re.compile(r"(\w+)([?*|]?)(?::(\w+))?")
_P = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "text": _P.TYPE_BYTES,
    "int": _P.TYPE_INT64,
    "op": _P.TYPE_INT64,
    "bool": _P.TYPE_BOOL,
    "double": _P.TYPE_DOUBLE,
    "V": _P.TYPE_BYTES,
    "S": _P.TYPE_BYTES,
}


class Field(NamedTuple):
    """name: in the schema; wire: in JSON; kind: as in the table; how: "" (always there) or one of `?*|`."""

    name: str
    wire: str
    kind: str
    how: str
    number: int


def wire_name(name: str) -> str:
    """`subagent_run_id` -> `subagentRunId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _rows(text: str, first: int) -> dict[str, tuple[Field, ...]]:
    out = {}
    for row in text.strip().splitlines():
        message, *fields = row.split()
        made = []
        for number, field in enumerate(fields, first):
            name, how, kind = _FIELD.fullmatch(field).groups()  # type: ignore[union-attr]  # a table of ours
            made.append(Field(name, wire_name(name), kind or "text", how, number))
        out[message] = tuple(made)
    return out


_EVENTS, _VALUES = TABLE.split("---\n")
EVENTS = _rows(_EVENTS, 2)  # in the order of their arms
MESSAGES = {**EVENTS, **_rows(_VALUES, 1)}
ARMS: dict[int, tuple[str, str]] = {  # arm -> name of the message and of the event
    arm: (name, re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()) for arm, name in enumerate(EVENTS, 1)
}


def _declare(into: descriptor_pb2.DescriptorProto, field: Field) -> None:
    scalar = _SCALARS.get(field.kind)
    made = into.field.add(
        name=field.name,
        number=field.number,
        label=_P.LABEL_REPEATED if field.how == "*" else _P.LABEL_OPTIONAL,
        type=_P.TYPE_MESSAGE if scalar is None else scalar,
    )
    if scalar is None:
        made.type_name = f".ag_ui.{field.kind}"
    elif field.how == "?":
        made.proto3_optional = True
        made.oneof_index = len(into.oneof_decl)
        into.oneof_decl.add(name=f"_{field.name}")
    if field.how == "|":
        if not into.oneof_decl:
            into.oneof_decl.add(name="one")
        made.oneof_index = 0


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="ag_ui.proto", package="ag_ui", syntax="proto3")
    event = file.message_type.add(name="Event")
    for arm, (message, name) in ARMS.items():
        _declare(event, Field(name.lower(), "", message, "", arm))
    for message, fields in MESSAGES.items():
        declared = file.message_type.add(name=message)
        if message in EVENTS:
            _declare(declared, Field("base_event", "", "BaseEvent", "", 1))
        for field in fields:
            _declare(declared, field)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    names = ("Event", *MESSAGES)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ag_ui.{name}")) for name in names
    }


CLASSES = _build()  # message name -> its class
