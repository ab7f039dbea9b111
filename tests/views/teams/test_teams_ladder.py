"""The ladder of stored Teams recordings: its window, its words, its bounds, and the prefix diff."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.exchanges import BASE, CHAT, STREAM, activity, exchange
from webapp.core.teams.compare import difference
from webapp.draw.sequence import count
from webapp.ingest.upload import ingest
from webapp.settings import load_settings
from webapp.storage import traces
from webapp.storage.db import Database
from webapp.views.panels.ladder import LadderPanel
from webapp.views.selection import Selection
from webapp.views.sequence_files import picture, text
from webapp.views.teams.ladder_facts import RUNGS
from webapp.views.teams.prefix_cells import AFTER, BEFORE
from webapp.views.teams.prefix_diff import KINDS, PrefixDiff, compare
from webapp.views.trace import build

Show = Callable[..., LadderPanel]
PREFIX = "Request streamed content should contain the previously streamed content"
STOP = "Content stream was canceled by user"
TIME = "Content stream finished due to exceeded streaming time."


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def no(message: str) -> dict[str, Any]:
    return {"error": {"code": "ContentStreamNotAllowed", "message": message}}


def start(at: float, words: str, kind: str = "streaming", stream: str = STREAM) -> dict[str, Any]:
    return exchange(at, activity(words, 1, None, kind), 201, {"id": stream})


@pytest.fixture
def show(database: Database, tmp_path: Path) -> Show:
    """Store records (or bytes) and build the panel as the page would."""

    def panel(*records: dict[str, Any] | bytes, **chosen: Any) -> LadderPanel:
        data = b"".join(one if isinstance(one, bytes) else lines(one) for one in records)
        settings = load_settings(data_dir=tmp_path)
        stored = ingest(database, [data], name="desk", settings=settings, protocol="teams")
        with database.session() as session:
            trace = traces.get(session, stored.id)
            assert trace is not None
            view = build(session, trace, Selection("/traces/x", "sequence", **chosen))
            assert isinstance(view.panel, LadderPanel)
            return view.panel

    return panel


def numbers(panel: LadderPanel) -> list[str]:
    return re.findall(r'aria-label="(#\d+)', panel.left)


def citation() -> list[dict[str, Any]]:
    """A citation mark that is cut, shown, and then rewritten."""
    return [
        start(0.0, "The report lists 12 items [doc1"),
        exchange(1.7, activity("The report lists 12 items [1] and 7 ", 2), 403, no(PREFIX)),
    ]


def growing(number: int, every: float = 1.6) -> list[dict[str, Any]]:
    """One long stream of nothing but chunks."""
    out = [start(0.0, "word ")]
    out += [exchange(n * every, activity("word " * (n % 200 + 1), n + 1)) for n in range(1, number)]
    return out


# ── the ladder ───────────────────────────────────────────────


def test_a_refused_chunk_is_told_as_it_happened(show: Show) -> None:
    """Words on the arrows, the answer's code, the reason, what the chat holds, and that the recording ends."""
    panel = show(*citation())
    for words in (
        "chunk 1, 31 characters",
        "201, stream 1790…0001, 120 ms",
        "The report lists 12 items",
        "chunk 2, 36 characters",
        "403 ContentStreamNotAllowed",
        "refused: ",
        "next from 1.00 s",
        "The recording ends here. No final, no further chunk.",
        "still “in progress”",
    ):
        assert words in panel.right
    assert (panel.refused, panel.dropped, panel.lost, panel.unanswered) == (True, False, False, False)
    assert numbers(panel) == ["#0", "#1"]
    assert 'aria-current="true"' in panel.left
    assert "refused: #1" in panel.summary


def test_each_kind_of_call_has_its_words(show: Show) -> None:
    """Status line, final, plain message, typing sign, edit, deletion, the user's own message."""
    panel = show(
        start(0.0, "Reading…", "informative"),
        exchange(1.6, activity("You have", 2)),
        exchange(3.2, activity("You have 12 days.", None)),
        exchange(5.0, {"type": "message", "text": "Anything else?"}, 201, {"id": "m2"}),
        exchange(6.5, {"type": "typing"}),
        exchange(
            8.0,
            {"type": "message", "text": "So."},
            200,
            url=f"{BASE}/v3/conversations/{CHAT}/activities/m2",
            method="PUT",
        ),
        exchange(9.0, None, 200, url=f"{BASE}/v3/conversations/{CHAT}/activities/m2", method="DELETE"),
    )
    for words in (
        "status line 1", "chunk 2, 8 characters", "final, 17 characters", "plain message, 14 characters",
        "typing sign", "plain edit, 3 characters", "deletion", "status line</text>", "complete</text>", "is typing…",
    ):  # fmt: skip
        assert words in panel.right


