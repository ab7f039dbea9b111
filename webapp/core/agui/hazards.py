"""Hazards seen while a message is written: streams that break no rule and still go wrong on screen.

Rules of this file: HAZ-02, HAZ-08 and HAZ-10, and when a hazard says nothing at all. A hazard is a suspicion: it names
what it saw, is never more than a warning, and gives way to a rule that has found the same. Nothing here runs for a
piece of a message: only for ends and run boundaries. Texts are remembered as hashes.
Source: what real frameworks were seen to send.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from msgspec import UNSET

from webapp.core.agui.world import World, quoted, who
from webapp.core.records import Item

SHORTEST = 40  # characters of a text that nobody says twice by chance
LONG = 200  # characters of a text that nobody says twice, whatever happens in between
LONGEST = 20_000  # longer texts are not compared
MAX_REMEMBERED = 2_000  # texts of one run
MAX_TWINS = 50  # equal texts of one run that are looked into
MAX_SCANNED = 1_000  # messages looked through for a later turn
SECONDS = range(
    10**9, 26 * 10**8
)  # seconds since 1970 of the years 2001 to 2052; as milliseconds, January 1970
YEAR = 31_556_952  # seconds
_BREAKS = ("tool", "result", "step", "subagent")


def silent(w: World) -> bool:
    """A rejected stream has its cause; of a run whose beginning is not recorded too little is known."""
    return w.ledger.rejected_at is not None or w.ledger.muted or w.facts.mid_run


def told(w: World, rules: tuple[str, ...], id_: str) -> bool:
    """Whether one of these rules has lately been found for the item."""
    return any(f.rule in rules and f.item is not None and f.item.id == id_ for f in w.ledger.findings[-200:])


def closed(w: World, item: Item) -> None:
    """HAZ-02: a message has ended whose text another message of this run has brought already."""
    if item.chars < SHORTEST or item.chars > LONGEST or item.reopened is not None or item.name != "assistant":
        return
    msg = w.held.by_id.get(item.id)
    said = w.facts.said
    if msg is None or silent(w) or msg.size() > LONGEST:  # an earlier run may have begun it
        return
    text = msg.text().strip()
    before = said.get((item.lane, hash(text)))
    if before is None:
        if len(said) < MAX_REMEMBERED:
            said[item.lane, hash(text)] = item
    elif w.facts.twins < MAX_TWINS:
        w.facts.twins += 1
        if before.gone is None and before is not item and (len(text) >= LONG or not _parted(w, before, item)):
            _twice(w, before, item, len(text))


def _parted(w: World, before: Item, item: Item) -> bool:
    """Whether work was done between the two: then a sentence may well be said again."""
    ords = range(before.ord + 1, item.ord)
    return any(other.ord in ords for kind in _BREAKS for other in w.items[kind].values())


def _twice(w: World, before: Item, item: Item, chars: int) -> None:
    w.find(
        "AGUI-HAZ-02",
        f"messages {quoted(before.id)} and {quoted(item.id)} bring the same text",
        f"#{before.first} and #{item.first} began them in this run, for {who(item.lane)}, and their {chars} characters "
        "are equal. Probably one answer is sent over two ways; a client shows it twice.",
        lane=item.lane,
        item=("text", item.id),
        related=((before.first, "previous"),),
    )


def used_again(w: World, kind: str, item: Item, before: int, at: int) -> None:
    """HAZ-10: text was added to a message of an earlier turn: the user has spoken since."""
    msg = w.held.by_id.get(item.id)
    if kind != "text" or msg is None or msg.role != "assistant" or silent(w):
        return
    asked = None
    for held in islice(w.held.newest(), MAX_SCANNED):
        if held is msg:
            break
        if held.role == "user":
            asked = held.id
    else:
        return
    if asked is None or told(w, ("AGUI-TXT-07", "AGUI-ENV-15"), item.id):
        return
    w.find(
        "AGUI-HAZ-10",
        f"message {quoted(item.id)} of an earlier turn is written to again",
        f"The application held {before} characters of it, and user message {quoted(asked)} stands behind it. What came "
        f"since #{at} is added to the old message, so it probably shows above the question it answers.",
        lane=item.lane,
        item=("text", item.id),
        related=((at, "opened"),),
    )


def boundary(w: World, timestamp: Any) -> None:
    """HAZ-08: the time of a run's start or end."""
    if timestamp is UNSET or timestamp not in SECONDS or silent(w):
        return
    w.find(
        "AGUI-HAZ-08",
        f"the event’s `timestamp` {int(timestamp)} looks like seconds",
        f"Read as milliseconds it is a time of January 1970, as seconds one of {1970 + int(timestamp) // YEAR}. Pages "
        "that show times probably show the wrong day.",
        path="seconds",
    )
