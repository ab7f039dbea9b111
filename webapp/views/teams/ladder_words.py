"""The words of a ladder: what a call is, what was answered, what the chat shows, how a stream ends.

Rules of this file: pure; decoded exchanges and stored rows in, short plain texts out. No database, no geometry.
"""

from __future__ import annotations

from webapp.core.records import DROPPED, LOST, REFUSED, SENT, SHOWN
from webapp.core.teams.answers import error_of
from webapp.core.teams.compare import units
from webapp.core.teams.exchanges import Exchange
from webapp.core.teams.limits import too_soon
from webapp.draw import layout
from webapp.draw.ladder_model import Bubble, Ladder
from webapp.redact import marked
from webapp.storage.models import Trace
from webapp.views import names
from webapp.views.teams.calls import answer_row, blames, is_stop
from webapp.views.teams.ladder_facts import Group
from webapp.views.teams.words import ANSWERED, SPELT, kind_of

_FOLDED = {"streaming": "chunks", "informative": "status lines", "typing": "typing signs"}
_CODE = 60  # characters of an error code that are worth carrying to a label
_TEXT = 4_000  # characters of a text that a bubble may show some of


def label(group: Group) -> str:
    """`chunk 2, 36 characters`, `chunks 3–17, ×15, 22 s`, `typing sign`."""
    kind, ex = group.first.type or "", group.one
    if group.count > 1:
        return _folded(group)
    if kind == "":
        return "not an exchange"
    word = SPELT[kind] if kind in ("message", "edit") else kind_of(kind, ex)
    if kind == "other":
        return (
            f"{layout.plain(names.clip(ex.method, 10))} call" if ex is not None and ex.call else "an activity"
        )
    if kind == "inbound":
        return "the user writes"
    if kind in ("informative", "typing", "delete") or ex is None:
        return word
    if ex.text is None:
        return f"{word}, no text"
    taken_out = marked(ex.text)
    return f"{word}, {names.plural(units(ex.text) if taken_out is None else taken_out, 'character')}"


def _folded(group: Group) -> str:
    word = _FOLDED.get(group.first.type or "", "calls")
    one, last = _number(group.one), _number(group.final)
    name = f"{word} {one}–{last}" if one and last else word
    words = [name, f"×{group.count:,}"]
    if group.at is not None and group.ended is not None:
        words.append(layout.duration(max(0.0, group.ended - group.at)))
    return ", ".join(words)


def number(group: Group) -> str:
    """What stands in the disc: the sequence number of a status line or chunk."""
    if group.count > 1:
        return f"×{group.count}" if group.count < 1000 else "×…"
    kind = group.first.type
    return _number(group.one) if kind in ("informative", "streaming") else ""


def _number(ex: Exchange | None) -> str:
    return "" if ex is None or ex.number is None else names.clip(str(ex.number), 6)


# ── the answer ───────────────────────────────────────────────


def answers(group: Group) -> tuple[str, ...]:
    """Words of the answer, longest first; none where none was recorded."""
    ex, reached = group.one, group.first.reached
    if group.count > 1:
        status = None if group.final is None else group.final.status
        return () if reached == SENT or status is None else (f"each answered {status}",)
    if ex is None or ex.status is None or ex.answered in ("lost", "unknown"):
        return ()
    took = "" if ex.took is None else f", {layout.duration(ex.took)}"
    code = error_of(ex.answer)[0] if reached in (REFUSED, DROPPED) else None
    if code:
        shown = layout.plain(names.clip(code, _CODE))
        told = f"{ex.status}, but {shown}" if reached == DROPPED else f"{ex.status} {shown}"
        return (f"{told}{took}", told)
    if ex.issued and ex.stream_id is None and ex.streamed:
        told = f"{ex.status}, stream {_short(ex.issued)}"
        return (f"{told}{took}", told, str(ex.status))
    return (f"{ex.status}{took}", str(ex.status))


def _short(identifier: str) -> str:
    shown = layout.plain(identifier)
    return layout.isolate(shown if len(shown) <= 10 else f"{shown[:4]}…{shown[-4:]}")


def missing(group: Group) -> str:
    """What is said where an answer's arrow would be."""
    if group.first.type in (None, "inbound"):
        return ""
    if group.first.reached == LOST:
        return ANSWERED[LOST]
    return ANSWERED[SENT] if group.first.reached == SENT else ""


def reason(group: Group) -> str:
    """Why a call did not come through: the finding's words, else what the answer means."""
    ex, reached = group.one, group.first.reached
    if reached not in (REFUSED, DROPPED, LOST):
        return ""
    if reached == LOST:
        return note(group) or "lost, or taken without an answer: nobody knows"
    word = "dropped" if reached == DROPPED else "refused"
    row = answer_row(ex)
    finding = group.finding
    if finding is not None and finding.event != group.first.seq and row is not None:
        return f"{word}, as at #{finding.event}: {row.title}"
    told = note(group) if row is None or (finding is not None and finding.severity <= 2) else row.title
    return f"{word}: {told}" if told else word


