"""Facts of a window -> the ladder that is drawn: rungs, headings where another stream begins, ends, clocks.

Rules of this file: what stands where, and which stream's clock runs; words come from `ladder_words`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy.orm import Session

from webapp.core.records import DROPPED, SENT, SHOWN
from webapp.core.teams.exchanges import Exchange
from webapp.draw import layout
from webapp.draw.ladder_model import Clock, End, Entry, Head, Ladder, Rung
from webapp.redact import marked
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.page import PageContext
from webapp.views.teams import ladder_words as words
from webapp.views.teams.ladder_facts import Group, Stream, Window, on_screen

_UNTIMED = "No times were recorded, so the calls stand evenly; pace and the two minutes cannot be shown."
_ENDED = ("finished", "edited", "stopped", "expired")
_NAME = 200


def compose(session: Session, trace: Trace, page: PageContext, window: Window) -> Ladder:
    timed = any(group.at is not None for group in window.groups)
    ends = bool(window.groups) and window.groups[-1].last.seq >= page.last
    agent, chat = _who(window.groups)
    return Ladder(
        tuple(_entries(session, trace, page, window)),
        tuple(_clocks(window, ends)) if timed else (),
        page.event,
        agent,
        chat,
        "" if timed else _UNTIMED,
        ends,
    )


def _entries(session: Session, trace: Trace, page: PageContext, window: Window) -> Iterator[Entry]:
    several = trace.lane_count > 2  # the chat itself is one
    lane = 0
    for n, group in enumerate(window.groups):
        here = group.first.lane
        if here and here != lane and several:
            yield _heading(page, window.streams.get(here), here, group)
        lane = here or lane
        yield rung(group)
        last = n + 1 == len(window.groups) and group.last.seq >= page.last
        end = _end(session, trace, window.streams.get(here), group, last)
        if end is not None:
            yield end


def rung(group: Group) -> Rung:
    severity = None if group.finding is None else names.SEVERITY[group.finding.severity]
    at = "" if group.at is None else layout.since(group.at)
    return Rung(
        group.first.seq,
        group.last.seq,
        group.first.type or "other",
        words.label(group),
        words.number(group),
        group.first.reached,
        words.answers(group),
        words.missing(group),
        group.at,
        group.ended,
        words.bubble(group),
        words.reason(group),
        words.calm(group),
        severity,
        words.note(group),
        group.first.lane,
        group.apart,
        words.sentence(group, at),
    )


def _heading(page: PageContext, stream: Stream | None, ord_: int, group: Group) -> Head:
    name = page.lane_name(ord_)
    begins = stream is not None and stream.begin == group.first.seq
    tag = (
        ""
        if stream is None or stream.tag.startswith("#")
        else f", {layout.plain(names.clip(stream.tag, 40))}"
    )
    verb = "begins" if begins else "goes on"
    return Head(ord_, f"{name[:1].upper()}{name[1:]} {verb}{tag}", ord_ % names.LANE_COLOURS)


def _end(session: Session, trace: Trace, stream: Stream | None, group: Group, last: bool) -> End | None:
    """After a stream's last call, unless a final says it all; and where the recording ends."""
    if stream is None or stream.last > group.last.seq:
        return End("The recording ends here.", last=True) if last else None
    outcome = "open" if stream.run is None else stream.run.outcome
    if outcome in ("finished", "edited"):
        took = group.last.reached != SENT
        return End(words.ending(outcome, True, last, took=took), last=True) if last else None
    shown = on_screen(session, trace, stream.ord, stream.last)
    text = "" if shown is None else shown[1].text or ""
    opened = stream.since is not None or shown is not None
    bubble = words.left(outcome, text) if text else None
    return End(words.ending(outcome, opened, last), bubble, words.THEN.get(outcome, ""), last)


# ── clocks ───────────────────────────────────────────────────


def _clocks(window: Window, ends: bool) -> Iterator[Clock]:
    """One for each stream of the window whose start was answered at a known time."""
    for stream in window.streams.values():
        mine = [g for g in window.groups if g.first.lane == stream.ord and g.at is not None]
        if stream.since is None or not mine:
            continue
        outcome = "" if stream.run is None else stream.run.outcome
        here = stream.last <= mine[-1].last.seq
        over = next((g.at for g in mine if g.one is not None and g.one.key == "E403-TIME"), None)
        shut = over is not None or (here and (outcome in _ENDED or not ends))
        taken = [g.ended or g.at or 0.0 for g in mine if g.first.reached in SHOWN]
        closed = here and outcome in ("finished", "edited") and taken
        ended = max(taken) if closed else max([*taken, mine[-1].at or 0.0])
        ended = max(stream.since, ended if over is None else over)
        yield Clock(stream.ord, stream.since, ended, not shut, mine[0].first.seq > stream.begin, over)


def _who(groups: Sequence[Group]) -> tuple[str, str]:
    """The agent's name and the kind of chat, as the window's calls give them."""
    agent = chat = ""
    for group in groups:
        call = group.one
        if call is None or call.kind == "inbound":
            continue
        agent = agent or _text(call, "from", "name")
        chat = chat or _text(call, "conversation", "conversationType")
        if agent and chat:
            break
    return agent, {"groupChat": "group chat"}.get(chat, chat)


def _text(call: Exchange, member: str, name: str) -> str:
    value = call.body.get(member)
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, str) or marked(found) is not None:  # a name that was taken out is none
        return ""
    return layout.plain(names.clip(found, _NAME))


def drops(groups: Sequence[Group]) -> bool:
    """Whether a legend needs the sign of what was taken and then dropped."""
    return any(group.first.reached == DROPPED for group in groups)
