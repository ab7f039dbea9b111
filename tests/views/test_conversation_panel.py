"""The Conversation panel: what the user saw, as of any event; the engine's own list is the measure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.slices import every
from tests.streams import finished, message, sse, started
from webapp.core import Replay
from webapp.readers.read import read
from webapp.storage.db import Database

ROOT = Path(__file__).resolve().parents[2]
Show = Callable[..., Any]
Keep = Callable[..., str]


def text(body: Any) -> str:
    """A body's head as it reads."""
    return "" if body is None else unescape(re.sub(r"<[^>]+>", "", str(body.head)))


def same(value: str) -> str:
    """JSON without its layout; other text as it is."""
    try:
        return json.dumps(json.loads(value))
    except ValueError:
        return value


def told(panel: Any) -> list[Any]:
    """What the panel says the user saw: role, text, calls; results of unknown calls left out."""
    return [
        (
            entry.who,
            same(text(entry.body)) if entry.who == "activity" else text(entry.body),
            [(call.name, same(text(call.args))) for call in entry.calls if call.state_cls != "never"],
        )
        for entry in panel.entries
        if entry.cls not in ("gone", "never") and entry.who != "tool"
    ]


def held(messages: list[dict[str, Any]]) -> list[Any]:
    """The engine's messages in the same form."""
    out: list[Any] = []
    for each in messages:
        content = each.get("content")
        said = same(json.dumps(content)) if each["role"] == "activity" else content or ""
        calls = [(c["function"]["name"], same(c["function"]["arguments"])) for c in each.get("toolCalls", [])]
        if each["role"] != "tool":
            out.append((each["role"], said, calls))
    return out


def call(id_: str, parent: str, *pieces: str, end: bool = True) -> list[dict[str, Any]]:
    head = {"type": "TOOL_CALL_START", "toolCallId": id_, "toolCallName": "look", "parentMessageId": parent}
    args = [{"type": "TOOL_CALL_ARGS", "toolCallId": id_, "delta": piece} for piece in pieces]
    return [head, *args, *([{"type": "TOOL_CALL_END", "toolCallId": id_}] if end else [])]


def snapshot(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "MESSAGES_SNAPSHOT", "messages": list(messages)}


def asked(run: str, *texts: str) -> dict[str, Any]:
    """A run that echoes its request."""
    said = [{"id": f"u{n}", "role": "user", "content": text} for n, text in enumerate(texts)]
    echo = {"threadId": "t", "runId": run, "state": {}, "messages": said, "tools": [], "context": []}
    return {**started(run=run), "input": {**echo, "forwardedProps": {}}}


PLAN = {"messageId": "plan", "activityType": "PLAN"}
STREAMS: dict[str, list[Any]] = {
    "snapshots": [
        asked("r", "hello"),
        *message("m1", "one ", "two"),
        *call("c1", "m1", '{"a"', ":1}"),
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "messageId": "r1", "content": "found"},
        *message("m2", "open ", "still")[:-1],
        snapshot(
            {"id": "u0", "role": "user", "content": "hello"},
            {"id": "m2", "role": "assistant", "content": "open still"},
            {"id": "new", "role": "assistant", "content": "brought"},
        ),
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": " growing"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m2"},
        *message("m3", "after"),
        snapshot(
            {"id": "m3", "role": "assistant", "content": "after"},
            {"id": "m1", "role": "assistant", "content": "b"},
        ),
        *call("c9", "m3", "{}"),
        finished(),
    ],
    "kept by the client": [
        asked("r", "hello"),
        {"type": "REASONING_MESSAGE_START", "messageId": "q", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "q", "delta": "hm"},
        {"type": "REASONING_MESSAGE_END", "messageId": "q"},
        {"type": "ACTIVITY_SNAPSHOT", **PLAN, "content": {"done": 0}},
        {"type": "ACTIVITY_DELTA", **PLAN, "patch": [{"op": "replace", "path": "/done", "value": 1}]},
        {"type": "ACTIVITY_SNAPSHOT", **PLAN, "content": {"done": 9}, "replace": False},
        snapshot(
            {"id": "w", "role": "reasoning", "content": "whole"},
            {"id": "a", "role": "assistant", "content": "x"},
        ),
        snapshot({"id": "a", "role": "assistant", "content": "y"}),
        finished(),
    ],
    "calls before their message": [
        started(),
        *call("c1", "late", "{}"),
        *call("c2", "late", "{}"),
        *message("late", "here it is"),
        *call("c3", "nobody", "{}"),
        finished(),
    ],
    "two runs": [
        asked("r1", "first"),
        *message("m1", "answer"),
        finished(run="r1"),
        asked("r2", "first", "second"),
        *message("m2", "another"),
        finished(run="r2"),
    ],
    "rejected": [
        started(),
        *message("m1", "seen")[:-1],
        *message("m2", "done"),
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": "late"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": " unseen"},
        finished(),
    ],
}
CASES = [*STREAMS, *sorted(str(p) for p in (ROOT / "tests/samples").glob("*.sse"))]


