"""Every form that can be read, in the order in which ties are broken.

Rules of this file: the list only. A new form is a module with a `FORM`, or a `form(choose)` where it has to ask what
form a text inside has, and a line here.
"""

from __future__ import annotations

from webapp.errors import BadInput
from webapp.readers.exports import agui_devtools, copilotkit, envelopes, eventstream, inspector
from webapp.readers.forms import Form, Score
from webapp.readers.har import connector, streamed
from webapp.readers.head import Head
from webapp.readers.log import client_console, http_client, sdk_console
from webapp.readers.log import form as log
from webapp.readers.node import reader as node
from webapp.readers.plain import forms as plain
from webapp.readers.protobuf import reader as protobuf
from webapp.readers.python import activity_dump, dump, shown
from webapp.readers.redacted import reader as redacted
from webapp.readers.wrapping import fence, http


def best(head: Head, forms: tuple[Form, ...] | None = None) -> tuple[Form, Score] | None:
    """The form that fits best, None when none does; of equals the one that is listed first."""
    among = tuple(FORMS.values()) if forms is None else forms
    found = [(form, score) for form in among if (score := form.score(head)) is not None]
    return max(found, key=lambda pair: pair[1].value, default=None)


def _among(head: Head, *forms: Form) -> Form | None:
    found = best(head, forms)
    return None if found is None else found[0]


# Texts of a stream: what takes a wrapping off looks for one of these inside
TEXTS: tuple[Form, ...] = (shown.FORM, http_client.FORM, node.FORM, plain.SSE, plain.NDJSON, plain.ARRAY)


def inner(head: Head) -> Form | None:
    """The form of a text inside a wrapping."""
    return _among(head, *TEXTS)


HTTP = http.form(inner)
# Lines with more on them than an event
LINES: tuple[Form, ...] = (client_console.FORM, log.TYPED, log.LOG)


def in_fence(head: Head) -> Form | None:
    """The form of what stands in a Markdown fence."""
    return _among(head, HTTP, *LINES, *TEXTS)


FENCE = fence.form(in_fence)


def dumped(head: Head) -> tuple[Form, Score] | None:
    """The form of a text whose names Python may have spelt."""
    return best(head, (FENCE, *LINES, *TEXTS))


DUMP = dump.form(dumped)
ACTIVITY_DUMP = activity_dump.form(dumped)


def in_console(head: Head) -> Form | None:
    """The form of the JSON that an SDK's console printed: activities as Python holds them, too."""
    return _among(head, ACTIVITY_DUMP, DUMP, *TEXTS)


SDK_CONSOLE = sdk_console.form(in_console)


def in_body(head: Head) -> Form | None:
    """The form of a response body as it was received, which may be binary."""
    return _among(head, protobuf.FORM, *TEXTS)


# Exports of tools, recordings of several streams, binary forms
EXPORTS: tuple[Form, ...] = (
    streamed.form(in_body),
    connector.FORM,
    agui_devtools.FORM,
    inspector.FORM,
    copilotkit.FORM,
    envelopes.form(inner),
    eventstream.FORM,
    protobuf.FORM,
    redacted.FORM,
)
# What stands around a text of a stream, or on its lines
WRAPPINGS: tuple[Form, ...] = (ACTIVITY_DUMP, SDK_CONSOLE, DUMP, FENCE, HTTP, *LINES)

FORMS: dict[str, Form] = {form.name: form for form in (*EXPORTS, *WRAPPINGS, *TEXTS)}


def known_form(name: str) -> str:
    """The name of a form; raises BadInput, whose sentence lists them all."""
    if name not in FORMS:
        raise BadInput(f"There is no form called “{name[:40]}”; the forms are {', '.join(FORMS)}.")
    return name
