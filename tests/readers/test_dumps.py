"""Dumps of Python and Node and the logs of SDKs and HTTP clients: what is read of them, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exchanges import broken, good
from tests.readers.test_wrapping import judged
from webapp.core.findings import Report
from webapp.readers.base import Account
from webapp.readers.detect import detect, open_reader
from webapp.readers.limits import Limits
from webapp.readers.read import read

FORMS = Path(__file__).parent / "forms"
CALL = "https://smba.trafficmanager.net/amer/v3/conversations/a%3A1zz/activities"


def loaded(data: bytes, form: str | None = None) -> tuple[str | None, list[Any], Account]:
    """Form, decoded records, account."""
    found, records, account = read([data], form)
    values = [json.loads(record.payload) for record in records]
    return found.form, values, account


def sample(name: str) -> bytes:
    return (FORMS / name).read_bytes()


def kinds(account: Account) -> list[str]:
    return [artefact.kind for artefact in account.artefacts]


def keys(report: Report) -> list[str]:
    return [finding.key for finding in report.findings]


# -- Python


def test_python_events_get_the_names_of_the_wire_and_lose_what_is_none():
    """Quotes, escapes, nested models and the application's own keys come through."""
    form, events, account = loaded(sample("python/events.log"))
    assert form == "python"
    assert events[0] == {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"}
    assert events[2]["delta"] == "é 한 \"q\" 'x'\n"
    assert events[4]["snapshot"] == {"snake_key": None}
    assert events[5]["messages"][2]["toolCalls"][0]["function"] == {"name": "f", "arguments": "{}"}
    assert "content" not in events[5]["messages"][2]
    assert kinds(account) == ["python-repr"]


def test_a_python_log_is_conformant_and_has_the_time_of_its_prefix():
    """What a log hides is no fault of the agent."""
    _, report = judged(sample("python/events.log"))
    assert report.verdict == "conformant"
    records = list(read([sample("python/events.log")])[1])
    assert records[1].prefix_at is not None
    assert records[0].prefix_at is not None
    assert records[1].prefix_at - records[0].prefix_at == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("None", None),
        ("<Enum.A: 'a'>", "a"),
        ("Enum.A", "A"),
        ("(1, 2)", [1, 2]),
        ("('a'\n 'b')", "ab"),
        ("{'a', 'b'}", ["a", "b"]),
        (r"'\x41\u00e9\U0001f600\\'", "Aé😀\\"),
        (r"r'\n'", "\\n"),
        ("datetime.datetime(2026, 9, 1, 8, 0, tzinfo=TzInfo(UTC))", "2026-09-01T08:00:00Z"),
        ("UUID('a-b')", "a-b"),
        ("-1.5e3", -1500.0),
        ("nan", None),
        ("1_000", 1000),
        ("<object at 0x1>", "<object at 0x1>"),
    ],
)
def test_python_values(text, value):
    """Each way of showing a value, as the value of a custom event."""
    data = f"CustomEvent(type=<EventType.CUSTOM: 'CUSTOM'>, name='a.b', value={text})\n".encode()
    assert loaded(data, "python")[1] == [{"type": "CUSTOM", "name": "a.b", "value": value}]


def test_an_event_that_breaks_off_is_not_understood():
    """Nothing is guessed of a line that a log cut."""
    good = "type=<EventType.RUN_ERROR: 'RUN_ERROR'> message='x'\n"
    _, events, account = loaded((good + "type=<EventType.RUN_ERROR: 'RUN_ERROR'> message='cu\n").encode())
    assert len(events) == 1
    assert [stray.line for stray in account.strays] == [2]


def test_required_nulls_stay():
    """A snapshot of null is a snapshot, and so is an operation's value."""
    text = (
        "type=<EventType.STATE_SNAPSHOT: 'STATE_SNAPSHOT'> snapshot=None\n"
        "type=<EventType.STATE_DELTA: 'STATE_DELTA'> delta=[AddOperation(op='add', path='/x', value=None)]\n"
    )
    assert [event.get("snapshot", event.get("delta")) for event in loaded(text.encode())[1]] == [
        None,
        [{"op": "add", "path": "/x", "value": None}],
    ]


def test_python_events_on_the_wire_are_no_log():
    """`data: type=<EventType…` was sent like that: it stays a fault of the stream."""
    found = detect(b"data: type=<EventType.RUN_STARTED: 'RUN_STARTED'>\n\n" * 3, complete=True)
    assert found.form == "sse"


