"""Files with several streams: what they hold, and one taken out with nothing of the others."""

from __future__ import annotations

import gzip
import json
import re

import pytest
import zstandard

from tests.exchanges import broken, good
from tests.exchanges import entry as call_entry
from tests.readers.several import (
    CANARY,
    FILES,
    parts,
    run,
    take,
    three_in_a_har,
    two_agents,
    two_connections,
    two_in_a_zip,
    zipped,
)
from tests.readers.wrapping import CLEAN, WRAPS, devtools_header, devtools_lines, entry, har, sse
from webapp.core import Replay
from webapp.core.findings import Report
from webapp.readers.base import Account
from webapp.readers.detect import concluded
from webapp.readers.every import every
from webapp.readers.limits import Limits, TooLarge
from webapp.readers.parts import streams
from webapp.readers.read import read
from webapp.readers.several import Refused


def judged(data: bytes) -> tuple[Report, Account]:
    detection, records, account = read([data])
    first = list(records)
    replay = Replay(
        detection.protocol or "ag-ui", unjudged=account.unjudged, head_missing=account.head_missing
    )
    for record in first:
        replay.feed(record.payload, record.at, record.framing)
    return replay.finish(), account


@pytest.mark.parametrize("name", FILES)
def test_each_stream_is_listed_with_what_it_is(name: str) -> None:
    """Title, size and events; ids are its own and hold neither white space nor `@`."""
    data, titles = FILES[name]
    found = parts([data])
    assert [part.title for part in found] == titles
    assert len({part.id for part in found}) == len(found)
    assert all(part.id.isascii() and not set(part.id) & set("@ \t\n") and part.size > 0 for part in found)
    assert {part.events_guess for part in found} <= {5, 1}
    assert {part.protocol for part in found} == {"ag-ui"}


@pytest.mark.parametrize("name", FILES)
def test_a_stream_taken_out_is_judged_alone_and_holds_nothing_of_the_others(name: str) -> None:
    """Each gives its own five events; the canaries of the others are not in the bytes."""
    data, _ = FILES[name]
    for part in parts([data]):
        one = take([data], part.id)
        report, account = judged(one)
        assert report.events == part.events_guess
        assert len(set(re.findall(rf"{CANARY}\d".encode(), one))) <= 1
        assert b"zzSECRET" not in one
        assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood


@pytest.mark.parametrize("name", WRAPS)
def test_a_file_with_one_stream_asks_nothing(name: str) -> None:
    """At most one part, whatever the form."""
    assert len(parts([WRAPS[name][1](CLEAN)])) <= 1


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_packing_around_it_is_taken_off_first(pack: object) -> None:
    """A packed file of several connections has the same streams, in any pieces."""
    data = pack(two_connections())  # type: ignore[operator]
    assert [part.title for part in parts([data])] == ["POST /agent", "POST /agent #2"]
    assert parts([bytes([byte]) for byte in data]) == parts([two_connections()])


def test_a_har_file_may_hold_both_protocols() -> None:
    """The connector calls of Teams are one part, each stream of an agent another."""
    data = har(*map(call_entry, good()), entry("https://x.example/agent", {"text": sse(CLEAN)}))
    found = parts([data])
    assert [(part.id, part.protocol, part.events_guess) for part in found] == [
        ("teams", "teams", 5),
        ("e6", "ag-ui", 5),
    ]
    teams = judged(take([data], "teams"))[0]
    assert (teams.protocol, teams.events) == ("teams", 5)
    assert judged(take([data], "e6"))[0].events == 5
    assert broken()


def test_streams_that_are_none_of_an_agent_are_left_out_and_said() -> None:
    """They are offered only where there is nothing else."""
    found, notes = streams([three_in_a_har()])
    assert len(found) == 3
    assert notes == ("1 other stream without an AG-UI event is left out.",)
    alone = har(*[entry("https://x.example/prices", {"text": 'data: {"price":1}\n\n'})] * 2)
    assert [part.reasons[0] for part in parts([alone])] == ["no AG-UI event is in it"] * 2


