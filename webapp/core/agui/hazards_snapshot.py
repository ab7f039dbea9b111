"""Hazards a `MESSAGES_SNAPSHOT` shows: what it lists against what was streamed.

Rules of this file: HAZ-01, HAZ-03 and HAZ-05. The reconciliation is done and its rules (MSG-03, MSG-04) have been
asked; what they have found is not said again. `before` are the messages held before the snapshot came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, takewhile

from webapp.core.agui.hazards import silent
from webapp.core.agui.messages import Msg
from webapp.core.agui.world import World, quoted, who
from webapp.core.records import Item
from webapp.core.words import NOUNS

SHORTEST = 20  # characters of a text that is compared letter by letter
LONGEST = 20_000
MAX_NEW = 200  # messages a snapshot may bring for its texts to be compared
MAX_TRIED = 500  # pairs of one run whose letters are counted
MAX_PAIRED = 30  # of these, for any two of them to be tried together


def compared(
    w: World, before: dict[str, Msg], removed: list[Msg], brought: list[Msg], known: set[str]
) -> None:
    """`known`: ids of the messages that MSG-04 has found under a new id."""
    if silent(w):
        return
    known = known | w.blanked.keys()
    ended = [item for item, _, _ in takewhile(lambda e: e[1] == w.seq, reversed(w.ended_streams.values()))]
    for item in reversed(ended):
        if item.kind == "text" and item.id in before and item.id not in known:
            _dropped(w, item, before[item.id].text(), brought)
    if brought and len(brought) <= MAX_NEW:
        known |= _mixed(w, before, removed, brought, known)
        _renamed(w, removed, brought, known)


def _dropped(w: World, item: Item, text: str, brought: list[Msg]) -> None:
    """HAZ-01: a chunk stream was open when the snapshot came, and its text is nowhere in it."""
    bare = text.strip()
    if not bare or item.id in w.held.by_id or any(bare in msg.text() for msg in brought[:MAX_NEW]):
        return
    w.find(
        "AGUI-HAZ-01",
        f"the snapshot drops message {quoted(item.id)} while it is streamed in chunks",
        f"#{item.opened if item.opened is not None else item.first} opened it and {len(text)} characters had come. "
        "The snapshot closes it and does not list it, and no new message has its text: it probably vanishes from the "
        "screen.",
        lane=item.lane,
        item=("text", item.id),
        related=((item.opened if item.opened is not None else item.first, "opened"),),
    )


def _mixed(
    w: World, before: dict[str, Msg], removed: list[Msg], brought: list[Msg], known: set[str]
) -> set[str]:
    """HAZ-03: what was streamed as one message comes back as two, letter for letter."""
    found: set[str] = set()
    new = [msg for msg in brought if msg.role == "assistant" and len(msg.text()) > 1]
    if not new:
        return found
    gone = {msg.id for msg in removed}
    items = w.items["text"]
    pairs = _Pairs(new)
    for item in sorted((items[id_] for id_ in before if id_ in items), key=lambda item: item.ord):
        if item.id in known or item.chars < SHORTEST or item.state == "open":
            continue
        text = before[item.id].text()
        if len(text) > LONGEST:
            continue
        letters: Counter[str] | None = None
        for one, other in pairs.of(None if item.id in gone else w.held.by_id.get(item.id), len(text)):
            w.facts.tried += 1
            if w.facts.tried > MAX_TRIED:
                return found
            if letters is None:
                letters = Counter(text)
            if Counter(one.text()) + Counter(other.text()) == letters:
                _tell_mixed(w, item, one, other)
                found.add(item.id)
                break
    return found


class _Pairs:
    """Two messages of the snapshot that are together as long as a streamed one; filed by length once a snapshot."""

    def __init__(self, new: list[Msg]) -> None:
        self._long: dict[int, list[Msg]] = {}
        self._together: dict[int, list[tuple[Msg, Msg]]] = {}
        for msg in new:
            self._long.setdefault(len(msg.text()), []).append(msg)
        for one, other in combinations(new[:MAX_PAIRED], 2):
            self._together.setdefault(len(one.text()) + len(other.text()), []).append((one, other))

    def of(self, kept: Msg | None, chars: int) -> Iterator[tuple[Msg, Msg]]:
        """`kept`: what the snapshot holds under the streamed id; None when it does not list it."""
        if kept is None:
            yield from self._together.get(chars, ())
        elif 0 < len(kept.text()) < chars:
            yield from ((kept, msg) for msg in self._long.get(chars - len(kept.text()), ()))


def _tell_mixed(w: World, item: Item, one: Msg, other: Msg) -> None:
    owners = "" if one.owner == other.owner else f" ({who(one.owner)} and {who(other.owner)})"
    w.find(
        "AGUI-HAZ-03",
        f"message {quoted(item.id)} seems to hold the pieces of two messages",
        f"Since #{item.first} {item.chars} characters came under this id. The snapshot lists {quoted(one.id)} and "
        f"{quoted(other.id)} instead{owners}, and their letters together are exactly those. Until the snapshot a "
        "reader saw two texts in one.",
        lane=item.lane,
        item=("text", item.id),
        related=((item.first, "opened"),),
    )


def _renamed(w: World, removed: list[Msg], brought: list[Msg], known: set[str]) -> None:
    """HAZ-05: a streamed message or result is gone, and what it held stands under another id."""
    answers = {msg.extra.get("toolCallId"): msg for msg in brought if msg.role == "tool"}
    callers = {call.id: msg for msg in brought for call in msg.calls or ()}
    texts = {
        (msg.role, " ".join(msg.text().split())): msg
        for msg in brought
        if SHORTEST <= len(msg.text()) <= LONGEST
    }
    results = {item.id: item for item in w.items["result"].values()} if answers else {}
    for msg in removed:
        if msg.id in known:
            continue
        if msg.role == "tool":
            item, new, what = (
                results.get(msg.id),
                answers.get(msg.extra.get("toolCallId")),
                "answers the same call",
            )
        else:
            item = w.items["text"].get(msg.id)
            new = next((callers[call.id] for call in msg.calls or () if call.id in callers), None)
            what = "holds the same call"
            if new is None and SHORTEST <= len(msg.text()) <= LONGEST:
                new, what = texts.get((msg.role, " ".join(msg.text().split()))), "has the same words"
        if item is None or new is None:
            continue
        w.find(
            "AGUI-HAZ-05",
            f"the snapshot lists {NOUNS[item.kind]} {quoted(msg.id)} under another id, {quoted(new.id)}",
            f"#{item.first} brought the first; the snapshot does not list it, and {quoted(new.id)} {what}. A client "
            "matches by id: it removes the one and appends the other at the end.",
            lane=item.lane,
            item=(item.kind, msg.id),
            related=((item.first, "opened"),),
        )
