"""History that is streamed again (RUN-17).

Rules of this file: it notes an opener whose message or call is held from before, and compares at the end; nothing is
done for a piece. Source: events/lifecycle#several-runs-on-one-stream.
"""

from __future__ import annotations

from webapp.core.agui import hazards
from webapp.core.agui.world import NOUNS, World, quoted
from webapp.core.records import Item


def opened(w: World, kind: str, id_: str) -> None:
    """The first opener of an id in this run, before the assembly follows."""
    text = _held(w, kind, id_)
    if text:
        w.facts.again[kind, id_] = (len(text), w.seq)


def ended(w: World, kind: str, item: Item) -> None:
    """Its end: has the text been said a second time?"""
    before, at = w.facts.again.pop((kind, item.id), (0, 0))
    text = _held(w, kind, item.id)
    old, new = text[:before], text[before:]
    if not old or not new:
        return
    if not new.startswith(old):
        hazards.used_again(w, kind, item, before, at)
        return
    finding = w.find(
        "AGUI-RUN-17",
        f"{NOUNS[kind]} {quoted(item.id)} is streamed again, although the application already holds it",
        f"Since #{at} its {'arguments have' if kind == 'tool' else 'text has'} come a second time, and a client "
        "appends what comes: it shows twice. What is held already is restated by a snapshot.",
        lane=item.lane,
        item=(kind, item.id),
        related=((at, "opened"),),
    )
    if finding is not None and kind == "tool":
        w.early["tool", item.id] = finding  # arguments that stand twice are no JSON


def _held(w: World, kind: str, id_: str) -> str:
    if kind == "tool":
        call = w.held.calls.get(id_)
        return "" if call is None else call.arguments.whole()
    msg = w.held.by_id.get(id_)
    return "" if msg is None or msg.role in ("activity", "tool") else msg.text()
