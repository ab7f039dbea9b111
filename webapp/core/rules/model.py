"""The shape of the rule catalogue.

Rules of this file: the row's fields and how rows are loaded; no rule's text. The texts are TOML files beside
it, one a family: `txt.toml`, `tol.toml` …, each with a `[family]` table and one table a rule. The families of
Microsoft Teams are `teams_*.toml`. A family's `order` puts AG-UI (1 to 99) before Teams (101 and on).
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import msgspec

from webapp.core.kinds import Party, ProtocolName, Severity

PROTOCOLS = ("ag-ui", "teams")
_TEAMS = "TEAMS-"


class Advice(NamedTuple):
    """cause: what usually lies behind a finding; fix: what the producer should send."""

    cause: str
    fix: str


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the catalogue.

    id:          `AGUI-TXT-02`, `TEAMS-018`, as in the specification's list; never reused
    family:      code of the family it is filed under, `TXT` or `TEAMS-CONTINUE`; the loader fills it in
    slug:        short name in words
    severity:    fatal | error | warning | info
    title:       one clause, what must hold or what is wrong
    explanation: one paragraph for a support engineer: what the user saw, why it happens
    cause, fix:  the usual cause; what to change
    stream:      a minimal stream (JSON lines) that breaks the rule; Teams: a recording in exchange lines
    spec:        AG-UI: `page#anchor` under the specification's version folder. Teams: the whole address of the
                 public page or issue it comes from, since no one text has all of its rules
    since:       protocol version that brought the rule. Teams streaming has no versions: always empty
    basis:       where the rule comes from. AG-UI: spec | client | observed.
                 Teams: documented | observed (in issues or SDK sources) | inferred (follows from others; no witness)
    party:       producer | application | service | capture
    shown:       finding | label (hint on another finding) | note (on its item) | quiet (never reported)
    """

    id: str
    family: str
    slug: str
    severity: Severity
    title: str
    explanation: str
    cause: str
    fix: str
    spec: str
    stream: str = ""
    since: str = "1.0"
    basis: str = "spec"
    party: Party = "producer"
    shown: str = "finding"

    @property
    def protocol(self) -> ProtocolName:
        """One of PROTOCOLS."""
        return _protocol(self.id)

    @property
    def spec_url(self) -> str:
        """The public page the rule comes from; empty when it stands on none."""
        if self.protocol == "teams" or not self.spec:
            return self.spec
        return f"https://docs.ag-ui.com/spec/{self.since}/{self.spec}"


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A group of rules: `TXT`, "Text messages", one sentence on what it guards."""

    code: str
    title: str
    about: str
    rules: tuple[Rule, ...] = ()

    @property
    def protocol(self) -> ProtocolName:
        """One of PROTOCOLS."""
        return _protocol(self.code)


def _protocol(id_: str) -> ProtocolName:
    return "teams" if id_.startswith(_TEAMS) else "ag-ui"


def _load(raw: dict[str, Any]) -> Family:
    head = raw.pop("family")
    every = {"family": head["code"], **({"since": ""} if _protocol(head["code"]) == "teams" else {})}
    rules = tuple(msgspec.convert({"id": rule_id, **every, **row}, Rule) for rule_id, row in raw.items())
    return Family(code=head["code"], title=head["title"], about=head["about"], rules=rules)


@cache
def families() -> tuple[Family, ...]:
    """All families in the order of their files' `order` key."""
    loaded: list[tuple[int, Family]] = []
    for entry in resources.files("webapp.core.rules").iterdir():
        if entry.name.endswith(".toml"):
            raw = tomllib.loads(entry.read_text(encoding="utf-8"))
            loaded.append((raw["family"].get("order", 99), _load(raw)))
    return tuple(family for _, family in sorted(loaded, key=lambda pair: (pair[0], pair[1].code)))


@cache
def catalogue() -> dict[str, Rule]:
    """Every rule by id."""
    return {rule.id: rule for family in families() for rule in family.rules}


@cache
def rules_of(protocol: str) -> tuple[Rule, ...]:
    """The rules of one protocol (one of PROTOCOLS), in the catalogue's order."""
    return tuple(rule for rule in catalogue().values() if rule.protocol == protocol)
