"""The bytes of an upload on their way to the reader: counted, hashed, expanded, kept.

Rules of this file: nothing is written before it is known whether the upload may hold several streams. Of such a one
only the stream that was picked is kept, and of a HAR file never more than that; of everything else, every byte. Where
credentials are masked, nothing else is kept than what the reader gets: packing goes with the first of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any

from sqlalchemy.orm import Session

from webapp.errors import TooLarge
from webapp.ingest.aside import Aside
from webapp.ingest.cleaner import Cleaner
from webapp.ingest.original_parts import PartWriter
from webapp.readers import limits, parts
from webapp.readers.ahead import ahead
from webapp.readers.base import Account, Artefact
from webapp.readers.har.parts import TEAMS, HarParts
from webapp.readers.head import HEAD_BYTES
from webapp.readers.packing.layers import SIGN_BYTES, ZIP, expanded, is_archive, unpacker
from webapp.readers.packing.unpack import PIECE
from webapp.readers.protobuf.reader import looks_binary
from webapp.readers.protobuf.text import HexLines
from webapp.readers.several import Part, Refused, Several, Taken, pieces_of, spooled
from webapp.storage import bulk, originals

NESTED = (
    "This is an archive inside other packing, which is not opened: unpack it once and give what is inside."
)
ONE = "The file holds one stream only, so there is nothing to pick."

AS_TEXT = (
    "The upload is binary. It is shown as hexadecimal text, one frame a line; the download has its own bytes."
)


class Upload:
    """size: bytes received; kept: bytes stored, fewer where a stream was taken out; unpacked: it is kept plain.

    title: of the stream that was taken out of several, else ""; run_input: the request the file holds for it.
    Ask for `kept` and `unpacked` after `close`, for the others once `text` has begun.
    """

    def __init__(
        self, session: Session, trace: int, limit: int, bounds: limits.Limits, cleaner: Cleaner
    ) -> None:
        self.size = 0
        self.kept = 0
        self.unpacked = False
        self.title = ""
        self.run_input: dict[str, Any] | None = None
        self._session = session
        self._trace = trace
        self._cleaner = cleaner
        self._aside: Aside | None = None
        self._limit = limit
        self._bounds = bounds
        self._hash = hashlib.sha256()
        self._by_content = False  # the digest is that of what is kept
        self._sifted = False  # a HAR file's calls: its digest is always that of the file
        self._bytes = PartWriter(session, trace)
        self._plain = PartWriter(session, trace, step=-1)
        self._held: list[bytes] | None = []  # as received, until it is known what it is
        self._take_in: Callable[[bytes], Any] = _nowhere  # what is received from then on
        self._told: list[Artefact] = []

    def text(self, chunks: Iterable[bytes], form: str | None, part: str | None = None) -> Iterator[bytes]:
        """What the reader gets; every byte of it is kept before it is handed on.

        part: the stream to take out of several. Raises Unpicked, Refused and TooLarge.
        """
        first, pieces = ahead(self._counted(chunks), SIGN_BYTES)
        packed = unpacker(first, self._bounds.max_expanded_bytes)
        if packed is not None:
            pieces = expanded(packed, pieces)
        begun, pieces = ahead(pieces, HEAD_BYTES + 1)
        head = begun[: HEAD_BYTES + 1]
        if packed is not None and is_archive(head):
            raise Refused(NESTED)
        if parts.splits(head, form):
            self.unpacked = packed is not None
            yield from self._lined(self._one(pieces, form, part), form)
        elif part is not None:
            raise Refused(ONE)
        else:
            binary = is_binary(head, form)
            yield from self._lined(self._all(pieces, packed is not None, binary), form)
        if packed is not None:
            self._told[:0] = packed.artefacts

    @property
    def notes(self) -> tuple[Artefact, ...]:
        """What is to be said about packing and sifting, once `text` is used up."""
        return tuple(self._told)

    def told(self, account: Account) -> Account:
        """The reader's account, once it is whole, with what is to be said about packing and sifting."""
        return with_notes(account, self._told)

    def close(self, form: str) -> str:
        """Write the last parts; the SHA-256 of what was received, or of what is kept where that is less.

        Of a masked text always the latter: the other one, beside the text, would tell a guess from the credential.
        """
        turn = False
        if self._aside is not None:
            self.unpacked = bool(self._cleaner.count)
            original = self._aside.original(self.unpacked)
            turn = original is None
            for piece in original or ():
                self._bytes.add(piece)
            self._aside.close()
        self._bytes.close(form)
        self._plain.close(form)
        self.kept = self._plain.size if turn else self._bytes.size
        if turn:
            bulk.turn_parts(self._session, self._trace)
        if self._by_content or (self._cleaner.count and not self._sifted):
            self._hash = hashlib.sha256()
            for piece in originals.whole(self._session, self._trace):
                self._hash.update(piece)
        return self._hash.hexdigest()

    def _all(self, pieces: Iterable[bytes], packed: bool, binary: bool) -> Iterator[bytes]:
        masks = self._cleaner.on
        self._take_in = _nowhere if masks else self._bytes.add
        if masks and packed:
            self._aside = Aside(binary)
            self._take_in = self._aside.receive
        for chunk in self._held or ():
            self._take_in(chunk)
        self._held = None
        for piece in self._cleaner.pieces(pieces):
            if packed and not binary:
                self._plain.add(piece)
            elif self._aside is not None:
                self._aside.add(piece)
            elif masks:
                self._bytes.add(piece)
            yield piece

    def _lined(self, pieces: Iterator[bytes], form: str | None) -> Iterator[bytes]:
        """The pieces; of a binary body a text with one frame a line, which is kept beside the bytes."""
        begun, pieces = ahead(pieces, HEAD_BYTES + 1)
        if not is_binary(begun[:HEAD_BYTES], form):
            yield from pieces
            return
        lines = HexLines()
        for text in chain(map(lines.feed, pieces), map(HexLines.close, (lines,))):
            self._plain.add(text)
            yield text
        self._told.append(Artefact("binary-upload", AS_TEXT))

    def _one(self, pieces: Iterable[bytes], form: str | None, part: str | None) -> Iterator[bytes]:
        """One stream of a file that may hold several."""
        with spooled(self._let_go(pieces)) as file:
            several = parts.look(file, self._bounds, form)
            wanted = None if several is None else parts.picked(several, part)
            taken = self._cleaner.taken(self._taken(file, several, wanted))
            self.run_input = taken.run_input
            self._told = list(taken.artefacts)
            for piece in taken.pieces:
                for at in range(0, len(piece), PIECE):
                    cut = piece[at : at + PIECE]
                    self._bytes.add(cut)
                    yield cut

    def _taken(self, file: IO[bytes], several: Several | None, wanted: Part | None) -> Taken:
        self._sifted = isinstance(several, HarParts) and (wanted is None or wanted.id == TEAMS)
        if isinstance(several, HarParts) and wanted is None:
            return several.nothing()
        if several is None or wanted is None:
            return Taken(pieces_of(file))
        taken = several.take(wanted.id)
        if len(several.parts) == 1 and several.whole:
            return Taken(pieces_of(file), (), taken.run_input)
        self._by_content = wanted.id != TEAMS
        archive = parts.begins(file, ZIP)
        if archive or len(several.parts) > 1:
            self.title = self._cleaner.name(wanted.title)
        told = () if isinstance(several, HarParts) else (_from(wanted, len(several.parts), archive),)
        return Taken(taken.pieces, (*told, *taken.artefacts), taken.run_input)

    def _let_go(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._held = []
            yield piece

    def _counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            if not chunk:
                continue
            self.size += len(chunk)
            if self.size > self._limit:
                most = limits.in_words(self._limit)
                raise TooLarge(f"The recording is larger than {most}, the most this server takes.")
            self._hash.update(chunk)
            if self._held is None:
                self._take_in(chunk)
            else:
                self._held.append(chunk)
            yield chunk


def with_notes(account: Account, notes: Sequence[Artefact]) -> Account:
    """The account of a reading with what is to be said about the upload before it."""
    known = {artefact.kind for artefact in notes}
    if "binary-upload" in known:
        known.add("binary-as-text")  # that is our doing, not the recording's
    account.artefacts[:] = [*notes, *(a for a in account.artefacts if a.kind not in known)]
    return account


def _nowhere(_chunk: bytes) -> None:
    """Received, and not kept as it is."""


def _from(part: Part, count: int, archive: bool) -> Artefact:
    others = f", one of {count:,} streams of the file; the others were not stored" if count > 1 else ""
    what = f"Taken out of a zip archive: {part.title}" if archive else f"Kept is {part.title}"
    return Artefact("picked", f"{what}{others}. Line numbers and the SHA-256 are those of what is kept.")


def is_binary(head: bytes, form: str | None) -> bool:
    """Whether bytes that begin so are kept as text with one frame a line."""
    return form in (None, "protobuf") and looks_binary(head, sure=form is not None)
