"""The rule catalogue: `catalogue()` by id, `families()` in order."""

from webapp.core.rules.model import Family, Rule, catalogue, families

__all__ = ["Family", "Rule", "catalogue", "families"]
