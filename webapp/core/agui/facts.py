"""What the rules of a whole run, or of several runs, need to remember.

Rules of this file: memory only, one class for the run at hand and one for the trace; who fills a member is said
beside it. Items, owners and held messages are `world.py`'s.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from webapp.core.agui.values import Interrupt, RunAgentInput, TokenUsage
from webapp.core.findings import Finding
from webapp.core.records import Item

MAX_COPIED = (
    500_000  # values all `copy` operations of a trace may repeat (a long text weighs more): they can double
)
MAX_WALKED = 20_000_000  # values that all `move` and `copy` operations of a trace may be about


class Untagged(NamedTuple):
    """What lost its tag: what that said, None when nobody can tell; how many runs had begun; what was found."""

    tag: str | None
    run: int
    finding: Finding


class Copies:
    """What `copy` operations of one trace may still repeat."""

    def __init__(self, left: int = MAX_COPIED) -> None:
        self.left = left
        self.walked = MAX_WALKED


class RunFacts:
    """Of the run at hand; a new one at each `RUN_STARTED`."""

    def __init__(self) -> None:
        # request.py
        self.input: RunAgentInput | None = None  # what the run was asked, from the request or its echo
        self.tools: frozenset[str] | None = None  # names the application offered; None: not known
        self.asked_ids: frozenset[str] = frozenset()  # of the input's messages
        # calls that the input's messages answer -> ids of those messages
        self.answered_before: dict[str, list[str]] = {}
        # awaited.py: (kind, id) -> the finding that nothing has opened it
        self.awaited: dict[tuple[str, str], Finding] = {}
        self.awaiting: Counter[str] = Counter()  # key of such a finding -> items that are still to come
        # versions.py
        self.mid_run = False  # events came before any start (runs.py)
        self.declared: str | None = None
        self.parent_run: str | None = None  # `parentRunId` of its start
        self.dated: tuple[int, str] | None = None  # first event that uses 1.0 material, and what
        # interrupts.py
        self.uncovered: dict[str, Interrupt] = {}  # interrupts of the run before without an entry in `resume`
        self.uncovered_by: Finding | None = None
        self.resumed = False  # the input answers interrupts
        # suspended.py
        self.suspended: list[tuple[str, int, list[str]]] = []  # invocation, record, interrupt ids
        self.links: list[tuple[str, int, str, str]] = []  # invocation, record, call | message, id
        # faults.py: kind -> the finding about a `THINKING_*` event that continues nothing, since brackets overlap
        self.overlapped: dict[str, Finding] = {}
        # chunk_faults.py, subagents.py: tag -> the first finding that shows that its end was sent too early
        self.ended_early: dict[str, Finding] = {}
        # mistaken.py: (kind, key) of an open item -> the finding about something under an id that looks the same;
        # (kind, lane) -> the findings about ends for ids that nothing has opened
        self.mistaken: dict[tuple[str, Any], Finding] = {}
        self.loose: dict[tuple[str, str | None], list[Finding]] = {}
        # run_input.py: the finding that the input brought another state, until the state comes whole
        self.carried: Finding | None = None
        self.sent: Any = None  # the state that the request carries
        # state.py, activity.py: activity id, or "" for the state -> the record that brought it whole
        self.whole: dict[str, int] = {}
        # state.py
        self.diverged: Finding | None = None  # the first patch that failed since the last snapshot
        self.patched_after: int | None = None  # record of a patch that came after it
        # passthrough.py
        self.first_raw: int | None = None
        self.customs = False
        self.told_by_custom: tuple[int, str] | None = None  # first CUSTOM that carries text, and its name
        self.content = False  # state, activity or messages came
        self.dropped_text: Finding | None = None  # the finding about an unknown event that carries text
        # hazards.py, hazards_finish.py
        self.said: dict[
            tuple[str | None, int], Item
        ] = {}  # lane and hash of a text -> the message that brought it
        self.twins = 0  # equal texts looked into
        self.tried = 0  # pairs of messages that a snapshot may have made of one
        self.pause: tuple[int, str] | None = None  # the last CUSTOM that tells of a pause, and its name
        # history.py: (kind, id) -> characters held before this run streamed it again, and where it began to
        self.again: dict[tuple[str, str], tuple[int, int]] = {}
        # chunks.py: (kind, id) -> where its last chunk stream began, and the type of the event that ended it
        self.chunked: dict[tuple[str, str], tuple[int, str]] = {}
        self.misled: dict[tuple[str, str], Finding] = {}  # (tag, kind) of a chunk for another lane's stream
        # snapshots.py: (bucket, id) -> the snapshot that gave it another owner, the owner before, what was found
        self.reowned: dict[tuple[str, str], tuple[int, str | None, Finding | None]] = {}
        # snapshots.py: kind -> id of an open item -> snapshots in a row that left it out
        self.unlisted: defaultdict[str, dict[str, int]] = defaultdict(dict)
        # subagents.py: step's key -> the finding that a finish of another owner closed it
        self.astray: dict[tuple[str | None, str], Finding] = {}


class TraceFacts:
    """Of all runs of the trace."""

    def __init__(self) -> None:
        # request.py
        self.request: RunAgentInput | None = None  # as recorded beside the trace
        self.request_faults: list[str] = []  # what is malformed in it, in words
        self.request_used = False  # a run of the trace has been matched with it
        self.echoed = False  # a request could be compared with its echo
        self.inputs = False  # some run's input is known
        self.compared = False  # some run's input could be compared with the run before
        self.tools = False  # some run's tools are known
        # identity.py: thread and run id -> record of the start
        self.run_ids: dict[tuple[str, str], int] = {}
        # versions.py
        self.versions: dict[str, int] = {}  # declared version -> record of the first run that declares it
        self.typed: int | None = None  # first record with an `encryptedValueType`
        self.dated = False  # something of 1.0 was used
        # interrupts.py
        self.open_interrupts: dict[str, Interrupt] = {}
        self.mid_run = False  # some run of the trace began before the recording
        self.ended = False  # some run finished before a client stopped (ending.py)
        self.interrupted: tuple[str | None, str | None, int] | None = (
            None  # thread, run, record of the outcome
        )
        self.last_end: str | None = (
            None  # outcome of the run that ended last, None when it did not end cleanly
        )
        # collisions.py: message id -> record of the first tool result that carried it
        self.minted: dict[str, int] = {}
        # usage.py: run id -> (record, its usage)
        self.usage: dict[str, tuple[int, list[TokenUsage]]] = {}
        self.usage_compared = False  # two runs that belong together reported usage
        self.providers: dict[str, str] = {}  # provider in lower case -> as first spelt in token usage
        # encrypted.py: (kind, id) -> value, the type it replaced, record
        self.untyped: dict[tuple[str, str], tuple[str, str, int]] = {}
        # metadata.py, passthrough.py, parts.py: what has been told once, and the finding
        self.told: dict[tuple[str, str], Finding | None] = {}
        self.told_of: Counter[str] = Counter()  # how many of each kind
        # items.py: key of a TOL-08 -> its calls whose arguments are no JSON; such a call -> where it was whole again
        self.broken: Counter[str] = Counter()
        self.mended: dict[str, int] = {}
        # faults.py: ids that were made up for `THINKING_*` events, which have none
        self.retired: set[str] = set()
        # faults.py: a way of spelling -> rule and place of its first fault, and the finding
        self.habits: dict[str, tuple[str, Finding]] = {}
        # untagged.py: id of what lost its tag when it was opened -> that
        self.untagged: dict[str, Untagged] = {}
        # cuts.py: length of a record that is cut -> how many are; the first finding about one, and its sentence
        self.cuts: Counter[int] = Counter()
        self.cut: tuple[Finding, str] | None = None
        # state.py
        self.copies = Copies()
        self.hints = 0  # misfit.py: failed patches that were looked into
        self.baseline = False  # the state a patch is applied to is known: a snapshot or an input set it
        self.unsure: Finding | None = None  # the note that it is not
        self.broken_activities: dict[
            str, Finding
        ] = {}  # activity id -> the first patch that failed since its snapshot
