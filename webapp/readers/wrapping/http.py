"""A raw HTTP response, or what `curl -v` and `curl -i` print: a head, then the stream (form A4).

Rules of this file: what belongs to the head, to the tool and to the body. Of the head the status, the content type and
the names of the other fields are kept, no value of theirs: they hold credentials. A body in chunks of the transfer
coding is put together without trusting the sizes, since a paste changes line ends.
"""

from __future__ import annotations

import re
from dataclasses import replace

from webapp.readers.base import ResponseHead
from webapp.readers.forms import Form, Score
from webapp.readers.head import Head
from webapp.readers.limits import Limits
from webapp.readers.tally import BLANK
from webapp.readers.wrapping.chunked import SIZE_LINE, Chunks
from webapp.readers.wrapping.reader import Choose, WrappedReader

HEADER, TOOL, ASKED = "HTTP head", "line of the tool", "request"
REFUSAL = "body of an error answer"
MAX_FIELDS = 200
SHORT = 400  # bytes a line of curl's progress table may have
LOOKED = 300  # lines in which a head is looked for
# `< ` is curl's mark of what it received, `> ` of what it sent, `* ` of what it tells
_STATUS = re.compile(rb"(?P<mark>< )?HTTP/\d(?:\.\d)? (?P<status>\d{3})(?: [^\r\n]{0,200})?\s*")
_REQUEST = re.compile(rb"(?:> )?(?:GET|POST|PUT|DELETE|OPTIONS|HEAD|PATCH) \S{1,8000} HTTP/\d(?:\.\d)?\s*")
_FIELD = re.compile(rb"(?:[<>] )?([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*+(.*)", re.DOTALL)
_TOOL = re.compile(
    rb"[{}] \[\d+ bytes data\]\s*|\s*% Total +% Received.*|\s*Dload +Upload.*"
    rb"|[\s\d.kMG:-]*(?:--:--:--|\d:\d\d:\d\d)[\s\d.kMG:-]*|curl: .*|(?:[$#%] *)?curl .*|Note: Unnecessary use.*"
)
_TYPE = re.compile(r"[\w.+*-]{1,80}/[\w.+*-]{1,80}(?:\s*;\s*[\w.-]{1,40}=\"?[\w.-]{1,60}\"?){0,5}")

_COMMAND = re.compile(rb"(?:\S{0,80}[$#%>] *)?curl(?:\.exe)? ")
_DATA = re.compile(rb"(?:data|event|id|retry):")
_EVENT = re.compile(rb'"type"\s*:\s*"[A-Z]+_')
_STREAMS = ("text/event-stream", "application/vnd.ag-ui", "application/x-ndjson", "application/jsonl")

BEFORE, REQUEST, REQUEST_BODY, RESPONSE, BODY = range(5)


NAME = "http"
TITLE = "a raw HTTP response"
ABOUT = "What `curl -v`, `curl -i` or a network capture shows: a head, then the stream."


