"""What can be wrong with a chunk: the words of the CHK findings.

Rules of this file: findings only; the streams themselves are moved by `chunks.py`. Source: specification 3.5,
basic/patterns/streaming#the-first-chunk, #continuation-chunks.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import items
from webapp.core.agui.world import NOUNS, Stream, World, quoted, who
from webapp.core.records import Item


def first_without(w: World, kind: str, lane: str | None, rule: str, field: str, id_: Any) -> None:
    ended = w.ended_streams.get((lane, kind))
    noun = NOUNS[kind]
    if ended is not None and (id_ is None or ended[0].id == id_):
        item, at, by = ended
        w.find(
            rule,
            f"a chunk without `{field}`, after {items.named(kind, item.id, item)} had been closed",
            f"#{item.opened} opened {quoted(item.id)} as chunks. `{by}` at #{at} in the same lane ended the chunk "
            f"stream (the client adds the end there, #{at}a). The next chunk is then a first chunk again and must "
            f"carry `{field}`.",
            reason="stream-ended",
            label="AGUI-CHK-11",
            lane=lane,
            item=(kind, item.id),
            related=((item.opened if item.opened is not None else item.first, "opened"), (at, "closed_by")),
        )
        return
    w.find(
        rule,
        f"the first chunk of a {noun} carries no `{field}`",
        f"{who(lane)[:1].upper()}{who(lane)[1:]} has no open {noun} stream that this chunk could continue, so it opens "
        f"one, and an opener must name it. A client invents no id.",
        reason="never-opened",
        lane=lane,
        item=(kind, "" if id_ is None else id_),
    )


def check_repeats(w: World, kind: str, repeats: dict[str, str], ev: Any, stream: Stream) -> None:
    for name, rule in repeats.items():
        value = getattr(ev, name)
        if value is UNSET or not stream.named:
            continue
        held = stream.established.get(name, UNSET)
        effective = "assistant" if name == "role" and held is UNSET else held
        if value == effective:
            continue
        said = "none" if held is UNSET and name != "role" else quoted(effective)
        w.find(
            rule,
            f"a later chunk of {items.named(kind, stream.id, stream.item)} says `{name}` is {quoted(value)}, "
            f"the first said {said}",
            f"#{stream.opened} established it. A repeated value must be the same, and absence counts as a value.",
            reason="value-differs",
            lane=stream.tag,
            item=(kind, stream.id),
            path=name,
            related=((stream.opened, "opened"),),
        )


def after_owner(w: World, kind: str, item: Item, lane: str) -> None:
    """CHK-15: a chunk takes up an item that its subagent's end had closed."""
    owner = w.items["subagent"].get(lane)
    if (
        owner is not None
        and owner.state == "closed"
        and item.closed_by is not None
        and item.closed_by == owner.closed
    ):
        w.taken_up = w.seq
        w.find(
            "AGUI-CHK-15",
            f"a chunk takes up {items.named(kind, item.id, item)} again after its subagent has ended",
            f"The subagent’s end at #{owner.closed} had closed it.",
            reason="stream-ended",
            lane=lane,
            item=(kind, item.id),
            related=((owner.closed or owner.last, "closed_by"),),
        )