@pytest.mark.parametrize("case", [*CASES, *sorted(str(p) for p in (ROOT / "webapp/samples").glob("*.sse"))])
def test_at_every_event_the_panel_and_the_engine_agree(case: str, keep: Keep, show: Show) -> None:
    """Roles, texts, calls and their order are those the application held right then."""
    body = sse(*STREAMS[case]) if case in STREAMS else Path(case).read_bytes()
    beside = Path(case.replace(".sse", ".input.json"))
    given = json.loads(beside.read_text()) if case not in STREAMS and beside.is_file() else None
    id_ = keep(body, run_input=given)
    replay = Replay("ag-ui", given)
    records = list(read([body])[1])
    looked = set(range(len(records)) if case in STREAMS else every(range(len(records)), 7, len(records) - 1))
    for number, record in enumerate(records):
        replay.feed(record.payload, record.at, record.framing)
        if number in looked:
            assert told(show("conversation", id_, event=number)) == held(replay.messages()), f"#{number}"


def test_a_message_a_snapshot_removed_is_struck_and_what_came_for_it_is_counted(
    keep: Keep, show: Show
) -> None:
    """Eleven events of the sample had no target; the later snapshot brings the text back."""
    id_ = keep("msaf-old-tool")
    then = show("conversation", id_, event=21)
    lost = [entry for entry in then.entries if entry.cls == "gone"]
    assert [text(entry.body) for entry in lost] == ["Let me look."]
    (note,) = lost[0].notes
    assert note.startswith("Removed by the snapshot at #10: from then on the user did not see it, until the ")
    assert note.endswith("snapshot at #22 brought it back.")
    assert lost[0].lost.words == "11 events came for it after that and had no target: 48 characters."
    assert text(lost[0].lost.body).startswith("Here is what the tools said")
    end = show("conversation", id_, event=5, asof="end")
    assert end.ended
    back = end.entries[-1]
    assert text(back.body) == "Let me look.Here is what the tools said: Sunny in Oslo, 21°C"
    assert "11 events after that had no target" in back.notes[0]


def test_a_rejected_call_is_cut_and_the_rest_is_told_apart(keep: Keep, show: Show) -> None:
    """Nothing after the refusal is shown as read; its length and text stand behind a fold."""
    panel = show("conversation", keep("pydantic-parallel"), event=39)
    said = next(entry for entry in panel.entries if entry.calls)
    assert [c.state for c in said.calls] == ["", "", "cut: the client stopped at #12"]
    assert said.calls[0].lost.words == "Sent, never reached the user: 1 piece, 12 characters, #12."
    assert {c.result_words for c in said.calls} == {"sent, never reached the user"}
    unseen = panel.entries[-1]
    assert (unseen.cls, unseen.body, unseen.dom) == ("never", None, panel.stop_at)
    assert unseen.lost.words.startswith("Sent, never reached the user: 18 pieces, 90 characters")
    before = show("conversation", panel.as_of.split("/")[2].split("?")[0], event=11)
    assert before.stop == ""
    assert [c.state for c in before.entries[1].calls] == ["", "", "still growing"]


def test_a_growing_message_has_what_had_come_of_it(keep: Keep, show: Show) -> None:
    """Inside a folded burst the text ends at the chosen event, and so do its links."""
    id_ = keep([started(), *message("m", "a ", "b ", "c ", "d "), finished()])
    entry = show("conversation", id_, event=3).entries[0]
    assert (text(entry.body), entry.state, entry.growing, entry.first, entry.last) == (
        "a b ",
        "still growing",
        True,
        1,
        3,
    )
    assert show("conversation", id_, event=7).entries[0].state == "complete"


def test_before_the_first_message_it_says_so_and_leads_there(keep: Keep, show: Show) -> None:
    """An empty conversation is no empty panel."""
    panel = show("conversation", keep([started(), *message("m", "hi"), finished()]), event=0)
    assert panel.empty == "As of #0 the user had seen no message."
    assert "event=1" in panel.first_said


def test_a_window_of_forty_with_counts_and_the_way_on(keep: Keep, show: Show) -> None:
    """Every message is reached by the links, once, and the counts add up."""
    id_ = keep([started(), *(e for n in range(150) for e in message(f"m{n}", f"text {n}")), finished()])
    panel = show("conversation", id_, event=225, asof="end")
    assert len(panel.entries) == 40
    assert any(entry.current and text(entry.body) == "text 74" for entry in panel.entries)
    assert panel.shown == "40 shown, 110 not shown"
    seen: list[str] = []
    at: int | None = 0
    while at is not None:
        page = show("conversation", id_, event=225, asof="end", start=at)
        seen += [text(entry.body) for entry in page.entries]
        found = re.search(r"start=(\d+)", page.later.href) if page.later else None
        at = int(found[1]) if found else None
    assert list(dict.fromkeys(seen)) == [f"text {n}" for n in range(150)]


