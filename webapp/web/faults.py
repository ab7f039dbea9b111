"""What programs are told of faults and keys in `/api/openapi.json`, for every operation in one place.

Rules of this file: only descriptions. What a route alone can refuse is told by the route; what stands in front of all
of them (the host, the key, the role, limits, the database) is added here from the same tables that decide it.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from webapp.web.access import ROLE, SCOPES, Entry, entry_of
from webapp.web.limits import STORED
from webapp.web.shapes import Fault

SCHEME = "key"
_FRAMEWORKS = "HTTPValidationError"  # the shape that FastAPI would tell of a 422, which is not ours
_NUMBER = {"type": "integer", "minimum": 1}
_LATER = {"Retry-After": {"description": "seconds to wait before it is asked again", "schema": _NUMBER}}
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "lsk_…",
    "description": "A key, made on the page of an account. An installation without accounts needs none.",
}
_UNKNOWN = {
    "description": "Neither a key that is known nor a sign-in",
    "headers": {"WWW-Authenticate": {"description": "`Bearer`", "schema": {"type": "string"}}},
}
_REFUSED = {"description": "The key or the role of its account does not reach so far"}
_REFUSED_TOO = {"description": f"{_REFUSED['description']}, or it was asked for by a page of another site"}
_WRONG_HOST = {"description": "Asked under a name of this server that it does not know"}
_MISSING = {"description": "There is no such thing"}
_TOO_OFTEN = {"description": "Too often in a short time", "headers": _LATER}
_NOT_NOW = {"description": "The database cannot answer now, or too much is going on", "headers": _LATER}


def describe_faults(app: FastAPI) -> None:
    """From now on the application's description tells every fault and the keys."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        known = app.openapi_schema is not None
        description = plain()
        if not known:
            _complete(description)
        return description

    app.openapi = described  # type: ignore[method-assign]  # FastAPI's own way to change it


def _complete(description: dict[str, Any]) -> None:
    parts = description.setdefault("components", {})
    parts.setdefault("schemas", {}).setdefault("Fault", Fault.model_json_schema())
    for name in (_FRAMEWORKS, "ValidationError"):
        parts["schemas"].pop(name, None)
    parts.setdefault("securitySchemes", {})[SCHEME] = _KEY
    for path, item in description["paths"].items():
        for method, operation in item.items():
            entry = entry_of(method.upper(), path)
            assert entry is not None, f"{method} {path} has no line in the table of access"
            operation["security"] = [{SCHEME: []}, {}]
            operation["description"] = f"{operation.get('description', '')}\n\n{_needs(entry)}".strip()
            answers = operation["responses"]
            for status, told in _faults(entry, operation).items():
                answer = answers.setdefault(status, {"description": told["description"]})
                if "headers" in told:
                    answer.setdefault("headers", dict(told["headers"]))
            for status, answer in answers.items():
                if status >= "400" and _FRAMEWORKS in str(answer.get("content", _FRAMEWORKS)):
                    answer["content"] = _fault()
            operation["responses"] = dict(sorted(answers.items()))


def _fault() -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}}


def _needs(entry: Entry) -> str:
    """What a key must have, in one sentence."""
    scopes = " or ".join(
        f"`{scope}`" for scope in sorted(SCOPES[entry.keys], key=["read", "push", "admin"].index)
    )
    role = ROLE[entry.need]
    return f"Where there are accounts: a key with the scope {scopes}, of an account with the role {role} or above."


def _faults(entry: Entry, operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Status -> what is told of it, of all that is decided before the route or around it."""
    changes = entry.method != "GET"
    found: dict[str, dict[str, Any]] = {
        "401": _UNKNOWN,
        "403": _REFUSED_TOO if changes else _REFUSED,
        "421": _WRONG_HOST,
        "503": _NOT_NOW,
    }
    if "{" in entry.path:
        found["404"] = _MISSING
    searches = any(each["in"] == "query" and each["name"] == "q" for each in operation.get("parameters", ()))
    if (entry.method, entry.path) in STORED or (searches and not changes):
        found["429"] = _TOO_OFTEN
    return found
