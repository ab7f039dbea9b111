"""History that is streamed again (RUN-17).

Rules of this file: it notes an opener whose message or call is held from before, and compares at the end; nothing is
done for a piece. Source: events/lifecycle#several-runs-on-one-stream.
"""

from __future__ import annotations

from webapp.core.agui import hazards
from webapp.core.agui.collisions import kind_of_role
from webapp.core.agui.texts import Text
from webapp.core.agui.world import World, quoted
from webapp.core.records import Item
from webapp.core.words import NOUNS


def opened(w: World, kind: str, id_: str) -> None:
    """The first opener of an id in this run, before the assembly follows."""
    held = _held(w, kind, id_)
    size = 0 if held is None else held.size()
    if size:
        w.facts.again[kind, id_] = (size, w.seq)


def ended(w: World, kind: str, item: Item) -> None:
    """Its end: has the text been said a second time?"""
    before, at = w.facts.again.pop((kind, item.id), (0, 0))
    held = _held(w, kind, item.id)
    if not before or held is None or held.size() <= before:
        return
    # what is new must be as long as the old, so that a long text is not read for each short piece that is added to it
    if held.size() < 2 * before or not (text := held.whole()).startswith(text[:before], before):
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
        cause=_cut(w, kind, item),
    )
    if finding is not None and kind == "tool":
        w.early["tool", item.id] = finding  # arguments that stand twice are no JSON


def _cut(w: World, kind: str, item: Item) -> str | None:
    """The nested start that cut the run which streamed it first."""
    before = w.past[kind].get(item.id)
    if w.nested is None or before is None or item.run is None or before.run != item.run - 1:
        return None
    return w.nested.key


def _held(w: World, kind: str, id_: str) -> Text | None:
    if kind == "tool":
        call = w.held.calls.get(id_)
        return None if call is None else call.arguments
    msg = w.held.by_id.get(id_)
    if msg is None or kind_of_role(msg.role) != ("reasoning" if kind == "reasoning" else "message"):
        return None
    return msg.content if isinstance(msg.content, Text) else Text(msg.text())