def test_long_texts_keep_their_beginning_and_end(keep: Keep, show: Show, write: Callable[..., str]) -> None:
    """Ten million characters make a small page, with the count of what is left out and where it is."""
    parts = ["x" * 2_500_000] * 4
    id_ = keep([started(), *message("m", "begin ", *parts, " end"), finished()])
    entry = show("conversation", id_, event=7).entries[0]
    assert str(entry.body.head).startswith("begin xxx")
    assert str(entry.body.tail).endswith("xxx end")
    assert entry.body.left == 10_000_010 - len(entry.body.head) - len(entry.body.tail)
    html = write("conversation", id_, event=7)
    assert len(html) < 20_000
    assert f"/traces/{id_}/text/0?upto=7" in html
    assert "show all" not in write("conversation", id_, event=7, shared=True)


def test_hostile_text_is_shown_as_data(keep: Keep, write: Callable[..., str]) -> None:
    """Markup is escaped; half a character, NUL and direction marks are signs with their code."""
    half, rest = "\ud83d", "\ude00 <script>alert(1)</script> \x00 \u202e"
    events = [started(), *message("m", f"{half} ", half, rest), *call("c", "m", '{"a":"\ud83d"}'), finished()]
    html = write("conversation", keep(events), event=10)
    assert 'title="U+D83D: half of a character, as it was sent">\ufffd</span>' in html
    assert "😀 &lt;script&gt;" in html
    assert "U+0000" in html
    assert "U+202E" in html
    html.encode()


def test_a_failed_run_says_so_after_the_last_message(keep: Keep, show: Show) -> None:
    """The run's own error is what the user sees last; an open message is cut by it."""
    error = {"type": "RUN_ERROR", "message": "overloaded"}
    panel = show("conversation", keep([started(), *message("m", "half")[:-1], error]), event=3)
    assert panel.failed == "The run ended in an error at #3: overloaded"
    assert panel.entries[0].state == "cut: the run ended at #3 and left it open"


def test_lanes_are_named_where_there_are_several(keep: Keep, show: Show) -> None:
    """Whose message it is stands on it."""
    panel = show("conversation", keep("proto-subagents"), event=38)
    assert [entry.lane for entry in panel.entries] == ["", "parent", "researcher", "writer", "summariser"]


def test_the_number_of_queries_does_not_grow(keep: Keep, show: Show, database: Database) -> None:
    """Six times as many messages are asked for with the same number of queries."""
    from sqlalchemy import event

    numbers = []
    for size in (60, 360):
        id_ = keep([started(), *(e for n in range(size) for e in message(f"m{n}", "a", "b")), finished()])
        asked: list[str] = []
        listen = (database.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))  # noqa: B023
        event.listen(*listen)
        show("conversation", id_, event=size * 4)
        event.remove(*listen)
        numbers.append(len(asked))
    assert numbers[0] == numbers[1] < 30


def test_ids_that_no_database_takes_find_their_messages(keep: Keep, write: Callable[..., str]) -> None:
    """A message and a call whose ids hold half a character or NUL are the same ones in a snapshot."""
    mine, its = "\ud83dm", "c\x00"
    whole = {"id": mine, "role": "assistant", "content": "Hello", "toolCalls": [
        {"id": its, "type": "function", "function": {"name": "weather", "arguments": "{}"}}]}  # fmt: skip
    answer = {"id": "\udc00", "role": "tool", "toolCallId": its, "content": "Sunny"}
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [whole, answer]}
    events = [started(), *message(mine, "Hello"), *call(its, mine, "{}"), snapshot, finished()]
    html = write("conversation", keep(events), event=len(events) - 1)
    assert html.count("Hello") == 1
    assert "Sunny" in html
    assert ">#7</a> has it" in html


def test_an_activity_that_copies_itself_again_and_again_is_shown(keep: Keep, show: Show) -> None:
    """Sixty doublings are more than memory holds; the panel shows what the engine made of them."""
    patch = [{"op": "copy", "from": "", "path": f"/x{number}"} for number in range(60)]
    events = [
        started(),
        {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "plan", "content": {"a": "first"}},
        *(
            {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "plan", "patch": [op]}
            for op in patch
        ),
        finished(),
    ]
    entry = show("conversation", keep(events), event=40).entries[0]
    assert "first" in text(entry.body)


def test_a_patch_without_its_members_does_nothing(keep: Keep, show: Show) -> None:
    """What enforcement strips or refuses is not applied for showing it either."""
    content = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "plan", "content": {"a": 1}}
    odd = [{"op": "add"}, {"path": "/b"}, 7, None, {"op": "grow", "path": "/a"}]
    patches = [
        {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "plan", "patch": [op]} for op in odd
    ]
    entry = show("conversation", keep([started(), content, *patches, finished()])).entries[0]
    assert json.loads(text(entry.body)) == {"a": 1}