def test_notes_say_what_else_is_in_an_archive() -> None:
    """Files that are no recording, archives inside, locked files; hidden files are not spoken of."""
    data = zipped(
        {"a.sse": sse(CLEAN), "b.zip": zipped({"c.sse": sse(run(2))}), "d.txt": "hi", "__MACOSX/._a.sse": "x"}
    )
    found, notes = streams([data])
    assert [part.title for part in found] == ["a.sse"]
    assert notes == (
        "Archives inside the archive are not opened: b.zip.",
        "No recordings: d.txt (this is plain text).",
    )


def test_a_run_input_in_an_archive_goes_with_its_recording() -> None:
    """NAME.input.json beside NAME.sse is no stream of its own."""
    asked = json.dumps({"threadId": "t-1", "runId": "r-1", "messages": []})
    found = parts([zipped({"a.sse": sse(CLEAN), "a.input.json": asked})])
    assert [part.title for part in found] == ["a.sse"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (
            zipped({"a.zip": zipped({"b.sse": sse(CLEAN)})}),
            "Archives inside an archive are not opened (a.zip)",
        ),
        (zipped({"a.gz": gzip.compress(b"x")}), "unpack it once"),
        (zipped({"a.txt": "hello"}), "No file of the zip archive is a recording: a.txt (this is plain text)"),
        (zipped({}), "The zip archive is empty."),
        (two_in_a_zip()[:300], "damaged"),
        (
            zipped({f"{n}.sse": "x" for n in range(1200)}),
            "1,200 files; 1,000 are the most that are looked at. Pack",
        ),
        (
            zipped({f"{n}.sse": "x" for n in range(3000)}),
            "more than 1,000 files, the most that are looked at. Pack",
        ),
        (zipped({"bomb.sse": b"\0" * 70_000_000}), "more than 1,000 times its size"),
    ],
    ids=["nested zip", "nested gzip", "no recording", "empty", "cut", "many", "very many", "bomb"],
)
def test_an_archive_that_is_not_opened_is_a_sentence(data: bytes, why: str) -> None:
    """Never an exception of another kind, never a guess."""
    with pytest.raises(Refused) as told:
        parts([data])
    assert why in str(told.value)


def test_an_archive_is_bounded_in_what_it_holds_together() -> None:
    """The sum of its files counts, before any is opened."""
    with pytest.raises(TooLarge):
        parts([two_in_a_zip()], Limits(max_expanded_bytes=600))


def test_a_stream_that_is_not_there_is_a_sentence() -> None:
    """A part of another file is refused."""
    with pytest.raises(Refused, match="no stream called m9"):
        take([two_in_a_zip()], "m9")
    with pytest.raises(Refused, match="one stream only"):
        take([sse(CLEAN).encode()], "m1")


def test_redacted_groups_take_their_rules_out_of_judgement() -> None:
    """A redacted state would fail its patches: those rules are skipped with the reason, not broken."""
    events = [
        CLEAN[0],
        {"type": "STATE_SNAPSHOT", "snapshot": {"n": "«redacted: 1 chars»"}},
        {"type": "STATE_DELTA", "delta": [{"op": "test", "path": "/n", "value": 1}]},
        CLEAN[4],
    ]
    plain = "\n".join([devtools_header(), *devtools_lines(events)]).encode()
    hidden = "\n".join([devtools_header("state"), *devtools_lines(events)]).encode()
    assert "AGUI-STA-05" in [finding.rule for finding in judged(plain)[0].findings]
    report, account = judged(hidden)
    assert "AGUI-STA-05" not in [finding.rule for finding in report.findings]
    reasons = {each.rule: each.reason for each in report.skipped_rules}
    assert (
        reasons["AGUI-STA-05"]
        == "The content of state and history was redacted when the recording was exported."
    )
    assert [each.kind for each in account.artefacts] == ["redacted"]


def test_a_full_export_may_lack_its_head() -> None:
    """200 events of an agent, or 500 in all: what misses its beginning is no fault then, also once it is taken out."""
    rows = [json.loads(two_agents())[0]] * 500
    report, account = judged(json.dumps(rows).encode())
    assert account.head_missing
    assert report.verdict != "rejected" or "AGUI-RUN-01" not in [finding.rule for finding in report.findings]
    mixed = json.dumps([*json.loads(two_agents()), *rows]).encode()
    small = next(part for part in parts([mixed]) if part.title == "agent b")
    assert judged(take([mixed], small.id))[1].head_missing


