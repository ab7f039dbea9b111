"""Content parts: providers, inline data and links that nobody else can use.

Rules of this file: ENV-19, ENV-20, ENV-21 on the parts of one message or result. In a request they are the
application's and only a note. Source: basic/run-input#provider-file-handles.
"""

from __future__ import annotations

import re
from typing import Any

from webapp.core.agui import values as v
from webapp.core.agui.world import World, quoted

_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*+={0,2}\s*+")  # possessive: white space has one place to be taken
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HANDLE = re.compile(r"(files?/)?[A-Za-z0-9_-]+")  # no scheme, no path, no dot: an id and not a relative link
_PROVIDERS_OWN = frozenset(
    {
        "openai",
        "openai-file",
        "anthropic",
        "anthropic-file",
        "claude",
        "gemini",
        "google",
        "azure-openai",
        "mistral",
        "bedrock",
        "vertex",
        "file-id",
        "fileid",
        "attachment",
        "sandbox",
    }
)


def check_parts(w: World, content: Any, *, in_request: bool = False) -> None:
    """The parts of a message's or result's content; text has none."""
    if not isinstance(content, list):
        return
    severity = "info" if in_request else None
    for part in content:
        source = getattr(part, "source", None)
        if isinstance(source, v.DataSource):
            _check_data(w, source, severity)
        elif isinstance(source, v.UrlSource):
            _check_url(w, source, severity)
        elif isinstance(source, v.FileSource) and isinstance(source.provider, str):
            _check_provider(w, source.provider)


def _check_data(w: World, source: v.DataSource, severity: str | None) -> None:
    value = source.value
    if value[:5].lower() == "data:":
        what = "is a `data:` URL where bare base64 is due"
    elif not _BASE64.fullmatch(value) or len("".join(value.split()).rstrip("=")) % 4 == 1:
        what = "is not base64"
    else:
        return
    w.find(
        "AGUI-ENV-20",
        f"the inline data {quoted(value[:40])} {what}",
        "It passes every check of form, and an application fails to decode it.",
        severity=severity,
        path=f"data {what}",
    )


def _check_url(w: World, source: v.UrlSource, severity: str | None) -> None:
    scheme = _SCHEME.match(source.value)
    own = scheme is not None and scheme[1].lower() in _PROVIDERS_OWN
    if own or (scheme is None and _HANDLE.fullmatch(source.value)):
        w.find(
            "AGUI-ENV-21",
            f"the link {quoted(source.value)} is a provider’s handle, not a URL",
            "Only that provider can fetch it: a handle stands in a `file` source.",
            severity=severity,
            path="url",
        )


def _check_provider(w: World, provider: str) -> None:
    usual = w.trace.providers.get(provider.lower())
    if provider != provider.lower() or any(ch.isspace() for ch in provider):
        why = "Providers are written in lower case, as `openai`."
    elif usual is not None and usual != provider:
        why = f"Token usage writes it {quoted(usual)}."
    else:
        return
    w.find(
        "AGUI-ENV-19",
        f"the file’s provider is written {quoted(provider)}",
        f"{why} An application that compares the two finds no match.",
        path="provider",
    )
