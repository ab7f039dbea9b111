"""The streams of a HAR file: each streamed answer of an agent, and the connector calls of Teams together.

Rules of this file: one pass for both kinds; what is not picked is not handed on. A HAR file is never kept as it is,
even with one stream, since it holds cookies and credentials.
"""

from __future__ import annotations

from typing import IO

from webapp.readers.base import Account, Artefact
from webapp.readers.har import connector, streamed, streamed_entry
from webapp.readers.har.connector import HarReader
from webapp.readers.har.streamed import HarStreams
from webapp.readers.limits import Limits
from webapp.readers.several import Part, Refused, Taken, left_out, numbered, pieces_of

TEAMS = "teams"
SIFTED = "har-sifted"
NO_SECRETS = "Credentials, cookies and query strings were not stored either."


class HarParts:
    """See `several.Several`. entries: calls of the file, of any kind."""

    whole = False

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self._calls = calls = HarReader(limits)
        self._streams = streams = HarStreams(limits)
        for piece in pieces_of(file):
            calls.feed(piece)
            streams.cut_chunk(piece)
        calls.pick()
        streams.end()
        self.entries = calls.entries
        found = [
            Part(f"e{stream.number}", stream.facts.title, streamed.NAME, "ag-ui", stream.facts.size,
                 stream.facts.events, stream.facts.reasons)
            for stream in streams.ours()
            if stream.facts.rank or not calls.picked
        ]  # fmt: skip
        if calls.picked:
            size = sum(len(call.kept) for call in calls.picked)
            found.insert(
                0,
                Part(
                    TEAMS,
                    "calls of the Teams connector",
                    connector.NAME,
                    "teams",
                    size,
                    len(calls.picked),
                ),
            )
        self.parts = numbered(found)
        left = len(streams.streams) - sum(part.form == streamed.NAME for part in self.parts)
        self.notes = left_out(
            left, "other stream without an AG-UI event", "other streams without an AG-UI event"
        )

    def take(self, id: str) -> Taken:
        if id == TEAMS:
            return Taken((self._calls.sifted(),), (_teams(self._calls), *_anywhere(self._calls.account)))
        for stream in self._streams.streams:
            if f"e{stream.number}" == id:
                return Taken(
                    (streamed.sifted(stream),), (_one(stream.facts.title, self._streams.entries),),
                    streamed_entry.asked(stream.call),
                )  # fmt: skip
        raise Refused("The HAR file has no such stream.")

    def nothing(self) -> Taken:
        """What is kept of a file without a stream: how many calls it had."""
        calls = self._calls
        return Taken((calls.sifted(),), (_teams(calls), *_anywhere(calls.account)))


def _teams(reader: HarReader) -> Artefact:
    picked, calls = len(reader.picked), reader.entries
    if not picked:
        return Artefact(
            SIFTED,
            f"{_none(calls)} in this HAR file belongs to a streamed reply of an agent or in Teams, so "
            "none was stored. Save the response body of the stream instead.",
        )
    rest = f"the other {calls - picked:,} were not stored" if calls > picked else "there were no others"
    return Artefact(
        SIFTED,
        f"{picked:,} of {calls:,} calls belong to a streamed reply; {rest}. {NO_SECRETS} The SHA-256 is that of "
        "the file as it was received.",
    )


def _one(title: str, calls: int) -> Artefact:
    rest = (
        f"the other {calls - 1:,} calls of the HAR file were not stored"
        if calls > 2
        else "the other call of the HAR file was not stored"
        if calls == 2
        else "the HAR file had no other call"
    )
    return Artefact(
        SIFTED, f"Kept is the call {title}; {rest}. {NO_SECRETS} The SHA-256 is that of what is kept."
    )


def _anywhere(account: Account) -> list[Artefact]:
    """Artefacts without their lines: those were the upload's, and what is stored has others."""
    return [Artefact(a.kind, a.message) for a in account.artefacts if a.kind != "har-others"]


def _none(calls: int) -> str:
    return "No call" if calls < 2 else f"None of the {calls:,} calls"
