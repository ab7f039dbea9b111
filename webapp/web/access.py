"""Who may ask for what: every address of the application and the role that it needs.

Rules of this file: the one table; a route without a line here answers to admins alone, and a test fails. It knows
methods and paths, nothing of who asks: that is `admission.py`. Lines stand in the order in which the application looks
at its routes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from re import Pattern

from starlette.routing import compile_path

from webapp.web.who import Role, Scope, Who


class Need(Enum):
    """What an address asks of the asker."""

    PUBLIC = "public"  # anybody; a page under /s/ is opened by its token
    VIEWER = "viewer"
    EDITOR = "editor"
    OWN = "own"  # an editor for what is theirs, an admin for all: the handler looks whose it is
    ADMIN = "admin"


ROLE: dict[Need, Role] = {
    Need.PUBLIC: "",
    Need.VIEWER: "viewer",
    Need.EDITOR: "editor",
    Need.OWN: "editor",
    Need.ADMIN: "admin",
}
# what a line lets in of keys -> the scopes that do; a key without limits is an admin's way through pages too
SCOPES: dict[Scope, frozenset[Scope]] = {
    "": frozenset(),
    "push": frozenset({"push", "admin"}),
    "read": frozenset({"read", "admin"}),
    "admin": frozenset({"admin"}),
}
ANY = "*"  # every method


@dataclass(frozen=True)
class Entry:
    """One line. path: as the route has it; keys: the scope a program's key needs here, "" when no key will do."""

    method: str
    path: str
    need: Need
    keys: Scope = ""

    @cached_property
    def pattern(self) -> Pattern[str]:
        return compile_path(self.path)[0]

    def role_allows(self, who: Who) -> bool:
        return who.at_least(ROLE[self.need])

    def key_allows(self, who: Who) -> bool:
        return self.need is Need.PUBLIC or who.kind != "key" or who.scope in SCOPES[self.keys]


