"""The kinds of explanation a finding can carry, and what each says in short.

Rules of this file: one table; `Finding.reason` is one of its keys. Who words the sentences: `agui/explain.py` for
AG-UI, the modules of `teams/` for Microsoft Teams.
"""

REASONS = {
    "own-end": "closed earlier by its own end",
    "cut-short": "the JSON of a line ends in its middle",
    "snapshot-removed": "a message snapshot removed it",
    "stream-ended": "another event had ended the chunk stream",
    "mixed-spelling": "explicit and chunked events mixed in one item",
    "opener-lost": "the event that should have opened it was dropped or unusable",
    "span-only": "only the reasoning span of that id is open",
    "other-kind": "the id belongs to an item of another kind",
    "other-owner": "the step is open under another owner",
    "previous-run": "it belonged to an earlier run",
    "lookalike": "an id that differs only by case or white space exists",
    "never-opened": "nothing opened it",
    "opens-later": "its opener comes later: out of order",
    "ends-later": "its end comes only after the run has finished",
    "end-lost": "the event that should have closed it was dropped or unusable",
    "still-open": "an earlier opening has not been closed",
    "never-closed": "nothing closed it before the run ended",
    "run-ended": "the run had ended",
    "run-failed": "the run had failed",
    "run-open": "the earlier run is still open",
    "start-misspelt": "the start event is misspelt",
    "start-lost": "the start event was unusable",
    "starts-later": "the run starts later",
    "never-started": "no run starts at all",
    "ambiguous": "several lanes could be meant",
    "owner-differs": "the tag is not the opener's",
    "value-differs": "a repeated value is not the opener's",
    # Microsoft Teams: how a text fails to begin with the one streamed before it
    "delta": "the text is the next piece, not the whole so far",
    "normalised": "only white space or escaping of the earlier text differs",
    "stale": "the text is an older, shorter one",
    "moved": "the earlier text stands elsewhere in it",
    "rewritten": "a citation or markup of the earlier text was rewritten",
    "changed": "the earlier text was changed or left out",
}
