"""The words of a sequence diagram: names of kinds, items, derived events and what the user saw.

Rules of this file: small pure functions from facts to short texts; no arrows, no geometry, no markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.draw import layout
from webapp.draw.sequence_model import Fact, ItemFact, Part

_KINDS = (
    ("TEXT_MESSAGE_", "text"),
    ("TOOL_CALL_", "tool"),
    ("REASONING_", "reason"),
    ("THINKING_", "reason"),
    ("STEP_", "step"),
    ("SUBAGENT_", "step"),
    ("STATE_", "state"),
    ("MESSAGES_", "state"),
    ("ACTIVITY_", "activity"),
)
OF_ITEM = {"text": "text", "tool": "tool", "reasoning": "reason", "span": "reason", "activity": "activity"}
FAMILY = {"text": "TEXT_MESSAGE", "tool": "TOOL_CALL", "reasoning": "REASONING_MESSAGE"}
GROWTH = {"tool": "ARGS"}
_DERIVED = {"end": "END", "closed": "END", "start": "START", "opened": "START"}


def kind_of(type_: str | None) -> str:
    """The kind that colours an event's arrow: text tool reason step state activity run."""
    for prefix, kind in _KINDS:
        if type_ is not None and type_.startswith(prefix):
            return kind
    return "run"


def verb(type_: str | None) -> str:
    """The last word of an event's name: `CHUNK`; whole names that are no family's stay (`RUN_STARTED`)."""
    if type_ is None:
        return "no type"
    for prefix, kind in _KINDS:
        if type_.startswith(prefix) and kind in ("text", "tool", "reason"):
            return layout.plain(type_.rsplit("_", 1)[1])
    return layout.plain(type_)


def item_words(item: ItemFact) -> str:
    """An item as people say it: `message 2`, `get_weather`, `reasoning 1`, `message 2 (removed)`."""
    return f"{_name(item)} (removed)" if item.away else _name(item)


def _name(item: ItemFact) -> str:
    if item.kind == "tool":
        return layout.isolate(layout.plain(item.name)) if item.name else f"call {item.number}"
    word = {"text": "message", "result": "result", "span": "reasoning span"}.get(item.kind, item.kind)
    return f"{word} {item.number}"


def derived_words(synth: Sequence[tuple[str, ItemFact]]) -> str:
    """What the expansion stage adds: `START · CONTENT`, `END ×2`."""
    words: list[list[str | int]] = []
    for change, item in synth:
        word = _DERIVED.get(change) or GROWTH.get(item.kind, "CONTENT")
        if words and words[-1][0] == word:
            words[-1][1] = int(words[-1][1]) + 1
        else:
            words.append([word, 1])
    return " · ".join(f"{w} ×{n}" if n != 1 else str(w) for w, n in words)


def pill(synth: Sequence[tuple[str, ItemFact]], cut: bool = False) -> str:
    """What the user saw of derived events; an item that appears matters more than one that ends."""
    seen = [(c, i) for c, i in synth if i.kind in ("text", "activity") and not i.away]
    for wanted in (("start", "opened"), ("end", "closed")):
        for change, item in seen:
            if change in wanted:
                done = "cut short" if cut else "complete"
                return f"{item_words(item)} {'appears' if wanted[0] == 'start' else done}"
    return grows(seen[0][1]) if seen else ""


def grows(item: ItemFact) -> str:
    """`message 2 grows`; what a snapshot has removed is not there to grow."""
    return f"{item_words(item)} grows" if item.kind == "text" and not item.away else ""


def grown(item: ItemFact) -> str:
    """What a burst did to any item, for those who hear it: `get_weather grows`, `message 2 (removed) does not grow`."""
    return f"{item_words(item)} {'does not grow' if item.away else 'grows'}"


def effect(fact: Fact) -> str:
    """What the user saw of an explicit event."""
    if fact.reached != 0:
        return ""
    if fact.type == "RUN_ERROR":
        return "error shown"
    if fact.type == "MESSAGES_SNAPSHOT":
        return "messages replaced"
    if fact.type in ("ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA") and fact.item is not None:
        return f"{item_words(fact.item)} {'appears' if fact.change == 'opened' else 'changes'}"
    if fact.item is None or fact.item.kind != "text" or fact.item.away or fact.synth:
        return ""
    return {
        "opened": f"{item_words(fact.item)} appears",
        "grew": grows(fact.item),
        "closed": f"{item_words(fact.item)} complete",
    }.get(fact.change or "", "")


def amount(part: Part) -> str:
    """`×184, 3.2 s, 1.1 kB`: how many deltas, how long, how much text."""
    words = [f"×{part.count:,}"]
    if part.seconds is not None:
        words.append(layout.duration(part.seconds))
    words.append(layout.size(part.size))
    return ", ".join(words)
