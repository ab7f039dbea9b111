"""What to look for and what to change in an AG-UI stream, narrowed by what the trace shows.

Rules of this file: words only. Where a finding's reason says more than the rule's row in the catalogue, the sentences
here take that row's place. `{start}`, `{end}`, `{noun}` are filled in by the item's kind.
"""

from __future__ import annotations

from webapp.core.agui.explain import ENDS, STARTS
from webapp.core.rules import Advice

NOUNS = {
    "text": "message",
    "tool": "call",
    "reasoning": "reasoning message",
    "span": "reasoning span",
    "step": "step",
    "subagent": "invocation",
}
_CONTENT = ("AGUI-TXT-02", "AGUI-TOL-02", "AGUI-RSN-05")
_END = ("AGUI-TXT-03", "AGUI-TOL-03", "AGUI-RSN-06", "AGUI-RSN-02", "AGUI-STP-02", "AGUI-SUB-04")
_AFTER_RUN = Advice(
    "The agent goes on streaming after it has ended the run.",
    "Send every piece before `RUN_FINISHED` or `RUN_ERROR`, or in a run of its own.",
)
_BY_RULE: dict[tuple[str, str], Advice] = {
    ("AGUI-TRN-03", "cut-short"): Advice(
        "The line was cut on its way into the recording, for instance by a limit of the log or the terminal; "
        "or the agent stopped in the middle of an event.",
        "Capture the stream again, as bytes of the response body. If the event is cut there as well, send it whole, "
        "one JSON object a frame.",
    ),
    **{
        (rule, "lookalike"): Advice(
            "The key is written in two ways, for instance by a serialiser with aliases and one without.",
            "Write the path with the key as it was sent, and the key in one way everywhere.",
        )
        for rule in ("AGUI-STA-04", "AGUI-STA-05", "AGUI-ACT-04")
    },
    ("AGUI-TOL-02", "own-end"): Advice(
        "The agent ends a call too early, often when the next one begins, and goes on sending its arguments.",
        "Send `TOOL_CALL_END` after a call’s last piece of arguments. Calls may stay open side by side.",
    ),
    ("AGUI-TXT-02", "own-end"): Advice(
        "The message was ended early, often when a tool call began, and the model went on writing it.",
        "Send `TEXT_MESSAGE_END` after the last piece, or open the message again with `TEXT_MESSAGE_START`.",
    ),
    **{(f"AGUI-CHK-0{n}", reason): _AFTER_RUN for n in range(1, 5) for reason in ("run-ended", "run-failed")},
}
_CONTENT_ADVICE = {
    "own-end": Advice(
        "The {noun} was ended before its last piece.",
        "Send `{end}` after the last piece, or open it again with `{start}`.",
    ),
    "never-opened": Advice(
        "The start was never sent, was filtered on the way, or carries another id.",
        "Send `{start}` with the same id before the first piece.",
    ),
    "opens-later": Advice(
        "Events overtake each other on the way, for instance through several queues or un-awaited sends.",
        "Send the events of one stream through one queue, in order: `{start}` first.",
    ),
    "other-kind": Advice(
        "The id of another item was used.",
        "Send the id that this {noun}’s own `{start}` carries.",
    ),
    "previous-run": Advice(
        "The {noun} is continued across a run boundary.",
        "Open it again in the new run with `{start}`, or give it a new id.",
    ),
    "lookalike": Advice(
        "The id is built in two places, in two spellings.",
        "Make the id once and pass it on unchanged.",
    ),
    "mixed-spelling": Advice(
        "Two parts of the agent emit the same {noun}, one in chunks, one in the explicit form.",
        "Keep to one form for each {noun}: chunks only, or `{start}`, pieces and `{end}`.",
    ),
    "stream-ended": Advice(
        "An event sent in the middle of a chunked {noun} ended its chunk stream.",
        "Go on with chunks that carry the id, or send the other event before or after the {noun}.",
    ),
}
_END_ADVICE = {
    **_CONTENT_ADVICE,
    "own-end": Advice("The end is sent twice, often by two parts of the agent.", "Send `{end}` once."),
    "never-opened": Advice(
        "The start was never sent, was filtered on the way, or carries another id or name.",
        "Send `{start}` first, with the same id or name, or leave the end out.",
    ),
    "stream-ended": Advice(
        "An explicit end is sent for a {noun} that was streamed in chunks.",
        "Send no `{end}` for chunks: the client adds it.",
    ),
}


def narrowed(rule: str, reason: str, kind: str) -> Advice | None:
    """Cause and fix for a finding of an AG-UI rule; None where the trace narrows nothing. "": no reason, no kind."""
    found = _BY_RULE.get((rule, reason))
    if found is None and kind in STARTS:
        table = _CONTENT_ADVICE if rule in _CONTENT else _END_ADVICE if rule in _END else {}
        found = table.get(reason)
    if found is None:
        return None
    words = {"start": STARTS.get(kind, ""), "end": ENDS.get(kind, ""), "noun": NOUNS.get(kind, "item")}
    return Advice(found.cause.format(**words), found.fix.format(**words))
