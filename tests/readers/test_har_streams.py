"""HAR files with an agent's stream: what is read, what is said, what is kept."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.readers.several import parts, take
from tests.readers.wrapping import CLEAN, START, WRAPS, entry, har, line, sse
from webapp.core.records import Record
from webapp.readers.base import Account
from webapp.readers.read import read

URL = "https://x.example/agent"


def looked(data: bytes) -> tuple[list[Record], Account]:
    _, records, account = read([data], "har-stream")
    return list(records), account


def kinds(account: Account) -> list[str]:
    return [artefact.kind for artefact in account.artefacts]


def sifted(data: bytes) -> dict[str, Any]:
    [part] = parts([data])
    [kept] = json.loads(take([data], part.id))["log"]["entries"]
    assert isinstance(kept, dict)
    return kept


def test_messages_have_the_best_clock_and_their_own_lines() -> None:
    """Each is offered with its time, at the line it stands on."""
    data = WRAPS["HAR, EventSource messages"][1](CLEAN)
    records, account = looked(data)
    assert [record.at for record in records] == [START / 1000 + n / 10 for n in range(5)]
    assert len({record.line for record in records}) == 5
    for record in records:
        assert data[record.offset :].lstrip().startswith(b"{\n")
    assert account.records == 5
    assert kinds(account) == []


def test_a_body_has_the_times_of_its_call_alone() -> None:
    """The first event bears the beginning, the last the end; the note says what is not known."""
    records, account = looked(WRAPS["HAR, body as text"][1](CLEAN))
    assert [record.at for record in records] == [START / 1000, None, None, None, START / 1000 + 1.5]
    assert kinds(account) == ["har-times"]
    assert account.head is not None
    assert (account.head.status, account.head.content_type) == (200, "text/event-stream")


def test_events_with_times_of_their_own_keep_them_as_the_clock() -> None:
    """Two times of the call would hide them."""
    stamped = [{**event, "timestamp": START + n} for n, event in enumerate(CLEAN)]
    records, _ = looked(har(entry(URL, {"text": sse(stamped)})))
    assert {record.at for record in records} == {None}


def test_a_body_that_is_not_there_is_said() -> None:
    """Browsers leave streamed bodies out; that is no empty stream."""
    data = har(entry(URL, {"size": 4000}))
    records, account = looked(data)
    assert records == []
    assert kinds(account) == ["har-no-body"]
    assert parts([data])[0].reasons == ("its body is not in the file", "began 2026-09-01 08:00:00")


def test_a_body_that_is_cut_is_said_and_not_blamed() -> None:
    """What is missing at the end is the recording's fault, so the missing end is not judged."""
    data = har(entry(URL, {"size": 50_000, "text": sse(CLEAN[:3])}))
    _, account = looked(data)
    assert "har-truncated" in kinds(account)
    assert account.unjudged == {"AGUI-TRN-10": "The end of the body is not in the HAR file."}
    assert "its end is not in the file" in parts([data])[0].reasons


@pytest.mark.parametrize("text", ["%%%", base64.b64encode(b"\xff\xfe").decode()])
def test_a_body_that_is_no_stream_is_no_event(text: str) -> None:
    """Broken base64 and binary bytes end as nothing read."""
    records, account = looked(har(entry(URL, {"text": text, "encoding": "base64"})))
    assert records == []
    assert kinds(account) == ["har-body"]


def test_nothing_is_kept_but_what_the_stream_needs() -> None:
    """No cookie, no credential, no query; of other headers the name alone."""
    kept = sifted(WRAPS["HAR, body as text"][1](CLEAN))
    assert "zzSECRET" not in json.dumps(kept)
    assert kept["request"]["url"] == URL
    assert set(kept["request"]) == {"method", "url", "postData"}
    assert kept["response"]["headers"] == [
        {"name": "Content-Type", "value": "text/event-stream"},
        {"name": "Set-Cookie", "value": ""},
    ]


def test_taking_it_twice_changes_nothing() -> None:
    """What is kept of what is kept is the same."""
    for name in ("HAR, body as text", "HAR, EventSource messages", "HAR, body in base64"):
        data = WRAPS[name][1](CLEAN)
        once = take([data], parts([data])[0].id)
        assert take([once], parts([once])[0].id) == once


def test_json_lines_of_events_are_a_stream_whatever_their_type_is_called() -> None:
    """Some agents answer with JSON lines; a page that speaks of events is none."""
    lines = "".join(f"{line(event)}\n" for event in CLEAN)
    data = har(
        entry(URL, {"mimeType": "application/x-ndjson", "text": lines}),
        entry(URL, {"mimeType": "text/html", "text": f"<p>{sse(CLEAN)}"}),
    )
    assert [part.events_guess for part in parts([data])] == [5]


def test_halves_of_pairs_and_odd_values_end_nowhere() -> None:
    """Members of any type, and text that no encoder takes."""
    odd = entry(
        URL, {"text": sse(CLEAN)}, _eventSourceMessages=[None, {"data": 3}, {"data": "\ud83d", "time": "x"}]
    )
    odd["request"]["postData"] = ["x"]
    odd["response"]["headers"] = [None, {"name": 3}, {"name": "x\n", "value": {}}]
    [part] = parts(
        [
            json.dumps(
                {"log": {"entries": [odd, None, 7, {"request": 1, "response": "event-stream"}]}}
            ).encode()
        ]
    )
    assert part.events_guess == 1
