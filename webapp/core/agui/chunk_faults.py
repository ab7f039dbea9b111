"""What can be wrong with a chunk: the words of the CHK findings.

Rules of this file: findings only; the streams themselves are moved by `chunks.py`. Source: specification 3.5,
basic/patterns/streaming#the-first-chunk, #continuation-chunks.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core import explain
from webapp.core.agui import items
from webapp.core.agui.streams import Stream
from webapp.core.agui.world import NOUNS, World, quoted, who
from webapp.core.findings import Finding
from webapp.core.records import Item
from webapp.core.words import a_noun


def first_without(w: World, kind: str, lane: str | None, rule: str, field: str, id_: Any) -> Finding | None:
    ended = w.ended_streams.get((lane, kind))
    if ended is not None and ended[0].opened is not None and (id_ is None or ended[0].id == id_):
        return _continues_ended(w, kind, lane, rule, field, ended)
    opened = next(
        (i for i in w.items[kind].values() if i.state == "open" and i.lane == lane and i.via == "explicit"),
        None,
    )
    if opened is not None and id_ is None:
        at = explain.last_opening(opened)
        return w.find(
            rule,
            f"a chunk without `{field}`, while {items.named(kind, opened.id, opened)} is open in the explicit form",
            f"#{at} opened it with `{explain.STARTS[kind]}`. A chunk never continues an item opened that way, so this "
            f"is a first chunk and must carry `{field}`.",
            reason="mixed-spelling",
            label="AGUI-CHK-12",
            lane=lane,
            item=(kind, opened.id),
            related=((opened.first if at is None else at, "opened"),),
        )
    lost = w.lost.find("opener", kind, id_, -1 if ended is None else ended[1])
    if lost is not None and lost.seq != w.seq:
        return w.find(
            rule,
            f"a chunk of {a_noun(kind)} carries no `{field}`",
            f"The chunk at #{lost.seq} may have named it, but {lost.what}.",
            reason="opener-lost",
            lane=lane,
            item=(kind, "" if id_ is None else id_),
            related=((lost.seq, "expected"),),
            cause=lost.finding.key,
        )
    if w.unseen(rule):
        return None
    subject = "the parent agent" if lane is None else who(lane)
    what = (
        f"no {NOUNS[kind]} that this chunk could continue"
        if id_ is None
        else f"no chunks of {quoted(id_)} at this point"
    )
    return w.find(
        rule,
        f"the first chunk of {a_noun(kind)} carries no `{field}`",
        f"{subject[:1].upper()}{subject[1:]} is streaming {what}, so this is a first chunk and must carry `{field}`. A "
        "client makes none up.",
        reason="never-opened",
        lane=lane,
        item=(kind, "" if id_ is None else id_),
    )


def _continues_ended(
    w: World, kind: str, lane: str | None, rule: str, field: str, ended: tuple[Item, int, str]
) -> Finding | None:
    """CHK-11: to the agent it was no first chunk, but another event had ended the stream."""
    item, at, by = ended
    opened = explain.last_opening(item)
    finding = w.find(
        rule,
        f"a chunk without `{field}`, after {items.named(kind, item.id, item)} had been closed",
        f"{explain.ended_in_chunks(opened, by, at)} The next chunk is then a first chunk again and must carry "
        f"`{field}`.",
        reason="stream-ended",
        label="AGUI-CHK-11",
        lane=lane,
        item=(kind, item.id),
        related=((item.first if opened is None else opened, "opened"), (at, "closed_by")),
    )
    if by in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR"):
        w.taken_up = w.seq
    spoilt = w.spoilt.pop(item.id, None) if kind == "tool" else None
    if spoilt is not None and finding is not None:
        w.ledger.amend(spoilt, cause=finding.key)
    return finding


def check_repeat(w: World, kind: str, name: str, rule: str, ev: Any, stream: Stream) -> None:
    """A later chunk names `name` again: it must be what the first said, and absence counts."""
    if not stream.named:
        return
    value = getattr(ev, name)
    held = stream.established.get(name, UNSET)
    effective = "assistant" if name == "role" and held is UNSET else held
    if value == effective:
        return
    said, more = "gave none", " What the first chunk leaves out is settled as well."
    if held is not UNSET:
        said, more = f"said {quoted(effective)}", ""
    elif name == "role":
        said = "gave none, which means `assistant`"
    w.find(
        rule,
        f"a later chunk of {items.named(kind, stream.id, stream.item)} says `{name}` is {quoted(value)}, "
        f"but the first {said}",
        f"#{stream.opened} is the first chunk, and a later one repeats its value or leaves it out.{more}",
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
            f"The subagent’s end at #{owner.closed} had closed it; the client opens it once more.",
            reason="stream-ended",
            lane=lane,
            item=(kind, item.id),
            related=((owner.closed or owner.last, "closed_by"),),
        )
