"""Who an item belongs to: what an opener records, and what continuations must agree with.

Rules of this file: owners and the findings about their tags (TXT-05, TXT-06, TOL-05, TOL-06, TOL-07, RSN-08); states
are `items.py`'s. Source: events/subagents#ownership, events/tool-calls#tool_call_start.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import explain, untagged
from webapp.core.agui.world import BUCKETS, UNKNOWN, World, named, quoted, who
from webapp.core.records import Item
from webapp.core.words import NOUNS

OWNER_RULE = {"text": "AGUI-TXT-05", "tool": "AGUI-TOL-05", "reasoning": "AGUI-RSN-08", "span": "AGUI-RSN-08"}
_TWIN = {"reasoning": "span", "span": "reasoning"}  # the two share their owner


def lane_of(tag: Any) -> str | None:
    return None if tag is UNSET else tag


def agree(w: World, kind: str, item: Item, tag: Any, what: str) -> None:
    """A tagged continuation must name the recorded owner; an untagged one always agrees."""
    item.owner = w.owners.get((BUCKETS[kind], item.id), item.owner)
    if tag == item.owner:
        return
    why = _differs(w, item, tag)
    w.find(
        OWNER_RULE[kind],
        f"{what} for {named(kind, item.id, item)} tagged as {who(lane_of(tag))}, but it belongs to {who(item.owner)}",
        why.text,
        reason=why.reason,
        related=why.related,
        cause=why.cause or untagged.cause(w, item.id, tag),
        lane=lane_of(tag),
        item=(kind, item.id),
    )


def claim(w: World, kind: str, id_: str, item: Item | None, tag: Any, parent: Any) -> str | None:
    """The owner an opener records (the first of the run stands); the checks an opener's tag must pass."""
    key = (BUCKETS[kind], id_)
    recorded: Any = w.owners.get(key, UNKNOWN)
    inherited: Any = UNKNOWN
    if kind == "tool" and parent is not UNSET:
        inherited = w.owners.get(("message", parent), UNKNOWN)
        if tag is not UNSET and inherited is not UNKNOWN and inherited != tag:
            w.find(
                "AGUI-TOL-06",
                f"{named(kind, id_)} is tagged as {who(tag)}, but its parent message {quoted(parent)} "
                f"belongs to {who(inherited)}",
                "A call belongs to the message that makes it, so it carries that message’s tag or none.",
                reason="owner-differs",
                lane=tag,
                item=(kind, id_),
                related=_opening(w, parent),
                cause=untagged.cause(w, parent, tag),
            )
            w.owners[key] = tag
            return str(tag)
    claimed = tag if tag is not UNSET else inherited
    if recorded is UNKNOWN:
        recorded = w.owners[key] = None if claimed is UNKNOWN else claimed
    elif claimed is not UNKNOWN and claimed != recorded:
        rule = {"text": "AGUI-TXT-06", "tool": "AGUI-TOL-07"}.get(kind, "AGUI-RSN-08")
        title, why = _taken(w, kind, id_, item, claimed, recorded)
        w.find(rule, title, why.text, reason=why.reason, severity="fatal", lane=claimed, item=(kind, id_),
               related=why.related, cause=why.cause or untagged.cause(w, id_, claimed))  # fmt: skip
        recorded = w.owners[key] = claimed
        w.facts.reowned.pop(key, None)
    owner: str | None = recorded
    if item is not None:
        item.owner = owner
    return owner


def _taken(
    w: World, kind: str, id_: str, item: Item | None, tag: Any, recorded: Any
) -> tuple[str, explain.Why]:
    """An opener under another owner than the one that is recorded for its id: title and reason."""
    own = item if item is not None and item.opened is not None else None
    again = "" if own is None else "again "
    title = f"{named(kind, id_, item)} is opened {again}for {who(tag)}, but it belongs to {who(recorded)}"
    if (BUCKETS[kind], id_) in w.facts.reowned:
        return title, _moved(w, (BUCKETS[kind], id_), own, tag)
    twin = w.items[_TWIN[kind]].get(id_) if own is None and kind in _TWIN else None
    if twin is not None and twin.opened is not None:
        other = NOUNS[twin.kind]
        title = f"{named(kind, id_)} is opened for {who(tag)}, but the {other} of its id belongs to {who(recorded)}"
        text = f"#{twin.opened} opened the {other}. Clients keep one owner for a span and a message that share an id."
        return title, explain.Why("owner-differs", text, ((twin.opened, "opened"),))
    text = "Within a run an id stays with its first owner. Another author needs an id of its own."
    places = () if own is None or own.opened is None else ((own.opened, "opened"),)
    return title, explain.Why("owner-differs", text, places)


def _opening(w: World, id_: str) -> tuple[tuple[int, str], ...]:
    item = w.items["text"].get(id_)
    return () if item is None or item.opened is None else ((item.opened, "opened"),)


def _differs(w: World, item: Item, tag: Any) -> explain.Why:
    """A tag that is not the opener's, or not the one a snapshot has put in its place."""
    if (BUCKETS[item.kind], item.id) in w.facts.reowned:
        return _moved(w, (BUCKETS[item.kind], item.id), item, tag)
    opened = item.opened if item.opened is not None else item.first
    return explain.Why(
        "owner-differs",
        f"#{opened} opened it. An event that goes on with it names its owner or carries no tag.",
        ((opened, "opened"),),
    )


def _moved(w: World, key: tuple[str, str], item: Item | None, tag: Any) -> explain.Why:
    """A tag that is not the owner a snapshot has given the id: with that of the owner before, the snapshot's doing.

    item: where this run opened it
    """
    at, before, found = w.facts.reowned[key]
    opened = None if item is None else item.opened if item.opened is not None else item.first
    began = "" if opened is None else f"#{opened} opened it, and "
    text = f"{began}the message snapshot at #{at} has given it to its present owner. "
    return explain.Why(
        "owner-differs",
        f"{text[0].upper()}{text[1:]}An event that goes on with it names that owner or carries no tag.",
        (*(() if opened is None else ((opened, "opened"),)), (at, "previous")),
        cause=found.key if found is not None and tag == before else None,
    )
