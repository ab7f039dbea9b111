"""What can be wrong with a chunk: the words of the CHK findings.

Rules of this file: findings only; the streams themselves are moved by `chunks.py`. Source: specification 3.5,
basic/patterns/streaming#the-first-chunk, #continuation-chunks.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from webapp.core.agui import explain, items
from webapp.core.agui.streams import Stream
from webapp.core.agui.world import World, named, quoted, who
from webapp.core.findings import Finding
from webapp.core.records import Item
from webapp.core.words import NOUNS, a_noun

RUN_ENDS = ("RUN_FINISHED", "RUN_ERROR")


def first_without(
    w: World, kind: str, lane: str | None, rule: str, field: str, id_: Any, before: Finding | None = None
) -> Finding | None:
    """A first chunk lacks what it needs; `before` is what was found about the chunk that it goes on with."""
    ended = _ended(w, kind, lane, id_)
    if ended is not None:
        return _continues_ended(w, kind, lane, rule, field, ended)
    opened = _open_explicitly(w, kind, lane, id_)
    if opened is not None:
        at = explain.last_opening(opened)
        found = w.find(
            rule,
            f"a chunk without `{field}`, while {named(kind, opened.id, opened)} is open in the explicit form",
            f"#{at} opened it with `{explain.STARTS[kind]}`. A chunk never continues an item opened that way, so this "
            f"is a first chunk and must carry `{field}`.",
            reason="mixed-spelling",
            label="AGUI-CHK-12",
            lane=lane,
            item=(kind, opened.id),
            related=((opened.first if at is None else at, "opened"),),
        )
        if found is not None and id_ is not None:
            w.mixed[kind, id_] = found
        return found
    last = w.ended_streams.get((lane, kind)) if id_ is None else None
    lost = w.lost.find("opener", kind, id_, -1 if last is None else last[1])
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
    if before is None and id_ is None and lane is not None:
        before = w.facts.misled.get((lane, kind))
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
        f"client makes none up.{_run_over(w)}",
        reason="never-opened",
        lane=lane,
        item=(kind, "" if id_ is None else id_),
        cause=None if before is None else before.key,
    )


def _ended(w: World, kind: str, lane: str | None, id_: Any) -> tuple[Item, int, str] | None:
    """The chunk stream that another event had ended before this chunk: its item, that event's record and type."""
    if id_ is None:
        last = w.ended_streams.get((lane, kind))
        return last if last is not None and last[0].opened is not None else None
    item = w.items[kind].get(id_)
    last = w.ended_streams.get((lane, kind))
    if item is None and last is not None and last[0].id == id_ and last[1] == w.run_opened:
        return last  # by a nested start, in the run that it cut
    if item is None or item.opened is None or item.closed_by is None or item.closed_by == w.seq:
        return None
    return item, item.closed_by, w.facts.chunked[kind, id_][1]


def _open_explicitly(w: World, kind: str, lane: str | None, id_: Any) -> Item | None:
    """The item an explicit start opened that the chunk is about: of its id, or without one the lane's first."""
    if id_ is not None:
        item = w.items[kind].get(id_)
        return item if item is not None and item.state == "open" and item.via == "explicit" else None
    return w.opened.in_lane(kind, lane)


def _run_over(w: World) -> str:
    """That no id would help: the run has ended."""
    if w.run_state not in ("closed", "failed") or w.run_ended is None:
        return ""
    at, by = w.run_ended
    return f" The run had ended as well, with `{by}` at #{at}: its pieces come before that."


def _continues_ended(
    w: World, kind: str, lane: str | None, rule: str, field: str, ended: tuple[Item, int, str]
) -> Finding | None:
    """CHK-11: to the agent it was no first chunk, but another event had ended the stream."""
    item, at, by = ended
    opened, _ = w.facts.chunked.get((kind, item.id), (explain.last_opening(item), None))
    over = w.run_state in ("closed", "failed") and by in RUN_ENDS
    finding = w.find(
        rule,
        f"a chunk without `{field}`, after {named(kind, item.id, item)} had been closed",
        f"#{opened} opened it in chunks, and `{by}` at #{at} ended the run and with it the chunk stream. A piece comes "
        "before the end of its run."
        if over
        else f"{explain.ended_in_chunks(opened, by, at)} The next chunk is then a first chunk again and must carry "
        f"`{field}`.{_run_over(w)}",
        reason=("run-failed" if by == "RUN_ERROR" else "run-ended") if over else "stream-ended",
        label="AGUI-CHK-11",
        lane=lane,
        item=(kind, item.id),
        related=((item.first if opened is None else opened, "opened"), (at, "closed_by")),
        cause=w.nested.key if w.nested is not None and at == w.run_opened else None,
    )
    if by in ("SUBAGENT_FINISHED", "SUBAGENT_ERROR"):
        w.taken_up = w.seq
        if finding is not None and lane is not None:
            w.facts.ended_early.setdefault(lane, finding)
    if kind == "tool":
        items.unspoilt(w, item.id, finding)
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
        f"a later chunk of {named(kind, stream.id, stream.item)} says `{name}` is {quoted(value)}, "
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
        shown = w.facts.ended_early.get(lane)
        finding = w.find(
            "AGUI-CHK-15",
            f"a chunk takes up {named(kind, item.id, item)} again after its subagent has ended",
            f"The subagent’s end at #{owner.closed} had closed it; the client opens it once more.",
            reason="stream-ended",
            lane=lane,
            item=(kind, item.id),
            related=((owner.closed or owner.last, "closed_by"),),
            cause=shown.key if shown is not None and shown.rule != "AGUI-CHK-15" else None,
        )
        if finding is not None:
            w.facts.ended_early.setdefault(lane, finding)
