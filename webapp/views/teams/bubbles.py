"""What stands in the user's chat as of a record: one bubble a stream or message.

Rules of this file: *acknowledged* text is what the service took; *sent* text that it did not take is an attempt beside
it. Nothing is judged here: what was shown is what the index kept, how a stream ended is what its answers say. Bounded:
a few queries a bubble and `streams.BUDGET` characters of payloads for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from webapp.core.records import DELIVERED, DROPPED, LOST, REFUSED, SENT
from webapp.core.teams.exchanges import Exchange
from webapp.redact import marked
from webapp.storage import events, streams
from webapp.storage.models import ItemRow, Trace
from webapp.storage.streams import TEXTS, Act
from webapp.views.content import showable
from webapp.views.names import clip
from webapp.views.page import PageContext
from webapp.views.teams import calls, words

TAIL = 8  # newest exchanges of a stream that are looked at
ATTEMPTS = 2  # texts that were sent and not taken, the newest
TRIED = 3  # newest shown exchanges looked at for one that has a text


@dataclass(frozen=True, slots=True)
class Attempt:
    """Text that was sent and is not on screen. kind: `chunk 2`; how: `refused: …`, a clause; reached: of its call."""

    seq: int
    kind: str
    how: str
    text: str
    reached: int = REFUSED


@dataclass(frozen=True, slots=True)
class Bubble:
    """One bubble as of the moment.

    kind:   stream | message | user
    text:   as acknowledged, None = nothing; text_at: the exchange that put it there; long: it is too long to be shown
    status: the status line, while there is no text; status_at: its exchange
    state:  progress | complete | edited | stopped | expired | deleted | never | said (a plain message)
    at:     the exchange that brought the state, None while in progress
    sent:   no answer was recorded: what is shown is what was sent
    unknown: nothing is shown, and no answer says so: none was recorded, or none came
    outcome: of the whole recording, `words.OUTCOMES`; "" for a plain message
    """

    item: ItemRow
    kind: str
    state: str
    who: str = ""
    text: str | None = None
    text_at: int | None = None
    status: str = ""
    status_at: int | None = None
    at: int | None = None
    sent: bool = False
    unknown: bool = False
    long: bool = False
    outcome: str = ""
    attempts: tuple[Attempt, ...] = ()
    attempts_more: int = 0

    @property
    def shows(self) -> bool:
        """Whether the user saw anything of it."""
        return bool(self.text) or bool(self.status) or self.state in ("progress", "complete", "said")


@dataclass(slots=True)
class _Found:
    """What was looked up for one stream, before payloads are decoded. acts: newest first."""

    item: ItemRow
    acts: list[Act]
    texts: list[int]
    status: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)

    @property
    def refusals(self) -> list[Act]:
        """The newest exchanges that were answered with an error, or with nothing."""
        return [act for act in self.acts if act.reached in (REFUSED, DROPPED, LOST)]

    @property
    def missed(self) -> list[Act]:
        """Those with a text that is not on screen, newest first."""
        shown = self.texts[0] if self.texts else -1
        return [
            act
            for act in self.acts
            if act.seq > shown and act.type in (*TEXTS, "informative") and self._not(act)
        ]

    def _not(self, act: Act) -> bool:
        if act.reached == SENT:
            return act.type in ("streaming", "final") and act.seq not in self.texts and not self._same(act)
        return act.reached != DELIVERED

    def _same(self, act: Act) -> bool:
        return act.type == "final" and act.seq in self.done

    @property
    def wanted(self) -> set[int]:
        found = {act.seq for act in self.refusals[:4]} | {act.seq for act in self.missed[:ATTEMPTS]}
        return found | set(self.texts) | set(self.status) | set(self.done[:1])


def build(
    session: Session, trace: Trace, page: PageContext, rows: Sequence[ItemRow], upto: int
) -> list[Bubble]:
    """Bubbles of these items (streams and messages), in their order, as of record `upto`."""
    found = {row.ord: _look(session, trace, row, upto) for row in rows if row.lane}
    plain = [row for row in rows if not row.lane]
    lines = events.some(session, trace.pk, [row.first for row in plain])
    wanted = {row.first for row in plain}.union(*(each.wanted for each in found.values()))
    known = calls.load(session, trace.pk, wanted, page.event)
    outcomes = {run.ord: run.outcome for run in page.runs}
    out: list[Bubble] = []
    for row in rows:
        if row.lane:
            bubble = _stream(found[row.ord], known, trace)
            out.append(replace(bubble, outcome=outcomes.get(-1 if row.run is None else row.run, "")))
        else:
            line = lines.get(row.first)
            out.append(_message(row, known.get(row.first), SENT if line is None else line.reached))
    return out


def _look(session: Session, trace: Trace, row: ItemRow, upto: int) -> _Found:
    pk = trace.pk
    found = _Found(row, streams.tail(session, pk, row.lane, upto, TAIL), [])
    found.texts = streams.shown(session, pk, row.lane, upto, limit=TRIED)
    found.done = [a.seq for a in found.acts if a.type in ("final", "edit") and a.reached == DELIVERED]
    if not found.done:
        found.done = streams.shown(session, pk, row.lane, upto, ("final", "edit"))
    if not found.texts:
        found.status = streams.shown(session, pk, row.lane, upto, ("informative",))
        sent = [a.seq for a in found.acts if a.type == "informative" and a.reached == SENT]
        found.status = found.status or sent[:1]
    return found


def _stream(found: _Found, known: dict[int, Exchange], trace: Trace) -> Bubble:
    text_at = next((seq for seq in found.texts if seq not in known or known[seq].text is not None), None)
    ex = known.get(text_at) if text_at is not None else None
    status_at = found.status[0] if found.status else None
    status = known.get(status_at) if status_at is not None else None
    state, at = _state(found, known)
    missed = found.missed
    return Bubble(
        item=found.item,
        kind="stream",
        state=state,
        who=_sender(ex or status or next((known[a.seq] for a in found.acts if a.seq in known), None)),
        text=None if ex is None else ex.text,
        text_at=text_at,
        long=text_at is not None and ex is None,
        status="" if status is None else status.text or "",
        status_at=status_at,
        at=at,
        sent=bool(found.acts) and all(act.reached == SENT for act in found.acts),
        unknown=state == "never" and all(act.reached in (SENT, LOST) for act in found.acts),
        attempts=tuple(
            _attempt(act, known.get(act.seq), found.item.state == "abandoned") for act in missed[:ATTEMPTS]
        ),
        attempts_more=max(0, len(missed) - ATTEMPTS),
    )


def _state(found: _Found, known: dict[int, Exchange]) -> tuple[str, int | None]:
    """How far the stream has come, and the exchange that brought it there."""
    acts = found.acts
    gone = next((a for a in acts if a.type == "delete" and a.reached == DELIVERED), None)
    if gone is not None:
        return "deleted", gone.seq
    if found.done:
        seq = found.done[0]
        edited = any(a.seq == seq and a.type == "edit" for a in acts)
        edited = edited or (seq in known and known[seq].kind == "edit")
        return ("edited" if edited else "complete"), seq
    ended = {
        calls.ends(known.get(act.seq)): act.seq for act in found.refusals[:4]
    }  # the earliest of each wins
    for ends, state in (("stop", "stopped"), ("time", "expired"), ("done", "complete")):
        if ends in ended:
            return state, ended[ends]
    final = next((a for a in acts if a.type == "final" and a.reached == SENT), None)
    if final is not None and final not in found.missed:
        return "complete", final.seq
    if not found.texts and not found.status:
        # a start whose answer carries no text all the same opened a bubble
        return ("progress" if any(a.reached == DELIVERED for a in acts) else "never"), None
    return "progress", None


def _attempt(act: Act, ex: Exchange | None, abandoned: bool) -> Attempt:
    """abandoned: no call goes on with the stream's start, so whether it was taken is not told by what came later."""
    text = "" if ex is None else ex.text or ""
    told = "and the recording holds no answers" if abandoned and act.reached == SENT else how(act.reached, ex)
    return Attempt(act.seq, words.kind_of(act.type, ex), told, text, act.reached)


