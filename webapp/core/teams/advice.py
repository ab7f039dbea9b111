"""What to look for and what to change in a Teams stream, narrowed by what the trace shows.

Rules of this file: words only. One rule of Teams has reasons: how a text fails to begin with the one before it.
"""

from __future__ import annotations

from webapp.core.rules import Advice

_PREFIX = "TEAMS-020"
_PREFIX_ADVICE = {
    "delta": Advice(
        "The model’s pieces are sent on as they come, while Teams wants the whole text every time.",
        "Append each piece to what was sent before, and send the sum as `text`.",
    ),
    "normalised": Advice(
        "The text is trimmed, its white space folded or its signs escaped in one place and not in another.",
        "Prepare the text in one place before the first chunk, the same way for every chunk and the end.",
    ),
    "stale": Advice(
        "An older text was sent after a newer one: two senders run side by side, or a repeat kept its old text.",
        "Send through one queue, take the text at the moment of sending, and drop what a newer chunk replaces.",
    ),
    "moved": Advice(
        "Something was put in front of the text that is already on screen, such as a heading or a notice.",
        "Add new text only at the end; what must stand first has to be sent first.",
    ),
    "rewritten": Advice(
        "Citation marks or markup are rewritten over the whole text, after a part of it has been shown.",
        "Rewrite before the first send, and hold back a half-written mark until it is complete.",
    ),
    "changed": Advice(
        "The answer was begun anew, often after a tool call, or another text was put in its place.",
        "End the stream with the text that is on screen, and send the new text in a new one.",
    ),
}
REASONS = frozenset(_PREFIX_ADVICE)  # those of `reasons.REASONS` that only Teams findings have


def narrowed(rule: str, reason: str, _kind: str) -> Advice | None:
    """Cause and fix for a finding of a Teams rule; None where the trace narrows nothing. "": no reason, no kind."""
    return _PREFIX_ADVICE.get(reason) if rule == _PREFIX else None