def test_the_users_own_message_comes_from_the_chat(show: Show) -> None:
    """In a transcript, and of its calls no answer is recorded."""
    panel = show(
        lines(
            {"type": "message", "id": "u1", "timestamp": "2026-09-01T09:00:00.000Z", "channelId": "msteams",
             "from": {"id": "29:user", "role": "user"}, "conversation": {"id": CHAT}, "text": "status?"},
            {"type": "typing", "id": STREAM, "timestamp": "2026-09-01T09:00:01.000Z", "channelId": "msteams",
             "from": {"id": "28:bot", "role": "bot"}, "conversation": {"id": CHAT}, "text": "Loo",
             "entities": [{"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}]},
        )
    )  # fmt: skip
    assert "the user writes" in panel.right
    assert "status?" in panel.right
    assert "answer not recorded" in panel.right
    assert panel.unanswered


def test_what_became_of_a_call_is_told(show: Show) -> None:
    """Dropped with a success status, lost without an answer."""
    order = {
        "error": {"code": "ContentStreamSequenceOrderPreConditionFailed", "message": "PreCondition failed"}
    }
    panel = show(
        start(0.0, "a"),
        exchange(1.6, activity("ab", 3)),
        exchange(3.2, activity("abc", 2), 202, order),
        exchange(4.8, activity("abcd", 4), None),
    )
    assert "202, but ContentStreamSequence" in panel.right
    assert "dropped: " in panel.right
    assert "no answer came" in panel.right
    assert (panel.dropped, panel.lost) == (True, True)


def test_a_respected_stop_is_no_fault(show: Show) -> None:
    """It is refused, and not in red."""
    panel = show(start(0.0, "The "), exchange(1.7, activity("The report", 2), 403, no(STOP)), event=1)
    assert "refused: the user pressed Stop" in panel.right
    assert "as-fatal" not in panel.right
    assert "Stopped by the user." in panel.right


def test_the_clock_ends_where_teams_says_that_time_is_up(show: Show) -> None:
    """Then a plain edit completes the text."""
    panel = show(
        start(0.0, "The "),
        exchange(8.4, activity("The report", 2), 403, no(TIME)),
        exchange(11.0, {"type": "message", "text": "The report."}, 200, {"id": STREAM},
                 url=f"{BASE}/v3/conversations/{CHAT}/activities/{STREAM}", method="PUT"),
    )  # fmt: skip
    assert "time is up" in panel.right
    assert "edited, complete" in panel.right
    assert "The recording ends here. Completed by a plain edit." in panel.right


def test_without_answers_the_end_claims_no_complete_reply(show: Show) -> None:
    """The final was sent; that Teams took it no answer shows."""
    calls = [
        {**start(0.0, "One"), "response": None},
        {**exchange(1.6, activity("One two.", None)), "response": None},
    ]
    panel = show(*[{name: call[name] for name in call if name != "took"} for call in calls])
    assert "The recording ends here. Complete, if Teams took it." in panel.right


def test_streams_have_headings_and_ends(show: Show) -> None:
    """Where a second stream begins, and that the first one was left open."""
    panel = show(
        start(0.0, "One"),
        start(200.0, "Two", stream="1790000000002"),
        exchange(201.6, activity("Two.", None, "1790000000002")),
    )
    assert "Stream 1 begins" in panel.right
    assert "Stream 2 begins, 1790000000002" in panel.right
    assert "No final, no further chunk." in panel.right or "Never closed" in panel.right
    assert "The recording ends here. The reply is complete." in panel.right
    assert "without a call" in panel.right


def test_without_times_a_sentence_stands_for_ruler_and_clock(show: Show) -> None:
    """Evenly, and nothing is measured."""
    records = [{key: value for key, value in one.items() if key not in ("at", "took")} for one in citation()]
    panel = show(*records)
    assert panel.untimed.startswith("No times were recorded")
    assert "Ruler" not in panel.head_right
    assert "next from" not in panel.right


def test_uneventful_chunks_fold_and_unfold(show: Show) -> None:
    """The start, the chosen one and the one before something else stand alone; findings never fold."""
    records = [*growing(30), exchange(60.0, activity("nonsense", 31), 403, no(PREFIX))]
    folded = show(*records, event=30)
    assert numbers(folded) == ["#0", "#1", "#29", "#30"]
    assert "chunks 2–29, ×28, 43 s" in folded.right
    assert "each answered 202" in folded.right
    inside = show(*records, event=12)
    assert numbers(inside) == ["#0", "#1", "#11", "#12", "#13", "#29", "#30"]
    unfolded = show(*records, event=0, fold=False)
    assert numbers(unfolded) == [f"#{n}" for n in range(31)]
    assert folded.fold_href.endswith("event=30&fold=0")


# ── windows and bounds ───────────────────────────────────────


@pytest.fixture(scope="module")
def long_recording() -> bytes:
    """5,000 calls of one stream."""
    return lines(*growing(5000))


@pytest.mark.parametrize("event", [0, 2500, 4999])
@pytest.mark.parametrize("fold", [True, False])
def test_five_thousand_exchanges_stay_bounded(
    show: Show, long_recording: bytes, event: int, fold: bool
) -> None:
    """A window of rungs, links to the rest."""
    panel = show(long_recording, event=event, fold=fold)
    shown = numbers(panel)
    assert 1 < len(shown) <= RUNGS
    assert f"#{event}" in shown
    parts = (panel.head_left, panel.head_right, panel.left, panel.right)
    assert sum(count(part) for part in parts) < 1400
    assert len("".join(parts)) < 400_000


def test_windows_join_without_a_gap(show: Show, long_recording: bytes) -> None:
    """Earlier and Later carry ranges and counts, and lead to neighbours."""
    panel = show(long_recording, event=2500, fold=False)
    shown = numbers(panel)
    assert panel.earlier is not None
    assert panel.later is not None
    first, last = int(shown[0][1:]), int(shown[-1][1:])
    assert panel.earlier.words == f"#0–{first - 1}, {first:,} more exchanges"
    assert panel.later.words == f"#{last + 1}–4999, {4999 - last:,} more exchanges"
    behind = show(long_recording, event=2500, start=last + 1, fold=False)
    assert numbers(behind)[0] == f"#{last + 1}"
    assert behind.away is not None
    assert behind.away.words == "#2500 is not in this window"
    place = re.findall(r"start=(\d+)", panel.earlier.href)
    before = show(long_recording, event=2500, start=int(place[0]), fold=False)
    assert int(numbers(before)[-1][1:]) >= first - 1


def test_a_clock_goes_on_from_a_start_before_the_window(show: Show) -> None:
    """The time used is counted from the start's answer, wherever that stands."""
    panel = show(*growing(70), event=60, fold=False)
    assert "95.9 s" in panel.right


def test_many_small_streams_take_fewer_rungs(show: Show) -> None:
    """Each has a heading, an end and a clock."""
    records = [start(n * 130.0, f"stream {n}", stream=str(1790000000000 + n)) for n in range(120)]
    panel = show(*records, event=60)
    parts = (panel.head_left, panel.head_right, panel.left, panel.right)
    assert sum(count(part) for part in parts) < 1400
    assert "#60" in numbers(panel)


def test_hostile_texts_are_data(show: Show) -> None:
    """Markup, direction marks, lone surrogates, absurd numbers and times."""
    bad = "<script>alert(1)</script>\u202e\ud83d"
    panel = show(
        exchange(1e300, activity(bad, 1, None), 201, {"id": bad}),
        exchange(-1e300, activity(bad + "x" * 3000, 10**40, bad), 403, {"error": {"code": bad, "message": bad}}),
        exchange(3.0, {"type": "message", "text": bad, "from": {"name": bad}}),
        b'"no object"\n{"at":1,"method":"POST","url":"x","request":"{","response":{"status":200}}\n',
    )  # fmt: skip
    drawn = f"{panel.head_right}{panel.left}{panel.right}"
    assert "<script" not in drawn
    assert "\u202e" not in drawn
    assert " style=" not in drawn
    drawn.encode("utf-8")
    for part in (panel.head_right, panel.left, panel.right):
        ElementTree.fromstring(str(part))


# ── files ────────────────────────────────────────────────────


def test_downloads_are_whole_documents(database: Database, show: Show) -> None:
    """The picture and the Mermaid text of the same window."""
    show(*citation())
    with database.session() as session:
        trace, *_ = traces.list_traces(session)[0]
        svg = picture(session, trace, Selection("/traces/x"))
        assert svg.startswith("<?xml")
        ElementTree.fromstring(svg.encode())
        out = text(session, trace, Selection("/traces/x"))
    assert out.startswith("sequenceDiagram\n  %% Ladder of desk, #0–1 of 2 exchanges")
    assert "A-xT: #35;1 chunk 2, 36 characters" in out


# ── prefix diff ──────────────────────────────────────────────


def test_the_first_difference_is_said_in_words(show: Show) -> None:
    """And drawn: agreeing, on screen, sent."""
    diff = show(*citation()).diff
    assert diff is not None
    assert diff.title == "Where chunk 2 stops extending chunk 1"
    assert (
        diff.told
        == "first difference at character 28: “d” is on screen, “1” was sent. 27 of 31 characters agree."
    )
    assert diff.kind == KINDS["rewritten"]
    assert "".join(cell.sign for cell in diff.old.cells if cell.look == "del") == "doc1"
    assert "".join(cell.sign for cell in diff.new.cells if cell.look == "add") == "1]·and·7·"
    assert diff.signs == [("·", "space")]


def test_the_first_break_of_the_stream_is_shown_for_any_of_its_calls(show: Show) -> None:
    """Also when the chosen call is another one; none where nothing broke."""
    at_start = show(*citation(), event=0).diff
    assert at_start is not None
    assert at_start.new.event == 1
    assert show(*growing(5), event=3).diff is None


def test_the_text_on_screen_is_the_last_accepted_one(show: Show) -> None:
    """A refused chunk in between was never shown."""
    diff = show(
        start(0.0, "One"),
        exchange(1.6, activity("One two", 2)),
        exchange(3.2, activity("One twice", 3), 403, no(PREFIX)),
        exchange(4.8, activity("One tree", 4), 403, no(PREFIX)),
        event=3,
    ).diff
    assert diff is not None
    assert (diff.old.event, diff.new.event) == (1, 3)


def made(old: str, new: str) -> PrefixDiff:
    return compare(difference(old, new), old, new, "chunk 1", "chunk 2", (0, "/a"), (1, "/b"))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("A brown", " fox jumps", "delta"),
        ("A brown fox. ", "A  brown fox.", "normalised"),
        ("A brown fox", "A brown", "stale"),
        ("brown fox", "A brown fox", "moved"),
        ("Items [doc1", "Items [1]", "rewritten"),
        ("I think it is red", "I think it is a fox", "changed"),
    ],
)
def test_the_kind_of_break_is_named(old: str, new: str, kind: str) -> None:
    """So that the reader knows what the agent did."""
    assert made(old, new).kind == KINDS[kind]


def test_invisible_characters_are_signs_with_names() -> None:
    """Spaces, line ends and what has no width; halves of a pair by their code."""
    diff = made("a\n\u200b\U0001f600x\t", "a\n\u200c\U0001f601")
    signs = [cell.sign for cell in diff.old.cells]
    assert signs == ["a", "⏎", "200B", "\U0001f600", "x", "⇥"]
    assert diff.old.cells[2].name == "zero width space (U+200B)"
    assert "zero width space (U+200B) is on screen" in diff.told
    half = made("a\U0001f600", "a\U0001f601")
    assert half.old.cells[-1].sign == "DE00"


def test_long_texts_are_elided_and_bounded() -> None:
    """What agrees in its middle, what differs at its end."""
    diff = made("same " * 400 + "old" * 100, "same " * 400 + "new" * 100)
    assert [cell.look for cell in diff.old.cells].count("same") < BEFORE
    assert any(cell.sign == "…" and cell.name.endswith("characters that agree") for cell in diff.old.cells)
    assert len(diff.old.cells) <= BEFORE + AFTER
    assert diff.old.more == "and 240 more characters"


def test_the_diff_is_written_for_eye_and_ear(
    write: Callable[..., str], database: Database, show: Show
) -> None:
    """Cells are hidden from a screen reader, the sentence is not; a hostile text stays text."""
    show(start(0.0, "x <b>&"), exchange(1.7, activity("x <i>\ud83d", 2), 403, no(PREFIX)))
    with database.session() as session:
        trace, *_ = traces.list_traces(session)[0]
        view = build(session, trace, Selection("/traces/x", "sequence"))
        assert isinstance(view.panel, LadderPanel)
        id_ = trace.id
        assert view.panel.diff is not None
    html = write("sequence", id_)
    assert 'class="cells" aria-hidden="true"' in html
    assert "On screen" not in html.split('class="vh"')[0]
    assert "<b>&amp;" not in html
    assert "style=" not in html
