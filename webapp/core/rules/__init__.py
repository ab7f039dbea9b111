"""The rule catalogue: `catalogue()` by id, `families()` in order, `rules_of(protocol)`."""

from webapp.core.rules.model import PROTOCOLS, Advice, Family, Rule, catalogue, families, rules_of

__all__ = ["PROTOCOLS", "Advice", "Family", "Rule", "catalogue", "families", "rules_of"]