def how(reached: int, ex: Exchange | None) -> str:
    """Why a text is not on screen: a clause behind "sent in #5, "."""
    if reached == SENT:
        return "which Teams would refuse; the recording holds no answers"
    if reached == LOST:
        return "and no answer came"
    row = calls.answer_row(ex)
    word = "dropped" if reached == DROPPED else "refused"
    return f"{word}: {row.title}" if row is not None else word


def _message(row: ItemRow, ex: Exchange | None, reached: int) -> Bubble:
    text = None if ex is None else ex.text
    user = row.name == "user"
    seen = user or reached in (DELIVERED, SENT)
    missed = () if seen else (Attempt(row.first, "message", how(reached, ex), text or "", reached),)
    return Bubble(
        item=row,
        kind="user" if user else "message",
        state="said" if seen else "never",
        who=_sender(ex),
        text=text if seen else None,
        text_at=row.first,
        long=ex is None,
        sent=reached == SENT and not user,
        unknown=reached == LOST and not user,
        attempts=missed,
    )


def _sender(ex: Exchange | None) -> str:
    sender = ex.body.get("from") if ex is not None else None
    name = sender.get("name") if isinstance(sender, dict) else None
    return showable(clip(name, 60)) if isinstance(name, str) and marked(name) is None else ""
