"""The same events as Python and Node show them, and behind the prefixes of an SDK's console.

Rules of this file: as `wrapping`, which lists these too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.readers.wrapping import Event

HEAD = "2026-09-01 10:00:{n:02},123 DEBUG agui emit "


def members(event: Event) -> list[str]:
    """`type=<EventType.X: 'X'>`, what is not set, then the rest under Python's names."""
    kind = event["type"]
    rest = {re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", n): v for n, v in event.items() if n != "type"}
    return [
        f"type=<EventType.{kind}: '{kind}'>", "timestamp=None", "raw_event=None", "metadata=None",
        *(f"{name}={value!r}" for name, value in rest.items()),
    ]  # fmt: skip


def model(event: Event) -> str:
    return "".join(word.capitalize() for word in event["type"].split("_")) + "Event"


def wrap_str(events: list[Event]) -> bytes:
    return "".join(" ".join(members(event)) + "\n" for event in events).encode()


def wrap_repr(events: list[Event]) -> bytes:
    return "".join(f"{model(event)}({', '.join(members(event))})\n" for event in events).encode()


def wrap_repr_list(events: list[Event]) -> bytes:
    return (
        "[" + ", ".join(f"{model(event)}({', '.join(members(event))})" for event in events) + "]"
    ).encode()


def wrap_repr_tall(events: list[Event]) -> bytes:
    inside = (",\n    ".join(members(event)) for event in events)
    return "".join(f"{model(e)}(\n    {each}\n)\n" for e, each in zip(events, inside, strict=True)).encode()


def wrap_repr_log(events: list[Event]) -> bytes:
    lines = (f"{HEAD.format(n=n)}{' '.join(members(event))}\n" for n, event in enumerate(events))
    return ("2026-09-01 09:59:59,000 INFO agui ready\n" + "".join(lines)).encode()


def wrap_dict(events: list[Event]) -> bytes:
    return "".join(f"{HEAD.format(n=n)}{event!r}\n" for n, event in enumerate(events)).encode()


def wrap_fenced_repr(events: list[Event]) -> bytes:
    return b"We print the events:\n```\n" + wrap_repr(events) + b"```\nWhat is wrong?\n"


def js(value: Any) -> str:
    """As `util.inspect` shows it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name}: {js(each)}" for name, each in value.items()) + " }"
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def wrap_js(events: list[Event]) -> bytes:
    return "".join(f"event {js(event)}\n" for event in events).encode()


def wrap_js_tall(events: list[Event]) -> bytes:
    rows = (",\n  ".join(f"{name}: {js(value)}" for name, value in event.items()) for event in events)
    return "".join(f"{{\n  {row}\n}}\n" for row in rows).encode()


def wrap_sdk_console(events: list[Event]) -> bytes:
    out = ["\x1b[36m\x1b[1m[INFO] app\x1b[39m\x1b[22m starting\n"]
    for event in events:
        text = json.dumps(event, indent=2, ensure_ascii=False)
        out += [f"\x1b[35m\x1b[1m[DEBUG] app\x1b[39m\x1b[22m {line}\n" for line in text.split("\n")]
    return "".join(out).encode()


DUMP_WRAPS: dict[str, tuple[str, Callable[[list[Event]], bytes]]] = {
    "Python str": ("python", wrap_str),
    "Python repr": ("python", wrap_repr),
    "Python list of models": ("python", wrap_repr_list),
    "Python repr over lines": ("python", wrap_repr_tall),
    "Python repr in a log": ("python", wrap_repr_log),
    "Python dicts in a log": ("python", wrap_dict),
    "Python repr in a fence": ("markdown", wrap_fenced_repr),
    "console.log": ("js-objects", wrap_js),
    "console.log over lines": ("js-objects", wrap_js_tall),
    "SDK console": ("sdk-console", wrap_sdk_console),
}
