"""The shape of the rule catalogue.

Rules of this file: the row's fields and how rows are loaded; no rule's text. The texts are TOML files beside
it, one a family: `txt.toml`, `tol.toml` …, each with a `[family]` table and one table a rule.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

import msgspec


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the catalogue.

    id:          `AGUI-TXT-02`, as in the specification's list; never reused
    slug:        short name in words
    severity:    fatal | error | warning | info
    title:       one clause, what must hold or what is wrong
    explanation: one paragraph for a support engineer: what the user saw, why it happens
    cause, fix:  the usual cause; what to change
    stream:      a minimal stream (JSON lines) that breaks the rule
    spec:        `page#anchor` under the specification's version folder
    since:       protocol version that brought the rule
    basis:       spec | client | observed: where the rule comes from
    party:       producer | application | service | capture
    shown:       finding | label (hint on another finding) | note (on its item) | quiet (never reported)
    """

    id: str
    slug: str
    severity: str
    title: str
    explanation: str
    cause: str
    fix: str
    spec: str
    stream: str = ""
    since: str = "1.0"
    basis: str = "spec"
    party: str = "producer"
    shown: str = "finding"

    @property
    def family(self) -> str:
        return self.id.split("-")[1]

    @property
    def spec_url(self) -> str:
        """Where the rule stands in the published specification; empty when it stands nowhere."""
        return f"https://docs.ag-ui.com/spec/{self.since}/{self.spec}" if self.spec else ""


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A group of rules: `TXT`, "Text messages", one sentence on what it guards."""

    code: str
    title: str
    about: str
    rules: tuple[Rule, ...] = ()


def _load(raw: dict[str, Any]) -> Family:
    head = raw.pop("family")
    rules = tuple(msgspec.convert({"id": rule_id, **row}, Rule) for rule_id, row in raw.items())
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
