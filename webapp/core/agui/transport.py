"""How the stream was carried: frames, their sizes, and the response head, when a recording shows them.

Rules of this file: framing notes and the response head become findings (TRN-01, 08, 09, 12 to 16); what neither shows
is skipped with its reason. No payload is looked at. What is said of the head stands at the first record.
Source: basic/transports/http-sse, basic/transports/http-protobuf.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.agui.world import World, quoted
from webapp.core.evidence import ResponseHead
from webapp.core.findings import Finding

SSE_TYPE = "text/event-stream"
BINARY_TYPE = "application/vnd.ag-ui.event+proto"
_JSON_BODIES = ("ndjson", "array")
# what a server writes instead of a stream
_DOCUMENTS = ("application/json", "application/problem+json", "text/html", "text/plain", "application/xml")

NOT_SSE = "The recording is not the raw response body, so its framing is not known."
NO_LINES = "A binary body is not made of lines."
NO_HEAD = "No response head is recorded."
NO_TYPE = "The response head is recorded without a content type."
NO_STATUS = "The response’s status is not recorded."
NOT_BINARY = "The recording is not binary."
NO_SIZES = "Frame sizes are not recorded."
NO_JSON = "A binary frame holds no JSON."
NO_FIELD = "The binary binding has no field that could show it."
EMPTY = "In a binary frame a missing text or list arrives empty."
NO_NULL = "A binary frame does not tell an absent member from `null`."
_HEAD = ("AGUI-TRN-08", "AGUI-TRN-09", "AGUI-TRN-12")
_FRAMES = ("AGUI-TRN-13", "AGUI-TRN-14", "AGUI-TRN-15")
_LINES = ("AGUI-TRN-01", "AGUI-TRN-02", "AGUI-TRN-07")
_BLIND = {
    NO_JSON: ("AGUI-TRN-03", "AGUI-TRN-04", "AGUI-TRN-05", "AGUI-TRN-18", "AGUI-ENV-16", "AGUI-ENV-17"),
    NO_FIELD: (
        *("AGUI-ENV-01", "AGUI-ENV-02", "AGUI-ENV-13", "AGUI-ENV-18"),
        *(f"AGUI-CMP-{number:02}" for number in range(1, 6)),
    ),
    EMPTY: ("AGUI-ENV-05", "AGUI-ENV-09"),
    NO_NULL: ("AGUI-ENV-06", "AGUI-ENV-12", "AGUI-ENV-14"),
}

# note of a frame that is no event -> what is wrong, why
_BROKEN = {
    "frame-empty": ("a frame of no bytes holds no event", "Its length is zero."),
    "frame-broken": (
        "the bytes of a frame are no message of the binary binding",
        "Often its length prefix is wrong, or text was written into a binary body.",
    ),
    "frame-two-arms": ("one frame holds two events", "A frame is one envelope, and an envelope holds one event."),
    "frame-no-base": ("the event of a frame has no `base_event`", "It is there even when all it says is the type."),
    "frame-other-type": (
        "the `base_event` of a frame names another type than the event it holds",
        "The field that is set names the event, and `base_event.type` has to agree.",
    ),
}  # fmt: skip


class Transport:
    """What is known of one trace's carrier. sse, binary: records came out of such frames."""

    def __init__(self, world: World) -> None:
        self.sse = False
        self.binary = False
        self._world = world
        self._cut: Finding | None = None  # the body ended inside a frame

    def framed(self, notes: Sequence[str]) -> None:
        """The notes of one record, before its payload is looked at."""
        if "sse" in notes:
            self.sse = True
            if len(notes) == 1:
                return
        elif "proto" in notes:
            self.binary = True
        if "crlf" in notes:
            self._world.find(
                "AGUI-TRN-01",
                "the stream’s lines end in CR or CRLF instead of LF",
                "The reference client splits on LF alone and reads such a stream as one broken event.",
            )
        if "oversize" in notes:
            self._world.find(
                "AGUI-TRN-16",
                "a frame is larger than 10 MB",
                "The protocol sets no limit; the reference client gives up at 10 MiB.",
            )
        if "gap" in notes:
            self._world.gap()

    def no_event(self, notes: Sequence[str]) -> bool:
        """Whether a frame holds no event that can be judged; says what is wrong with it."""
        if "frame-cut" in notes:
            self._cut = self._world.find(
                "AGUI-TRN-15",
                "the body ends inside a frame",
                "The connection broke, or the recording stopped early. The reference client reports an error.",
            )
            return True
        if "frame-unknown-arm" in notes:
            self._world.find(
                "AGUI-TRN-14",
                "a frame holds an event that the binary binding of 1.1 does not have",
                "A client that was not built with it drops it.",
            )
            return True
        found = next((note for note in notes if note in _BROKEN), None)
        if found is not None:
            title, why = _BROKEN[found]
            self._world.find("AGUI-TRN-13", title, f"{why} A client stops here.", path=found)
        return found is not None

    def ended(self) -> None:
        """The end of the last run was judged: that it is cut off follows from the frame that was cut."""
        ledger = self._world.ledger
        if self._cut is not None:
            for finding in ledger.findings:
                if finding.rule == "AGUI-TRN-10" and finding.cause is None:
                    ledger.amend(finding, cause=self._cut.key)

    # ── the response head ────────────────────────────────────

    def answered(self, head: ResponseHead | None, typed: int) -> None:
        """What the head says against the body. typed: records that name an event type."""
        if head is None:
            return
        w = self._world
        seq, w.seq = w.seq, 0
        ok = head.status is None or 200 <= head.status < 300
        if not ok and typed:
            self._find(
                "AGUI-TRN-12",
                f"the response’s status is {head.status}, yet its body holds events",
                "The reference client takes such a response for an error and hands none of its events on.",
            )
        elif head.status is not None and ok and not typed and head.media_type in _DOCUMENTS:
            self._find(
                "AGUI-TRN-12",
                f"the response’s status is {head.status}, but its body holds no event",
                f"Its content type is {quoted(head.content_type)}: most likely an error or a page that should have a "
                "status of its own.",
            )
        elif ok and typed:
            self._typed(head)
        w.seq = seq

    def _typed(self, head: ResponseHead) -> None:
        """The content type of a response that holds events."""
        media, body = head.media_type, "binary frames" if self.binary else "text"
        exact = head.content_type is not None and head.content_type.strip() == BINARY_TYPE
        as_lines = "A client reads anything but the exact binary type as server-sent events"
        if media == SSE_TYPE and not self.binary:
            if head.body in _JSON_BODIES and not self.sse:
                self._find(
                    "AGUI-TRN-08",
                    "the response announces an event stream, but its events are JSON without `data:` lines",
                    "A client that reads server-sent events finds none here. It shows nothing, and no error either.",
                )
        elif exact and (self.binary or head.body is None):
            pass
        elif exact or media == SSE_TYPE:
            self._find("AGUI-TRN-09", f"the response announces {quoted(media)}, but its body is {body}",
                       f"{as_lines}, and this type as binary.")  # fmt: skip
        elif media == BINARY_TYPE:
            self._find("AGUI-TRN-09", f"the response’s content type is {quoted(head.content_type)}, with more than the "
                       "name of the type", f"{as_lines}, so it finds no event here.")  # fmt: skip
        elif media is not None:
            self._find("AGUI-TRN-09", f"the response’s content type is {quoted(head.content_type)} instead of "
                       f"`{SSE_TYPE}`", f"{as_lines}; proxies and other clients go by the type.")  # fmt: skip
        elif head.headers:
            self._find("AGUI-TRN-09", "the response names no content type", f"It should be `{SSE_TYPE}`.")

    def _find(self, rule: str, title: str, why: str) -> None:
        self._world.find(rule, title, why, run=None)

    # ── what cannot be told ──────────────────────────────────

    def unseen(self, head: ResponseHead | None) -> dict[str, str]:
        """Rule -> why this recording cannot show it."""
        out: dict[str, str] = {}
        if head is None:
            out.update(dict.fromkeys(_HEAD, NO_HEAD))
        else:
            if head.content_type is None:
                out["AGUI-TRN-08"] = NO_TYPE
                if not head.headers:
                    out["AGUI-TRN-09"] = NO_TYPE
            elif head.media_type == SSE_TYPE and head.body is None and not self.sse:
                out["AGUI-TRN-08"] = NOT_SSE
            if head.status is None:
                out["AGUI-TRN-12"] = NO_STATUS
        if not self.binary:
            out.update(dict.fromkeys(_FRAMES, NOT_BINARY))
        if not (self.sse or self.binary):
            out["AGUI-TRN-16"] = NO_SIZES
        if not self.sse:
            out.update(dict.fromkeys(_LINES, NO_LINES if self.binary else NOT_SSE))
        if self.binary:
            for reason, rules in _BLIND.items():
                out.update(dict.fromkeys(rules, reason))
        return out
