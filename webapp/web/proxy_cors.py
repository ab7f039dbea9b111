"""Front ends of another origin that call their agent through the proxy: what their browser has to be told.

Rules of this file: headers only. Where there are accounts a pre-flight is answered here, for any address alike: no
browser sends a key with it, so nothing of it may reach a target, and what it allows needs a key all the same. Where
there are none the target answers, and knows nothing of our key. A page may read what we say ourselves, and never with
a cookie of ours: no answer of this file allows credentials.
"""

from __future__ import annotations

import re

from fastapi import Request
from fastapi.responses import Response
from starlette.datastructures import Headers as Names

from webapp.errors import SignInNeeded
from webapp.ingest.proxy.headers import Headers, value
from webapp.web.admission import KEY_HEADER

_METHOD, _WANTED = b"access-control-request-method", b"access-control-request-headers"
_ALLOWED = b"Access-Control-Allow-Headers"
KEY = b"Lanescope-Key"
BELIEVED_SECONDS = "600"  # how long a browser need not ask again
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, 5.6.2: a token
# on what we answer ourselves; the header tells when to try again, and pages do not see it by themselves
READABLE = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}


def is_preflight(method: str, headers: Names) -> bool:
    """Whether a browser asks whether a page may make a request."""
    if method != "OPTIONS" or "origin" not in headers:
        return False
    return _NAME.fullmatch(headers.get(_METHOD.decode(), "")) is not None


def told(request: Request, error: Exception, answer: Response) -> Response:
    """What a request below `/proxy/` hears that was not let through. answer: what anybody else would hear."""
    bare = KEY_HEADER not in request.headers  # a wrong key is refused, whatever it came with
    if isinstance(error, SignInNeeded) and bare and is_preflight(request.method, request.headers):
        return _allowed(request.headers)
    answer.headers.update(READABLE)
    return answer


def _allowed(headers: Names) -> Response:
    """The answer to a pre-flight where a key decides about the request itself: the page may send what it asked for."""
    said = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": headers[_METHOD.decode()],
        "Access-Control-Max-Age": BELIEVED_SECONDS,
    }
    # each by its name: “*” would not stand for Authorization
    if names := [name for name in _listed(headers.get(_WANTED.decode(), "")) if _NAME.fullmatch(name)]:
        said["Access-Control-Allow-Headers"] = ", ".join(names)
    return Response(status_code=204, headers=said)


def asks_for_key(headers: Headers) -> bool:
    """Whether the page is going to send our key, which its target has never heard of."""
    return any(_is_key(name) for name in _listed(value(headers, _WANTED) or ""))


def without_key(headers: Headers) -> Headers:
    """A pre-flight as its target gets it: asked for the headers that will reach it."""
    kept = []
    for name, content in headers:
        if name.lower() == _WANTED:
            rest = [each for each in _listed(content.decode("latin-1")) if not _is_key(each)]
            content = ",".join(rest).encode("latin-1")
            if not content:
                continue
        kept.append((name, content))
    return kept


def key_allowed(headers: Headers) -> Headers:
    """The target's answer to it, which allows our key too."""
    return [*headers, (_ALLOWED, KEY)]


def _listed(names: str) -> list[str]:
    return [name for part in names.split(",") if (name := part.strip())]


def _is_key(name: str) -> bool:
    return name.lower() == KEY_HEADER