_PUBLIC, _VIEWER, _EDITOR, _OWN, _ADMIN = Need
TABLE: tuple[Entry, ...] = (
    Entry("GET", "/api/openapi.json", _VIEWER, "read"),
    # static
    Entry("GET", "/static/{digest}/{name:path}", _PUBLIC),
    Entry("GET", "/favicon/{verdict}.svg", _PUBLIC),
    Entry("GET", "/favicon.ico", _PUBLIC),
    # signing in, accounts, keys, the audit
    Entry("GET", "/sign-in", _PUBLIC),
    Entry("POST", "/sign-in", _PUBLIC),
    Entry("GET", "/sign-in/oidc", _PUBLIC),
    Entry("GET", "/sign-in/oidc/back", _PUBLIC),
    Entry("POST", "/sign-out", _PUBLIC),
    Entry("GET", "/account", _VIEWER),
    Entry("POST", "/account/password", _VIEWER),
    Entry("POST", "/account/sign-ins/end", _VIEWER),
    Entry("POST", "/account/sign-ins/{sign_in_id}/end", _VIEWER),
    Entry("POST", "/account/keys", _VIEWER),
    Entry("POST", "/account/keys/{key_id}/revoke", _VIEWER),
    Entry("GET", "/users", _ADMIN, "admin"),
    Entry("POST", "/users", _ADMIN),
    Entry("POST", "/users/{user_id}", _ADMIN),
    Entry("POST", "/users/{user_id}/remove", _ADMIN),
    Entry("GET", "/audit", _ADMIN, "admin"),
    Entry("GET", "/audit.jsonl", _ADMIN, "admin"),
    # the interface for programs, its page
    Entry("GET", "/docs", _VIEWER, "admin"),
    Entry("GET", "/api/traces", _VIEWER, "read"),
    Entry("POST", "/api/traces", _EDITOR, "push"),
    Entry("GET", "/api/traces/{trace_id}", _VIEWER, "read"),
    Entry("PUT", "/api/live", _EDITOR, "push"),
    Entry("POST", "/api/live", _EDITOR, "push"),
    Entry("POST", "/api/traces/{trace_id}/events", _EDITOR, "push"),
    Entry("POST", "/api/traces/{trace_id}/end", _EDITOR, "push"),
    # played back, nothing is stored: a read
    Entry("GET", "/api/traces/{trace_id}/stream", _VIEWER, "read"),
    Entry("POST", "/api/traces/{trace_id}/stream", _VIEWER, "read"),
    # calling an agent
    Entry("GET", "/call", _EDITOR, "admin"),
    Entry("GET", "/call/input", _EDITOR, "admin"),
    Entry("POST", "/call", _EDITOR),
    Entry("POST", "/traces/{trace_id}/stop", _EDITOR),
    # help
    Entry("GET", "/capture", _VIEWER, "admin"),
    Entry("GET", "/errors", _VIEWER, "admin"),
    Entry("POST", "/errors", _VIEWER),
    # the list, and what one changes of a trace
    Entry("GET", "/", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/edit", _EDITOR, "admin"),
    Entry("POST", "/traces/{trace_id}/edit", _EDITOR),
    Entry("GET", "/traces/{trace_id}/delete", _OWN, "admin"),
    Entry("POST", "/traces/{trace_id}/delete", _OWN),
    Entry("POST", "/samples", _EDITOR),
    Entry("POST", "/traces", _EDITOR),
    # watching
    Entry("GET", "/live", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/live", _VIEWER, "admin"),
    Entry("GET", "/live/moves", _VIEWER, "admin"),
    # exports
    Entry("GET", "/traces/{trace_id}/sequence.svg", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/sequence.mmd", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/ticket.md", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/report.html", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/redacted.jsonl", _VIEWER, "read"),
    # playing back on the page
    Entry("GET", "/traces/{trace_id}/play", _VIEWER, "admin"),
    Entry("GET", "/s/{token}/play", _PUBLIC),
    # sharing, and what a link opens
    Entry("GET", "/traces/{trace_id}/share", _EDITOR, "admin"),
    Entry("POST", "/traces/{trace_id}/share", _EDITOR),
    Entry("POST", "/traces/{trace_id}/share/revoke-all", _EDITOR),
    Entry("POST", "/traces/{trace_id}/share/{share_id}/revoke", _EDITOR),
    Entry("GET", "/shares", _EDITOR, "admin"),
    Entry("POST", "/shares/revoke-all", _ADMIN),
    Entry("GET", "/s/{token}", _PUBLIC),
    Entry("GET", "/s/{token}/ready", _PUBLIC),
    Entry("GET", "/s/{token}/original", _PUBLIC),
    Entry("GET", "/s/{token}/exchanges.jsonl", _PUBLIC),
    Entry("GET", "/s/{token}/sequence.svg", _PUBLIC),
    Entry("GET", "/s/{token}/sequence.mmd", _PUBLIC),
    Entry("GET", "/s/{token}/report.html", _PUBLIC),
    Entry("GET", "/s/{token}/{tail}", _PUBLIC),
    # one text, one record
    Entry("GET", "/traces/{trace_id}/text/{item}", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/record/{seq}", _VIEWER, "read"),
    # reading and judging anew
    Entry("GET", "/traces/{trace_id}/reread", _EDITOR, "admin"),
    Entry("POST", "/traces/{trace_id}/reread", _EDITOR),
    Entry("POST", "/traces/{trace_id}/rejudge", _EDITOR),
    # the trace page and its panels
    Entry("GET", "/traces/{trace_id}", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/original", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/exchanges.jsonl", _VIEWER, "read"),
    Entry("GET", "/traces/{trace_id}/events", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/sequence", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/timeline", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/conversation", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/state", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/findings", _VIEWER, "admin"),
    Entry("GET", "/traces/{trace_id}/source", _VIEWER, "admin"),
    # rules: nothing of a trace is in them, and who reads a shared page is led there
    Entry("GET", "/rules", _PUBLIC),
    Entry("GET", "/rules/answers", _PUBLIC),
    Entry("GET", "/rules/{rule_id}", _PUBLIC),
    # passed on to a target and recorded; a pre-flight, which has no key, is answered without one: `proxy_cors.py`
    Entry(ANY, "/proxy/{rest:path}", _EDITOR, "push"),
)


def entry_of(method: str, path: str) -> Entry | None:
    """The line of a request, None when no route is meant. path: decoded, as the application matches it."""
    wanted = "GET" if method == "HEAD" else method
    return next(
        (entry for entry in TABLE if entry.method in (wanted, ANY) and entry.pattern.match(path)), None
    )


def need_of(method: str, path: str) -> Need | None:
    """What a request needs; None when there is no such route."""
    entry = entry_of(method, path)
    return None if entry is None else entry.need