def calm(group: Group) -> bool:
    """Whether a refusal is nobody's fault: the user pressed Stop, and no finding says more."""
    return is_stop(group.one) and not blames(group.finding)


def note(group: Group) -> str:
    """The worst finding's title, and how many more there are."""
    if group.finding is None:
        return ""
    title = layout.plain(group.finding.title.replace("`", ""))
    return f"{title} (+{group.more})" if group.more else title


# ── the chat ─────────────────────────────────────────────────


def bubble(group: Group) -> Bubble | None:
    """What appears in the chat once the call was taken."""
    kind, ex = group.first.type, group.final
    if group.first.reached not in SHOWN or ex is None:
        return None
    if kind == "typing":
        return Bubble("typing", "is typing…")
    text = ex.text or ""
    if kind == "informative":
        if group.finding is not None and group.finding.rule == "TEAMS-022":
            return None  # taken, and not shown: text had begun
        return Bubble("status", text[:_TEXT], "status line")
    if kind == "streaming":
        return Bubble("text", text[-_TEXT:])
    if kind in ("final", "edit"):
        cards = "" if text else _cards(ex)
        return Bubble(kind, text[-_TEXT:] or cards, "complete" if kind == "final" else "edited, complete")
    if kind == "message":
        return Bubble("message", text[:_TEXT] or _cards(ex), "a message of its own")
    return Bubble("user", text[:_TEXT] or _cards(ex), "from the user") if kind == "inbound" else None


def _cards(ex: Exchange) -> str:
    attached = ex.body.get("attachments")
    count = len(attached) if isinstance(attached, list) else 0
    return f"({names.plural(count, 'attachment')}, no text)" if count else "(no text)"


# ── ends ─────────────────────────────────────────────────────

_ENDS = {
    "finished": "The reply is complete.",
    "edited": "Completed by a plain edit.",
    "stopped": "Stopped by the user.",
    "expired": "The time was up before a final came.",
    "refused": "No final, no further chunk.",
    "unclosed": "Never closed: no final, no further chunk.",
    "open": "No final, no further chunk.",
}
_LEFT = {
    "stopped": "stopped by the user",
    "expired": "left as it was: time was up",
    "refused": "still “in progress”",
    "unclosed": "still “in progress”",
    "open": "still “in progress”",
}

THEN = {"refused": "then marked stopped", "unclosed": "then marked stopped"}


def ending(outcome: str, opened: bool, last: bool, *, took: bool = True) -> str:
    """What is said after a stream's last call. opened: there is a bubble; last: the recording ends here too.

    took: an answer shows that Teams took the call; only of a reply that came to its end.
    """
    told = _ENDS.get(outcome, "")
    if not took:
        told = "Complete, if Teams took it."
    if outcome in ("refused", "open", "unclosed") and not opened:
        told = "No stream was opened, so nothing was shown."
    return f"The recording ends here. {told}".strip() if last else told


def left(outcome: str, text: str) -> Bubble:
    """What the bubble of a stream holds that did not come to its end."""
    alarm = outcome in ("expired", "refused", "unclosed")
    return Bubble("text", text[-_TEXT:], _LEFT.get(outcome, ""), alarm)


def sentence(group: Group, at: str) -> str:
    """The rung for those who hear it."""
    first, last = group.first, group.last
    place = f"#{first.seq} to #{last.seq}" if group.count > 1 else f"#{first.seq}"
    words = [f"{place} {label(group)}"]
    if at:
        words.append(f"at {at}")
    told = answers(group)
    words.append(f"answered {told[0]}" if told and group.count == 1 else told[0] if told else missing(group))
    if group.apart is not None and too_soon(group.apart):
        words.append(f"{layout.duration(group.apart)} after the call before it, too soon")
    why = reason(group)
    if why:
        words.append(why)
    elif group.finding is not None:
        words.append(f"{names.SEVERITY_WORD[names.SEVERITY[group.finding.severity]].lower()}: {note(group)}")
    shown = bubble(group)
    if shown is not None and shown.text:
        words.append(f"the chat shows {layout.quote(shown.text[-90:], 400)}")
    return ", ".join(word for word in words if word)


def summary(ladder: Ladder, trace: Trace) -> str:
    """The picture in one sentence, for those who do not see it and for the file's first line."""
    name, rungs = layout.plain(trace.name), ladder.rungs
    if not rungs:
        return f"Ladder of {name}: no exchanges."
    span = layout.numbers(rungs[0].first, rungs[-1].last)
    told = [f"Ladder of {name}, {span} of {names.plural(trace.events, 'exchange')}"]
    told.append("the agent, the Teams service and the user’s chat")
    refused = [f"#{rung.first}" for rung in rungs if rung.reached == REFUSED]
    if refused:
        more = f" and {len(refused) - 5} more" if len(refused) > 5 else ""
        told.append(f"refused: {', '.join(refused[:5])}{more}")
    return "; ".join(told) + "."
