"""What a trace says of a call beside the answer's bytes: its name, where it was, how it is read, notes.

Rules of this file: pure; from what was asked and answered to words and values. Nothing here holds a credential: what
may be one is left out.
"""

from __future__ import annotations

import json

from webapp.core.masking.masker import masked_text
from webapp.ingest.call.sending import Answer
from webapp.ingest.call.url import Address

MAX_NAME, MAX_SOURCE = 200, 300  # characters that a trace has room for
# kinds of notes; a trace shows each kind once
SECRET_SENT_BACK = (
    "call-secret",
    "The agent sent the Authorization value of the call back; it was overwritten before it was stored.",
)


def name_of(typed: str, address: Address) -> str:
    """As it was typed, else the agent's host and path."""
    given = " ".join(typed.split())
    return (given or f"{address.authority}{address.path.partition('?')[0]}")[:MAX_NAME]


def source_of(address: Address) -> str:
    """The address, for the next call; a query that holds a credential stays out."""
    whole = f"{address.scheme}://{address.authority}{address.path}"
    if len(whole) <= MAX_SOURCE and masked_text(whole)[0] == whole:
        return whole
    return masked_text(address.shown)[0][:MAX_SOURCE]


def form_of(streams: bool, first: bytes | None) -> str:
    """How a body is read: "" leaves it to its first line. What is neither an event stream nor begins with an event is
    read as a client does, as an event stream: an error in JSON, a page; it then holds no event, and no broken one."""
    if streams or first is None:
        return ""
    line = first.lstrip().partition(b"\n")[0]
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return "sse"
    return "" if isinstance(value, dict) and isinstance(value.get("type"), str) else "sse"


def notes_of(answer: Answer) -> list[tuple[str, str]]:
    """Kind and sentence of what is not to be seen in the bytes."""
    notes = []
    if answer.head.status != 200:
        notes.append(("call-status", f"The agent answered {answer.told} to the call."))
    if answer.packed:
        notes.append(
            (
                "call-packed",
                f"The answer came compressed ({answer.packed}) and was unpacked before it was recorded.",
            )
        )
    return notes