class HttpReader(WrappedReader):
    """`head`: of the response whose body was read, once it is over."""

    name = NAME

    def __init__(self, limits: Limits | None, choose: Choose) -> None:
        super().__init__(limits, choose)
        self._mode = BEFORE
        self._status: int | None = None
        self._fields: dict[str, str] = {}
        self._marked = False  # curl marks the lines of the head
        self._command = False  # a command goes on on the next line
        self._body = False  # a body has begun
        self._chunks: Chunks | None = None
        self._decided = False  # whether the body is in chunks
        self._refused = False  # the body is the words of an error, no stream
        self._raw = b""  # the line at hand: in a chunk white space alone is text

    @property
    def head(self) -> ResponseHead | None:
        """Status and content type of the response."""
        return self.account.head

    def line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        status = _STATUS.fullmatch(text)
        if status is not None:
            self._response(int(status["status"]), bool(status["mark"]), number)
        elif self._is_tool(text):
            self.ignore(TOOL)
        elif self._mode != BODY and _REQUEST.fullmatch(text):
            self._mode = REQUEST
            self.ignore(ASKED)
        elif self._mode == BODY:
            if self._marked and (text in (b"<", b">") or text.startswith((b"< ", b"> "))):
                self.ignore(HEADER if text.startswith(b"<") else ASKED)
            else:
                self.inside(text, number, offset, ended)
        elif self._mode == RESPONSE:
            self._head_line(text, number, offset, ended)
        elif text == b">" or text.startswith(b"> "):
            self._mode = REQUEST
            self.ignore(ASKED)
        elif self._mode != BEFORE:
            self.ignore(ASKED)
        else:
            self.stray(number, offset, text)

    def blank(self, number: int, offset: int) -> bool:
        """A blank line ends an unmarked head; in the body it belongs to the stream."""
        self._command = False
        if self._mode == RESPONSE and not self._marked:
            self._begin()
            return False
        if self._mode == REQUEST:
            self._mode = REQUEST_BODY
        return self._mode == BODY

    def inside(self, text: bytes, number: int, offset: int, ended: bool = True) -> None:
        """A line of the body."""
        if text and not self._decided:
            self._decide(text, number)
        if self._refused:
            self.ignore(REFUSAL if text else BLANK)
            return
        self._body = self._body or bool(text)
        if self._chunks is None or self.long:
            self._flush()
            super().inside(text, number, offset, ended)
        else:
            self._chunks.line(text or self._raw, number, offset)

    def _one(self, text: bytes, length: int, ended: bool) -> None:
        self._raw = text.removesuffix(b"\r")
        super()._one(text, length, ended)

    def ending(self) -> None:
        self._flush(ended=False)
        super().ending()
        if self.account.head is not None and self.chosen is not None:
            self.account.head = replace(self.account.head, body=self.chosen.name)

    # -- the head

    def _response(self, status: int, marked: bool, number: int) -> None:
        self._flush()
        if self._body:
            self.artefact(
                "several-responses", "The capture holds several responses; all were read, in order.", number
            )
        self._mode, self._status, self._fields, self._marked = RESPONSE, status, {}, marked
        self._chunks, self._decided, self._refused = None, False, False
        self.ignore(HEADER)

    def _head_line(self, text: bytes, number: int, offset: int, ended: bool) -> None:
        text = text.rstrip() if self._marked else text
        field = _FIELD.fullmatch(text)
        if self._marked and text == b"<":
            self._begin()
            self.ignore(HEADER)
        elif field is not None and (not self._marked or text.startswith(b"< ")) and not _DATA.match(text):
            if len(self._fields) < MAX_FIELDS:
                name = field[1].decode("ascii").lower()
                kept = name in ("content-type", "transfer-encoding")
                self._fields[name] = field[2][:200].decode("utf-8", "replace").strip() if kept else ""
            self.ignore(HEADER)
        elif text[:1] in (b" ", b"\t") and not self._marked:
            self.ignore(HEADER)  # a folded field
        elif text.startswith(b"> "):
            self.ignore(ASKED)
        else:  # the blank line between was lost
            self._begin()
            self.inside(text, number, offset, ended)

    def _begin(self) -> None:
        """The head is over. One that only announces the real answer is not kept."""
        self._mode = BODY
        status = self._status
        if self.account.head is not None or status is None or status < 200 or 300 <= status < 400:
            return
        given = self._fields.get("content-type", "")
        kind = given if _TYPE.fullmatch(given) else None
        names = tuple(name for name in self._fields if name != "content-type")
        self.account.head = ResponseHead(status, kind, names)
        self.artefact(
            "http-head",
            f"A response head stands before the stream: status {status}, "
            f"{'no content type' if kind is None else f'content type `{kind}`'}. "
            "The values of its other fields are not shown.",
        )

    def _is_tool(self, text: bytes) -> bool:
        """A line that curl prints about its work, or the command itself."""
        if self._command:
            self._command = text.endswith(b"\\")
            return True
        if text.startswith(b"* "):
            return True
        found = len(text) < SHORT and _TOOL.fullmatch(text) is not None
        if not found and self._mode == BEFORE and _COMMAND.match(text):
            found = True
        self._command = found and self._mode == BEFORE and text.endswith(b"\\")
        return found

    # -- the body

    def _decide(self, text: bytes, number: int) -> None:
        """Whether the body is in chunks: then it begins with the size of one. curl takes them off itself."""
        self._decided = True
        if self._is_refusal(text):
            self._refused = True
            self.artefact(
                "error-answer",
                f"The response with status {self._status} has no stream as its body but the words of an error; those "
                "were not judged.",
                number,
            )
            return
        if SIZE_LINE.fullmatch(text) and (not self._marked or "transfer-encoding" in self._fields):
            self._chunks = Chunks(super().inside, self.ignore, self.limits.max_record_bytes)
            self.artefact(
                "chunked", "The body is in chunks of the transfer coding; they were put together.", number
            )

    def _is_refusal(self, text: bytes) -> bool:
        """Whether the body of an error status is something else than a stream, by its type and first line."""
        if self._status is None or self._status < 400 or _DATA.match(text) or _EVENT.search(text):
            return False
        return not self._fields.get("content-type", "").lower().startswith(_STREAMS)

    def _flush(self, *, ended: bool = True) -> None:
        """Hand on what the chunks hold back."""
        if self._chunks is not None:
            was, self.long = self.long, False
            self._chunks.flush(ended=ended)
            self.long = was


def score(head: Head) -> Score | None:
    """A status line, with nothing before it but what belongs to a request or to the tool."""
    for line in head.lines[:LOOKED]:
        status = _STATUS.fullmatch(line)
        if status is not None:
            return Score(1.0, (f"it has the head of an HTTP response, status {status['status'].decode()}",))
        if line.startswith((b"data:", b"{", b"[")) and _EVENT.search(line):
            return None
    return None


def form(choose: Choose) -> Form:
    """The form; choose: which form a text inside has."""
    return Form(NAME, TITLE, ABOUT, score, lambda limits: HttpReader(limits, choose))
