"""Whole messages that came before what they are about: a result before its call, a patch before its activity.

Rules of this file: it remembers the findings TOL-11, ENC-01 and ACT-01 of the run at hand and amends them when the
opener comes after all. What is only a suspicion, since the request is not recorded, stays one: an id of the earlier
conversation may be opened again.
"""

from __future__ import annotations

from webapp.core.agui.lost import Lost
from webapp.core.agui.world import World
from webapp.core.findings import Finding

_AS = {"reasoning": "text"}  # an encrypted value names a message, whatever its role


def missed(w: World, kind: str, id_: str, finding: Finding | None) -> None:
    """`finding` is about something for an item that nothing has opened yet."""
    if finding is not None and finding.cause is None and (kind, id_) not in w.facts.awaited:
        w.facts.awaited[kind, id_] = finding
        w.facts.awaiting[finding.key] += 1


def opened(w: World, kind: str, id_: str) -> None:
    """An opener: was it missed? Asked only while something is."""
    finding = w.facts.awaited.pop((_AS.get(kind, kind), id_), None)
    if finding is None:
        return
    w.facts.awaiting[finding.key] -= 1
    if w.facts.awaiting[finding.key] or finding.event < w.run_opened:
        w.ledger.amend(finding, place=(w.seq, "later"))  # merged with others that nothing has opened
        return
    are = "may be" if finding.severity == "info" else "are"
    w.ledger.amend(
        finding,
        reason="opens-later",
        why=f"Its `{w.type}` comes only at #{w.seq}, so the events {are} out of order. {_client(finding)}".rstrip(),
        place=(w.seq, "later"),
    )


def _client(finding: Finding) -> str:
    """What a client has done with it by then."""
    return {
        "AGUI-TOL-11": "A client has put the result at the end of the conversation by then.",
        "AGUI-ENC-01": "A client has dropped the value by then.",
        "AGUI-ACT-01": "A client has skipped the patch by then.",
    }.get(finding.rule, "")


def lost_why(lost: Lost) -> str:
    """The sentence when the opener was sent, and a client did not get it."""
    return f"#{lost.seq} should have opened it, but {lost.what}."