def test_activities_as_pydantic_shows_them():
    """The repr of an SDK's activity is an activity."""
    form, activities, _ = loaded(sample("python/activities.log"))
    assert form == "python"
    assert activities[0]["conversation"] == {"id": "a:1zz", "conversationType": "personal"}
    assert activities[0]["entities"] == [
        {"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}
    ]


def test_a_dump_of_activities_is_translated_and_judged():
    """`additional_properties` go where they belong; deltas are found all the same."""
    form, activities, account = loaded(sample("python-activities/dump.jsonl"))
    assert form == "python-activities"
    assert activities[1]["entities"][0]["streamId"] == "179"
    assert activities[1]["channelData"] == {"feedbackLoopEnabled": True}
    assert activities[0]["from"] == {"id": "28:bot"}
    assert "python-activities" in kinds(account)
    assert "TEAMS-006" not in {key[:9] for key in keys(judged(sample("python-activities/dump.jsonl"))[1])}


def test_snake_case_on_the_wire_stays_a_fault():
    """An exchange with snake_case and no sign of a dump is judged as sent."""
    info = {"type": "streaminfo", "stream_type": "streaming", "stream_sequence": 1}
    body = {"type": "typing", "text": "a", "service_url": "https://x", "entities": [info]}
    line = {"method": "POST", "url": CALL, "request": body, "response": {"status": 400, "body": {}}}
    form, report = judged(json.dumps(line).encode())
    assert form == "ndjson"
    assert any(key.startswith("TEAMS-006") for key in keys(report))


# -- Node


def test_node_objects_become_exchanges():
    """axios responses, RestErrors and activities, with what the answer said."""
    form, records, account = loaded(sample("js-objects/calls.log"))
    assert form == "js-objects"
    error, response, activity, hidden = records
    assert error["response"] == {
        "status": 403,
        "body": {
            "error": {"code": "ContentStreamNotAllowed", "message": "Content stream was canceled by user."}
        },
    }
    assert error["request"]["text"] == 'It\'s "fine"'
    assert response["response"]["body"] == {"id": "179"}
    assert activity["text"].startswith("line1\nline2")
    assert activity["text"].endswith("\nmore")
    assert hidden["request"] is None, "its entities were not shown"
    assert "inspect-cut" in kinds(account)


def test_a_request_and_its_answer_are_one_exchange():
    """Logged before it goes out and again with the answer."""
    request = f"{{ method: 'post', url: '{CALL}', data: '{{\"type\":\"typing\"}}' }}"
    text = f"request {request}\nresponse {{ status: 202, data: {{}}, config: {request} }}\n"
    form, records, account = loaded(text.encode())
    assert form == "js-objects"
    assert [record["response"]["status"] for record in records] == [202]
    assert account.ignored == {"request that stands again with its answer": 1}


def test_an_answer_that_never_came_is_lost():
    """A network error has a code and no response."""
    text = f"{{ code: 'ECONNRESET', config: {{ method: 'post', url: '{CALL}', data: '{{}}' }} }}\n"
    assert loaded(text.encode(), "js-objects")[1][0]["response"] is None


def test_an_event_that_node_cut_is_left_out_not_blamed():
    """`[Array]` for the messages of a snapshot is no empty snapshot."""
    text = (
        "{ type: 'RUN_STARTED', threadId: 't', runId: 'r', input: [Object] }\n"
        "{ type: 'MESSAGES_SNAPSHOT', messages: [Array] }\n"
    )
    _, events, account = loaded(text.encode())
    assert events == [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    assert account.ignored == {"event that Node did not show whole": 1}


def shown(value: Any, deep: int = 0) -> str:
    """As `util.inspect` shows it with `depth: null`."""
    if isinstance(value, dict):
        pad = "  " * (deep + 1)
        rows = (f"{pad}{name}: {shown(each, deep + 1)}" for name, each in value.items())
        return "{\n" + ",\n".join(rows) + "\n" + "  " * deep + "}"
    if isinstance(value, list):
        return "[ " + ", ".join(shown(each, deep) for each in value) + " ]"
    return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) else json.dumps(value)


def as_axios(exchanges: list[dict[str, Any]]) -> bytes:
    rows = []
    for each in exchanges:
        config = {"method": "post", "url": each["url"], "data": json.dumps(each["request"])}
        answer = each["response"]
        value = {"status": answer["status"], "config": config, "data": answer["body"]}
        rows.append(f"2026-09-01 08:00:{each['at']:06.3f} response {shown(value)}\n")
    return "".join(rows).encode()


def test_teams_exchanges_logged_by_axios_are_judged_like_the_exchanges():
    """The good stream is conformant; a delta is refused at the same call."""
    form, report = judged(as_axios(good()))
    assert (form, report.verdict, report.events) == ("js-objects", "conformant", 5)
    form, report = judged(as_axios(broken()))
    assert (form, report.verdict) == ("js-objects", "rejected")
    assert [key for key in keys(report) if key.startswith("TEAMS-020")] == ["TEAMS-020@1"]


# -- consoles and HTTP logs


def test_the_prefix_of_every_console_line_is_taken_off():
    """Pretty JSON is put together again; other lines of the console are counted."""
    form, activities, account = loaded(sample("sdk-console/activities.log"))
    assert form == "sdk-console"
    assert [activity["text"] for activity in activities] == ["Hel", "Hel"]
    assert account.ignored == {"console line without JSON": 2}
    assert account.not_understood == 0


def test_another_logger_in_between_is_no_part_of_the_json():
    """Two loggers write into each other."""
    lines = ["{", '  "type": "RUN_ERROR",', '  "message": "x"', "}"]
    text = [f"[DEBUG] app {line}" for line in lines]
    text.insert(2, "[INFO] http {")
    assert loaded("\n".join(text).encode())[1] == [{"type": "RUN_ERROR", "message": "x"}]


def test_the_group_chat_of_a_dotnet_log():
    """B9: a 405 in a group is TEAMS-046; the outer handler's lines and other hosts add nothing."""
    form, report = judged(sample("http-log/dotnet.log"))
    assert (form, report.events, report.verdict) == ("http-log", 1, "rejected")
    assert keys(report) == ["TEAMS-046@0"]
    b9 = (
        "Sending HTTP request POST …/conversations/19%3Aexample%40thread.v2/activities\n"
        "Received HTTP response headers after 41.0ms - 405\n"
    )
    assert keys(judged(b9.encode())[1]) == ["TEAMS-046@0"]


def test_rules_about_content_say_that_there_are_no_bodies():
    """Nothing is passed as checked that nobody could see."""
    _, report = judged(sample("http-log/dotnet.log"))
    reasons = {skipped.rule: skipped.reason for skipped in report.skipped_rules}
    assert reasons["TEAMS-020"] == "The recording holds no request bodies."


def test_an_httpx_log_tells_pace_and_refusals():
    """The SDK's warning says which of the 403s it was; going on after the Stop is an error."""
    form, records, account = loaded(sample("http-log/httpx.log"))
    assert form == "http-log"
    assert [record["response"]["status"] for record in records] == [201, 202, 202, 403, 403]
    assert records[3]["response"]["body"]["error"]["message"] == "Content stream was canceled by user"
    assert set(kinds(account)) == {"answer-times", "no-bodies"}
    _, report = judged(sample("http-log/httpx.log"))
    assert keys(report) == ["TEAMS-037@2", "TEAMS-044@4"]
    assert report.rejected_at == 4


def test_answers_find_their_calls_when_two_are_on_their_way():
    """First asked, first answered; a call without an answer stays open."""
    text = "\n".join(
        [
            f"Sending HTTP request POST {CALL}",
            f"Sending HTTP request PUT {CALL}/1",
            "Received HTTP response headers after 10ms - 202",
            "HTTP request failed after 99ms",
            f"Sending HTTP request DELETE {CALL}/1",
        ]
    )
    records = loaded(text.encode())[1]
    assert [(r["method"], r.get("response", "open")) for r in records] == [
        ("POST", {"status": 202, "body": None}),
        ("PUT", None),
        ("DELETE", "open"),
    ]


def test_calls_to_other_addresses_are_passed_over():
    """A log of an agent without a single connector call is no recording of Teams."""
    line = b'INFO:httpx:HTTP Request: POST https://x.example/v1/chat "HTTP/1.1 200 OK"\n'
    assert detect(line * 3, complete=True).form is None


# -- hostile


@pytest.mark.parametrize("form", ["python", "http-log", "js-objects", "sdk-console", "python-activities"])
@pytest.mark.parametrize(
    "bait",
    [
        b"\\'" * 60_000,
        b"{'a': " * 20_000,
        b"xEvent(a=" * 15_000,
        b"[DEBUG] app {\n" * 8_000,
        b"a$" * 60_000,
        b"{ a " * 30_000,
        b" \n" * 60_000,
        b"xEvent(\n" * 15_000,
        b"POST http://a/" + b":=" * 60_000,
        b"\x00\xff\xfe" * 40_000,
    ],
)
def test_bait_is_read_in_a_glance_and_accounted_for(form, bait):
    """Unclosed quotes and brackets without end: every line has its use, nothing is raised."""
    reader = open_reader(form, Limits())
    list(reader.feed(bait))
    list(reader.close())
    account = reader.account
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
