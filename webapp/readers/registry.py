"""Every form that can be read, in the order in which ties are broken.

Rules of this file: the list only. A new form is a module with a `FORM` and a line here.
"""

from __future__ import annotations

from webapp.readers import (
    agui_devtools,
    console,
    copilotkit,
    devtools,
    dump,
    envelopes,
    fence,
    har,
    harstreams,
    http,
    httplog,
    inspected,
    inspector,
    logform,
    plain,
    protobuf,
    pydump,
    pyrepr,
    sdkconsole,
)
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head

# Texts of a stream. What takes a wrapping off looks for one of these inside.
TEXTS: tuple[Form, ...] = (pyrepr.FORM, httplog.FORM, inspected.FORM, plain.SSE, plain.NDJSON, plain.ARRAY)
HTTP = Form(http.NAME, http.TITLE, http.ABOUT, http.score, lambda limits: http.HttpReader(limits, inner))
# Lines with more on them than an event
LINES: tuple[Form, ...] = (console.FORM, logform.TYPED, logform.LOG)
FENCE = Form(
    fence.NAME, fence.TITLE, fence.ABOUT, fence.score, lambda limits: fence.FenceReader(limits, in_fence)
)
DUMP = Form(
    dump.NAME,
    dump.TITLE,
    dump.ABOUT,
    lambda head: dump.score(head, dumped),
    lambda limits: dump.DumpReader(limits, dumped),
)
ACTIVITY_DUMP = Form(
    pydump.NAME,
    pydump.TITLE,
    pydump.ABOUT,
    lambda head: pydump.score(head, dumped),
    lambda limits: pydump.ActivityDumpReader(limits, dumped),
)
SDK_CONSOLE = Form(
    sdkconsole.NAME,
    sdkconsole.TITLE,
    sdkconsole.ABOUT,
    sdkconsole.score,
    lambda limits: sdkconsole.ConsoleReader(limits, in_console),
)
# Wrappings around such a text
WRAPPINGS: tuple[Form, ...] = (ACTIVITY_DUMP, SDK_CONSOLE, DUMP, FENCE, HTTP, *LINES)
# Exports of tools, recordings of several streams, binary forms
EXPORTS: tuple[Form, ...] = (
    Form(
        harstreams.NAME,
        harstreams.TITLE,
        harstreams.ABOUT,
        harstreams.score,
        lambda limits: harstreams.HarStreamReader(limits, in_body),
    ),
    har.FORM,
    agui_devtools.FORM,
    inspector.FORM,
    copilotkit.FORM,
    Form(
        envelopes.NAME,
        envelopes.TITLE,
        envelopes.ABOUT,
        lambda head: envelopes.score(head, inner),
        lambda limits: envelopes.EnvelopeReader(limits, inner),
    ),
    devtools.FORM,
    protobuf.FORM,
)

FORMS: dict[str, Form] = {form.name: form for form in (*EXPORTS, *WRAPPINGS, *TEXTS)}


def no_form(name: str) -> str:
    """The sentence about a name that is no form's."""
    return f"There is no form called “{name[:40]}”; the forms are {', '.join(FORMS)}."


def best(head: Head, forms: tuple[Form, ...] | None = None) -> tuple[Form, Score] | None:
    """The form that fits best, None when none does; of equals the one that is listed first."""
    among = tuple(FORMS.values()) if forms is None else forms
    found = [(form, score) for form in among if (score := form.score(head)) is not None]
    return max(found, key=lambda pair: pair[1].value, default=None)


def inner(head: Head) -> Form | None:
    """The form of a text inside a wrapping."""
    found = best(head, TEXTS)
    return None if found is None else found[0]


def in_console(head: Head) -> Form | None:
    """The form of the JSON that an SDK's console printed: activities as Python holds them, too."""
    found = best(head, (ACTIVITY_DUMP, DUMP, *TEXTS))
    return None if found is None else found[0]


def in_body(head: Head) -> Form | None:
    """The form of a response body as it was received, which may be binary."""
    found = best(head, (protobuf.FORM, *TEXTS))
    return None if found is None else found[0]


def in_fence(head: Head) -> Form | None:
    """The form of what stands in a Markdown fence."""
    found = best(head, (HTTP, *LINES, *TEXTS))
    return None if found is None else found[0]


def dumped(head: Head) -> tuple[Form, Score] | None:
    """The form of a text whose names Python may have spelt."""
    return best(head, (FENCE, *LINES, *TEXTS))