def test_an_export_that_is_not_newest_first_keeps_its_order() -> None:
    """Ids or times say which way it goes."""
    rows = list(reversed(json.loads(two_agents())[:5]))
    report, account = judged(json.dumps(rows).encode())
    assert report.verdict == "conformant"
    assert "newest-first" not in [each.kind for each in account.artefacts]


def odd_shapes() -> dict[str, bytes]:
    """A HAR file in a shape no exporter gives it, with a login beside the stream."""
    whole = three_in_a_har()
    log = json.loads(whole)
    entries = log["log"]["entries"]
    return {
        "a comment first": b"// exported\n" + whole,
        "in another object": json.dumps({"har": log}).encode(),
        "in an array": json.dumps([log]).encode(),
        "another spelling": json.dumps({"Log": {"Entries": entries}}).encode(),
        "entries alone": json.dumps(entries, indent=1).encode(),
        "one entry": json.dumps(entries[0]).encode(),
        "an entry a line": "".join(json.dumps(each) + "\n" for each in entries).encode(),
        "far down": json.dumps({"about": ["x" * 100] * 2000, "har": log}).encode(),
        "a text": json.dumps(whole.decode()).encode(),
        "a text in an object": json.dumps({"har": json.dumps(log), "by": "x"}).encode(),
        "a text far down": json.dumps({"about": ["x" * 100] * 2000, "har": whole.decode()}).encode(),
        "in a fence": b"Look:\n```json\n" + whole + b"\n```\n",
        "a script": b"var har = " + whole + b";",
    }


@pytest.mark.parametrize("shape", odd_shapes())
def test_calls_of_a_har_file_that_is_none_are_refused(shape: str) -> None:
    """Cookies and headers of any name stand in them, so that masking alone would not do."""
    data = odd_shapes()[shape]
    with pytest.raises(Refused, match="cookies and credentials"):
        parts([data])
    with pytest.raises(Refused, match="calls of a HAR file"):
        parts([zipped({"a.json": data})])


@pytest.mark.parametrize("size", [1, 500_000])
def test_a_har_file_may_have_other_members_before_its_log(size: int) -> None:
    """However much of them: it is known as one, and never kept as something else."""
    data = json.dumps({"about": {"by": ["x" * 100] * (size // 100)}, **json.loads(three_in_a_har())}).encode()
    assert parts([data]) == parts([three_in_a_har()])
    kept = take([data], parts([data])[0].id)
    assert b"zzSECRET" not in kept
    assert b"xxx" not in kept
    report, _ = judged(kept)
    assert (report.verdict, report.events) == ("conformant", 5)


def test_a_har_file_far_down_without_a_stream_is_no_recording_of_objects() -> None:
    """Nothing of its calls is judged as an event."""
    log = json.loads(three_in_a_har())
    log["log"]["entries"] = log["log"]["entries"][:1]
    data = json.dumps({"about": ["x" * 100] * 2000, **log}).encode()
    for stream in every(lambda: [data]):
        found, records, _ = read(stream.chunks, stream.form)
        assert list(records) == []
        assert concluded(found, 0).form is None


def test_long_json_that_hides_nothing_is_read_as_it_is() -> None:
    """An array of events behind a long beginning is looked through, and that is all."""
    data = json.dumps([{"name": "x" * 200_000}, *CLEAN]).encode()
    assert parts([data]) == []
    assert b"".join(next(iter(every(lambda: [data]))).chunks) == data


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b" \n", b"\xef\xbb\xbf \r\n\t"])
def test_a_har_file_may_begin_with_white_space(before: bytes) -> None:
    """A byte order mark and blank lines are no odd shape."""
    assert len(parts([before + three_in_a_har()])) == len(parts([three_in_a_har()]))


def test_events_that_hold_a_har_file_are_a_stream() -> None:
    """A tool may give one as its result, as an object or as text."""
    held = json.loads(three_in_a_har())
    for value in (held, json.dumps(held)):
        events = [CLEAN[0], {"type": "CUSTOM", "name": "har", "value": value}, CLEAN[4]]
        for text in (sse(events), json.dumps(events, indent=1)):
            assert parts([text.encode()]) == []
            assert judged(text.encode())[0].verdict == "conformant"
