"""The request: what an application sends along when it starts a run.

Rules of this file: INP-02 … INP-08 and the words of their findings. They bind the application, so they are notes and
never change a verdict. Source: basic/run-input, events/tool-calls#frontend-tools, events/state#cross-run-behaviour.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from webapp.core.agui import parts
from webapp.core.agui import values as v
from webapp.core.agui.world import World, quoted
from webapp.core.words import listed


def check_input(w: World, asked: v.RunAgentInput) -> None:
    """What one input shows by itself."""
    about: dict[str, Any] = {"item": ("run", asked.runId)}
    activity = [m.id for m in asked.messages if isinstance(m, v.ActivityMessage)]
    if activity:
        w.find(
            "AGUI-INP-02",
            f"the request sends activity messages along: {listed([quoted(i) for i in activity])}",
            "Activities are for the screen; a client takes them out of what it sends.",
            **about,
        )
    if asked.protocolVersion is UNSET:
        w.find(
            "AGUI-INP-04",
            "the request declares no `protocolVersion`",
            "The agent then takes the application for one from before version 1.0.",
            **about,
        )
    _check_answers(w, asked, about)
    _check_values(w, asked, about)
    for message in asked.messages:
        parts.check_parts(w, getattr(message, "content", None), in_request=True)


def _check_answers(w: World, asked: v.RunAgentInput, about: dict[str, Any]) -> None:
    """INP-03 and INP-08: every call to the application has its tool message, every tool message its call."""
    offered = set() if asked.tools is UNSET else {tool.name for tool in asked.tools}
    called: dict[str, str] = {}
    answered: set[str] = set()
    lone: list[str] = []
    for message in asked.messages:
        if isinstance(message, v.AssistantMessage) and message.toolCalls is not UNSET:
            called.update({call.id: call.function.name for call in message.toolCalls})
        elif isinstance(message, v.ToolMessage):
            answered.add(message.toolCallId)
            if message.toolCallId not in called:
                lone.append(message.toolCallId)
    resume = () if asked.resume is UNSET else asked.resume
    known = w.trace.open_interrupts
    gated = {known[entry.interruptId].toolCallId for entry in resume if entry.interruptId in known}
    waiting = [
        id_ for id_, name in called.items() if name in offered and id_ not in answered and id_ not in gated
    ]
    unclear = any(entry.interruptId not in known for entry in resume)  # it may be about one of these calls
    if waiting and not unclear:
        w.find(
            "AGUI-INP-03",
            f"the request goes on without a result for {_calls(waiting)}",
            "Every call gets a tool message before the conversation goes on, a declined or failed one too.",
            **about,
        )
    if lone:
        w.find(
            "AGUI-INP-08",
            f"the request holds a result for {_calls(lone)}, which no earlier message makes",
            "Calls and their results are kept or left out together.",
            **about,
        )


def _calls(ids: list[str]) -> str:
    return f"tool call{'' if len(ids) == 1 else 's'} {listed([quoted(id_) for id_ in ids])}"


def _check_values(w: World, asked: v.RunAgentInput, about: dict[str, Any]) -> None:
    """ENC-05 inside a request: a type without its value."""
    for message in asked.messages:
        holders: list[Any] = [message, *_calls_of(message)]
        for holder in holders:
            if getattr(holder, "encryptedValueType", UNSET) is not UNSET and holder.encryptedValue is UNSET:
                w.find(
                    "AGUI-ENC-05",
                    f"the request names an `encryptedValueType` for {quoted(holder.id)} without a value",
                    "Type and value are stored and sent together.",
                    severity="info",
                    **about,
                )


def _calls_of(message: Any) -> list[v.ToolCall]:
    calls = getattr(message, "toolCalls", UNSET)
    return [] if calls is UNSET else calls


def check_carried(w: World, asked: v.RunAgentInput) -> None:
    """INP-05 and INP-06: what the run before left is sent back unchanged."""
    about: dict[str, Any] = {"item": ("run", asked.runId)}
    for message in asked.messages:
        held = w.held.by_id.get(message.id)
        pairs: list[tuple[dict[str, Any], Any]] = [] if held is None else [(held.extra, message)]
        pairs += [
            (w.held.calls[call.id].extra, call) for call in _calls_of(message) if call.id in w.held.calls
        ]
        for extra, sent in pairs:
            value, kind = extra.get("encryptedValue"), extra.get("encryptedValueType", UNSET)
            if value is None or isinstance(sent, v.ActivityMessage):
                continue
            given = sent.encryptedValue
            wrong = (
                "without its encrypted value"
                if given is UNSET
                else (
                    "with another encrypted value"
                    if given != value
                    else "without the type of its encrypted value"
                    if sent.encryptedValueType is UNSET and kind is not UNSET
                    else ""
                )
            )
            if wrong:
                w.find(
                    "AGUI-INP-05",
                    f"the request sends {quoted(sent.id)} back {wrong}",
                    "The model provider wants it back unchanged; without it a model may lose its reasoning.",
                    path=f"encrypted {wrong}",
                    **about,
                )
    held_state = {} if w.state is UNSET else w.state
    sent_state = {} if asked.state is UNSET else asked.state
    if held_state != sent_state and w.state is not UNSET:
        w.facts.sent = sent_state
        w.facts.carried = w.find(
            "AGUI-INP-06",
            "the request does not carry the state that the run before left",
            f"{_difference(held_state, sent_state)} Patches of this run then start from another state.",
            **about,
        )


def _difference(held: Any, sent: Any) -> str:
    if not (isinstance(held, dict) and isinstance(sent, dict)):
        return "The two have nothing in common."
    keys = [key for key in {**held, **sent} if held.get(key, UNSET) != sent.get(key, UNSET)]
    return f"They differ in {listed([quoted(key) for key in keys])}."


def check_echo(w: World, request: v.RunAgentInput, echo: v.RunAgentInput) -> None:
    """INP-07: the echo is the request; ids are RUN-10's business, empty lists and absent ones are the same."""
    differs = []
    for field in msgspec.structs.fields(v.RunAgentInput):
        name = field.encode_name
        if name in ("threadId", "runId"):
            continue
        ours, theirs = (_plain(getattr(side, name), name) for side in (request, echo))
        if ours != theirs:
            differs.append(f"`{name}`")
    if differs:
        w.find(
            "AGUI-INP-07",
            f"the input echoed in `RUN_STARTED` is not the request: {listed(differs)} differ"
            f"{'s' if len(differs) == 1 else ''}",
            "The echo is the request the run was started from, unchanged.",
            item=("run", echo.runId),
        )


def _plain(value: Any, name: str) -> Any:
    if value is UNSET or value == []:
        return {} if name == "state" and value is UNSET else None
    return msgspec.to_builtins(value)
