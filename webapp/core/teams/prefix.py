"""TEAMS-020: each text begins with all the text that is on screen.

Rules of this file: one comparison and its sentences, for chunks and the final alike; `compare` says how two texts
differ. Source: specification 1.7 (`C`), 2.3 and 2.8 ("020 (d)", "Prefix and size in UTF-16 code units").
"""

from __future__ import annotations

from webapp.core.teams.compare import Difference, difference, from_unit, unit_at
from webapp.core.teams.phrases import answered, code, name_of, quote, tail
from webapp.core.teams.world import Call, Stream, World

RULE = "TEAMS-020"
REFUSED = "E403-PREFIX"
# Other refusals have another reason, which keeps the service from comparing; 400 was reported for a changed final.
_JUDGED = frozenset({REFUSED, "E400-REQ", "E-OTHER"})


def look(world: World, call: Call) -> None:
    """Judge the text of a chunk or final; the caller leaves out what breaks a rule of its own."""
    stream, ex = call.stream, call.ex
    if stream is None or stream.redacted or not call.chat.teams or not ex.text:
        return
    if call.foreign and stream.first != call.seq:
        return  # another id than the stream's: its text is compared with nothing here
    refused = ex.key == REFUSED
    before = stream.text_call
    if before is None or before.ex.kind == "edit":
        if refused:
            _unseen(world, call)
        return
    if not _judged(call) or (call.repeats is not None and _judged(call.repeats)) or _overtaken(call, before):
        return
    found = difference(stream.text, ex.text)
    if found.kind is None:
        if refused:
            _unseen(world, call)
        return
    if found.kind == "stale" and "TEAMS-018" in call.told and not refused:
        return  # it was overtaken, and the number tells so
    warned = found.kind == "moved" and not refused
    if not warned:
        stream.prefix_break = call
    world.tell(
        RULE,
        call,
        f"{name_of(call)} does not begin with the text already on screen",
        _where(stream, before, ex.text, found) + " " + _how(stream.text, ex.text, found) + answered(call),
        severity="warning" if warned else None,
        reason=found.kind,
        related=[(before.seq, "previous")],
    )


def _judged(call: Call) -> bool:
    ex = call.ex
    return ex.answered in ("ok", "unknown") or (
        ex.answered != "lost" and ex.key in _JUDGED and ex.status in (400, 403)
    )


def _overtaken(call: Call, before: Call) -> bool:
    """It was sent before the call whose text is on screen, and only recorded after it."""
    return call.at is not None and before.at is not None and call.at < before.at


def _where(stream: Stream, before: Call, text: str, found: Difference) -> str:
    """The first difference, as the prefix diff shows it."""
    shown = quote(unit_at(stream.text, found.at))
    sent = (
        f"{quote(unit_at(text, found.at))} was sent"
        if found.at < found.new_units
        else "nothing was sent there"
    )
    return (
        f"Compared with the text on screen since #{before.seq}: first difference at character {found.at + 1:,}: "
        f"{shown} is on screen, {sent}; {found.agree:,} of {found.old_units:,} characters agree."
    )


def _how(old: str, new: str, found: Difference) -> str:
    """What kind of difference it is."""
    if found.kind == "delta":
        return f"{quote(new)} reads on from {tail(old)}: only the next piece was sent, not the whole text so far."
    if found.kind == "normalised":
        return "The texts are the same but for white space, escapes or markup."
    if found.kind == "stale":
        return f"It is an older state of the text, {found.old_units - found.new_units:,} characters shorter."
    if found.kind == "moved":
        return f"The whole of it stands further on, after {quote(new[: new.find(old)])}."
    if found.kind == "rewritten":
        start = max(old.rfind(sign, 0, len(old)) for sign in "[【")
        mark = old[start:]
        if "]" not in mark and "】" not in mark:
            return (
                f"The text on screen ends inside the citation mark {code(mark)}, and the mark was rewritten "
                f"afterwards: {quote(from_unit(new, found.at - 1))} was sent in its place."
            )
        return "A citation mark that is already on screen was rewritten."
    return "What is on screen was changed or left out."


def _unseen(world: World, call: Call) -> None:
    """The service says so, and the recording does not show how."""
    stream = call.stream
    known = stream is not None and stream.text_call is not None
    world.tell(
        RULE,
        call,
        f"{name_of(call)} does not begin with the text already on screen, says the service",
        (
            "The recorded texts do extend each other."
            if known
            else "The recording does not hold the earlier text."
        )
        + answered(call),
    )
