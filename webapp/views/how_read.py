"""How a recording was read, in sentences: its form and why, the response head it holds, what the capture did.

Rules of this file: words from what is stored with a trace; no database, no links.
"""

from __future__ import annotations

from webapp.storage.models import Trace
from webapp.views import names, sealed
from webapp.views.content import showable

HEADERS = 20  # names of headers that are listed
CUT_LINES = "cut-lines"  # what the readers call lines that a limit of the log cut


def read_as(trace: Trace) -> str:
    """The form and the reasons for it."""
    reasons = [str(reason) for reason in trace.read_because or []]
    if not trace.format:
        what = reasons[0] if reasons else "no form that is known"
        return f"It could not be read: this is {what}."
    told = f"Read as {showable(trace.read_as or trace.format)}"
    return f"{told}, because {' and '.join(reasons)}." if reasons else f"{told}."


def head(trace: Trace) -> str:
    """The recorded response head: no header's value but the content type is kept."""
    found = trace.head
    if not found:
        return ""
    status, kind, others = found.get("status"), found.get("content_type"), found.get("headers") or []
    parts = [
        f"status {status}" if status is not None else "no status",
        f"content type {showable(str(kind))}" if kind else "no content type",
    ]
    if others:
        more = f" and {names.count(len(others) - HEADERS)} more" if len(others) > HEADERS else ""
        parts.append(f"further headers {', '.join(showable(str(name)) for name in others[:HEADERS])}{more}")
    return f"The recorded response has {', '.join(parts)}."


def masked(trace: Trace) -> str:
    """What was done about credentials in the upload; of a redacted trace what was taken out."""
    if trace.redaction:
        return sealed.removed(trace) or sealed.line(trace)
    if trace.masked is None:
        return "Credentials were not looked for: the original is kept as it was received."
    if not trace.masked:
        return "Nothing of the known shapes of credentials was found here, so nothing was masked."
    were = "was" if trace.masked == 1 else "were"
    count = names.plural(trace.masked, "credential")
    return f"{count} {were} masked before storage; the original kept is the masked one."


def told(trace: Trace) -> list[dict[str, object]]:
    """The artefacts that are listed: the response head has its own line."""
    return [each for each in trace.artefacts if not (trace.head and each.get("kind") == "http-head")]


def cut_lines(trace: Trace) -> list[dict[str, object]]:
    """The artefact that says so, when whatever wrote the recording cut its lines at one length."""
    return [each for each in trace.artefacts if each.get("kind") == CUT_LINES]


def events_lost(trace: Trace) -> bool:
    """Whether events are missing because their lines were cut: what is there is not all that was sent."""
    return bool(trace.not_understood and cut_lines(trace))


def is_binary(trace: Trace) -> bool:
    """Whether the upload is binary, and shown as text that was made of it."""
    return any(each.get("kind") == "binary-upload" for each in trace.artefacts)
