"""What one record does to the shared state or to an activity message, read again from its payload.

Rules of this file: reading only, through the same stages as the engine's (strict struct, else the slow path), so that
a page that rebuilds a value gets the engine's. What a change leads to is `agui/patch.py`'s affair.
Source: events/state, events/activity; section 5, points 7 and 8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from webapp.core.agui import events as e
from webapp.core.agui import request
from webapp.core.agui.compat import Compat
from webapp.core.agui.enforce import slow_decode
from webapp.core.agui.events import decode
from webapp.core.agui.patch import Copies, Failure, patched

__all__ = ["UNSET", "Change", "Copies", "Failure", "applied", "echoed", "held_messages", "read", "seed"]


class Change(NamedTuple):
    """A snapshot (value) or a patch (operations, each an object with `op`, `path` …).

    whole: a snapshot that takes effect even where there is a value already
    """

    kind: str
    value: Any = None
    operations: list[dict[str, Any]] = []  # noqa: RUF012 a tuple's default, never changed
    whole: bool = True


def read(payload: str) -> Change | None:
    """The change a state or activity record makes; None when a client can make nothing of it."""
    event = _event(payload)
    if isinstance(event, e.StateSnapshot):
        return Change("snapshot", event.snapshot)
    if isinstance(event, e.StateDelta):
        return Change("patch", operations=msgspec.to_builtins(event.delta))
    if isinstance(event, e.ActivitySnapshot):
        return Change("snapshot", event.content, whole=event.replace is not False)
    if isinstance(event, e.ActivityDelta):
        return Change("patch", operations=msgspec.to_builtins(event.patch))
    return None


def applied(value: Any, change: Change | None, copies: Copies) -> tuple[Any, Failure | None]:
    """The value after a change, and why a patch failed; `value` itself is never altered.

    copies: what `copy` operations may still repeat, one for all changes of a walk
    """
    if change is None:
        return value, None
    if change.kind == "snapshot":
        return change.value, None
    return patched(value, change.operations, copies)


def seed(asked: dict[str, Any] | None) -> Any:
    """The state a request carries; UNSET when there is none, or the request is of no use."""
    given = None if asked is None else request.read(asked)[0]
    return UNSET if given is None else given.state


def echoed(payload: str) -> dict[str, Any] | None:
    """The run input that a `RUN_STARTED` echoes, as a client takes it."""
    event = _event(payload)
    if not isinstance(event, e.RunStarted) or event.input is UNSET:
        return None
    told = msgspec.to_builtins(event.input)
    return told if isinstance(told, dict) else None


def held_messages(payload: str) -> list[dict[str, Any]]:
    """The messages of a `MESSAGES_SNAPSHOT`."""
    event = _event(payload)
    return msgspec.to_builtins(event.messages) if isinstance(event, e.MessagesSnapshot) else []


def _event(payload: str) -> Any:
    raw = payload.encode("utf-8", "replace")
    try:
        return decode(raw)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return slow_decode(raw, Compat()).event
