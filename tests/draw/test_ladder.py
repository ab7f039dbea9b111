"""The ladder: which marks a call has, what the axis says, what never overlaps."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from webapp.core.records import DROPPED, LOST, REFUSED, SENT
from webapp.draw.ladder import draw
from webapp.draw.ladder_file import mermaid, standalone
from webapp.draw.ladder_model import (
    Bubble,
    Clock,
    End,
    Entry,
    Head,
    Ladder,
    Rung,
)
from webapp.draw.ladder_place import places
from webapp.draw.ladder_text import fitting, head, minutes, stamp, tail

CHUNK = Rung(
    0,
    0,
    "streaming",
    "chunk 1, 31 characters",
    "1",
    answers=("201, stream 1790…0001, 101 ms", "201"),
    at=0.0,
    ended=0.101,
    shown=Bubble("text", "The report lists 12 items [doc1"),
    stream=1,
    sentence="#0 chunk 1",
)
REFUSAL = Rung(
    1,
    1,
    "streaming",
    "chunk 2, 36 characters",
    "2",
    REFUSED,
    ("403 ContentStreamNotAllowed",),
    at=1.7,
    ended=1.8,
    reason="refused: the text does not extend what was streamed",
    severity="error",
    note="the text does not extend what was streamed",
    stream=1,
    apart=1.7,
    sentence="#1 chunk 2, refused",
)
CLOCK = Clock(1, 0.101, 1.7, open=True)


def ladder(*entries: Entry, **more: object) -> Ladder:
    return replace(Ladder(entries, selected=1), **more)  # type: ignore[arg-type]


def svg_of(shown: Ladder) -> str:
    out = draw(
        shown, lambda rung: f"/t?event={rung.first}", lambda rung: f"/t?fold=0&start={rung.first}", "all"
    )
    return f"{out.head_left}{out.head_right}{out.left}{out.right}"


def chunks(number: int, every: float = 1.5) -> list[Rung]:
    return [
        replace(CHUNK, first=n, last=n, at=n * every, ended=n * every + 0.1, apart=every if n else None)
        for n in range(number)
    ]


def test_a_refused_chunk_ends_at_the_service_with_its_reason_in_words() -> None:
    """A red cross, the code on the dashed answer, and nothing in the chat."""
    drawn = svg_of(ladder(CHUNK, REFUSAL))
    assert drawn.count('class="x"') == 1
    assert "403 ContentStreamNotAllowed" in drawn
    assert "refused: the text does not extend" in drawn
    assert drawn.count('class="bub text"') == 1
    assert 'class="f-error"' in drawn  # the pin beside its number


@pytest.mark.parametrize(
    ("reached", "look", "cross"), [(DROPPED, "as-warning", 0), (LOST, "as-ink-3", 1), (SENT, "k-text", 0)]
)
def test_what_did_not_come_through_is_told_apart(reached: int, look: str, cross: int) -> None:
    """Dropped is amber and arrives, lost ends before the service in grey, sent has no answer's arrow."""
    one = replace(CHUNK, reached=reached, shown=None, reason="a reason" if cross else "")
    one = replace(one, answers=(), missing="no answer came") if reached != DROPPED else one
    right = draw(ladder(one), lambda _: "/t", lambda _: "/t", "all").right
    assert f'<g class="{look}">' in right
    assert right.count('class="x"') == cross
    assert ("no answer came" in right) == (reached != DROPPED)


def test_a_respected_stop_is_not_red() -> None:
    """The user's Stop is nobody's fault."""
    drawn = svg_of(ladder(CHUNK, replace(REFUSAL, calm=True, severity=None)))
    assert "f-fatal" not in drawn
    assert "as-fatal" not in drawn


def test_time_runs_to_scale_where_it_fits() -> None:
    """Equal gaps have equal heights, a longer one has more."""
    rungs = chunks(3)
    rungs.append(replace(rungs[2], first=3, last=3, at=5.0, ended=5.1))
    at = places(ladder(*rungs))
    ys = [spot.y for spot in at.spots]
    assert ys[1] - ys[0] == pytest.approx(ys[2] - ys[1])
    assert (ys[3] - ys[2]) / (ys[1] - ys[0]) == pytest.approx(2.0 / 1.5)
    assert at.axis.y(3.0, 0) == pytest.approx(ys[2])
    assert ys[1] < (at.axis.y(2.2, 0) or 0) < ys[2]


def test_arrows_that_crowd_keep_their_distance() -> None:
    """Ten calls in ten milliseconds can still be read, and the axis says how they are stretched."""
    at = places(ladder(*chunks(10, 0.001)))
    ys = [spot.y for spot in at.spots]
    answers = [spot.answer for spot in at.spots]
    marks = sorted(ys + answers)
    assert all(later - one >= 10 for one, later in pairwise(marks))
    assert ys == sorted(ys)


def test_a_long_silence_is_cut_and_says_how_long_it_was() -> None:
    """The break is marked, and no moment inside it has a height."""
    late = replace(REFUSAL, at=45.0, ended=45.1)
    shown = ladder(CHUNK, late)
    at = places(shown)
    assert [one.words for one in at.axis.breaks] == ["45 s without a call"]
    assert at.axis.y(20.0, 0) is None
    assert at.height < 700
    assert "45 s without a call" in svg_of(shown)


def test_an_answer_may_come_after_the_next_call() -> None:
    """Its arrow stands where its time is, and names its call."""
    final = replace(CHUNK, first=3, last=3, kind="final", number="", at=4.1, ended=4.7, answers=("202",))
    after = replace(REFUSAL, first=4, last=4, at=4.3, ended=4.9, apart=0.2)
    shown = ladder(final, after)
    first, second = places(shown).spots
    assert first.y < second.y < first.answer < second.answer
    drawn = svg_of(shown)
    assert "#3: 202" in drawn
    assert "too soon: 0.20 s" in drawn


def test_a_clock_that_goes_back_begins_another_stretch() -> None:
    """Two recordings in one file: no time of the second is read on the first one's axis."""
    shown = ladder(replace(CHUNK, at=100.0, ended=100.1), replace(REFUSAL, at=0.0, ended=0.1))
    at = places(shown)
    assert [one.words for one in at.axis.breaks] == ["the clock starts again"]
    assert at.spots[0].epoch != at.spots[1].epoch
    assert at.spots[0].y < at.spots[1].y


def test_the_ruler_says_when_the_next_call_may_come() -> None:
    """One second after a call, unless another one came too early."""
    drawn = svg_of(ladder(CHUNK, REFUSAL))
    assert "next from 1.00 s" in drawn
    assert "1.70 s apart: pace is fine" in drawn
    early = svg_of(ladder(CHUNK, replace(REFUSAL, at=0.4, ended=0.5, apart=0.4)))
    assert "too soon: 0.40 s" in early
    assert "next from 1.00 s" not in early


def test_the_clock_of_an_open_stream_has_an_axis_break_and_its_limit() -> None:
    """Two minutes from the start's answer, and what is left of them."""
    drawn = svg_of(ladder(CHUNK, REFUSAL, clocks=(CLOCK,), ends=True))
    assert "2:00.1" in drawn
    assert "118 s left," in drawn
    assert "1.6 s" in drawn


def test_the_limit_inside_the_window_stands_at_its_time() -> None:
    """What comes after two minutes is shaded red."""
    rungs = [replace(one, stream=1) for one in chunks(30, 5.0)]
    at_limit = svg_of(ladder(*rungs, clocks=(Clock(1, 0.1, 145.0),)))
    assert "f-fatal-wash s-fatal" in at_limit
    assert "2 min" in at_limit


def test_without_times_calls_stand_evenly_and_nothing_measures_them() -> None:
    """No ruler, no clock; a sentence of the panel says why."""
    rungs = [replace(one, at=None, ended=None) for one in chunks(5)]
    shown = ladder(*rungs, untimed="No times were recorded.")
    ys = [spot.y for spot in places(shown).spots]
    assert len({round(b - a, 3) for a, b in pairwise(ys)}) == 1
    drawn = svg_of(shown)
    assert "Ruler" not in drawn
    assert "Clock" not in drawn
    assert "too soon" not in drawn
    assert "No times were recorded." in standalone(shown, "all")


def test_another_stream_has_a_heading_and_each_end_its_words() -> None:
    """Where a stream begins, how it ends, what its bubble is left with."""
    end = End(
        "The recording ends here. No final, no further chunk.",
        Bubble("text", "half", "open"),
        "then stopped",
        True,
    )
    drawn = svg_of(ladder(Head(2, "Stream 2 begins, 1790", 2), CHUNK, end, ends=True))
    for words in ("Stream 2 begins, 1790", "The recording ends here. No final,", "half", "then stopped"):
        assert words in drawn


def test_a_fold_is_one_rung_and_a_break_of_the_axis() -> None:
    """What it holds is not to scale, and its number leads to all of it."""
    fold = replace(CHUNK, first=3, last=17, label="chunks 3–17, ×15, 22 s", number="×15", at=4.0, ended=26.0)
    shown = ladder(CHUNK, fold, selected=0)
    drawn = svg_of(shown)
    assert "chunks 3–17, ×15, 22 s" in drawn
    assert "fold=0&amp;start=3" in drawn
    assert places(shown).axis.y(15.0, 0) is None


def test_hostile_texts_are_escaped_and_no_style_is_written() -> None:
    """Labels, bubbles, names and reasons come from a recording."""
    bad = '<script>alert("1")</script>\u202e\x00\ud800'
    rung = replace(
        CHUNK, label=bad, answers=(bad,), shown=Bubble("text", bad, bad), note=bad, severity="error"
    )
    lost = replace(REFUSAL, reason=bad, sentence=bad)
    shown = ladder(
        Head(1, bad), rung, lost, End(bad, Bubble("text", bad)), agent=bad, chat=bad, clocks=(CLOCK,)
    )
    for drawn in (svg_of(shown), str(standalone(shown, bad))):
        assert "<script" not in drawn
        assert "\u202e" not in drawn
        assert " style=" not in drawn
        drawn.encode("utf-8")
    out = draw(shown, lambda _: "/t", lambda _: "/t", bad)
    for part in (out.head_left, out.head_right, out.left, out.right, standalone(shown, bad)):
        ElementTree.fromstring(str(part))
    assert "\n" not in mermaid(shown, "x").split("participant U as User’s chat\n")[1].splitlines()[0]


def test_a_full_window_stays_bounded() -> None:
    """As many rungs as a window has when each is a stream of its own, and forty of one stream."""
    rungs: list[Entry] = []
    for n, one in enumerate(chunks(22, 61.0)):
        rungs.append(Head(n, f"stream {n}", n % 5))
        rungs.append(replace(one, stream=n, severity="error", note="a finding"))
        rungs.append(End("Never closed.", Bubble("text", "text " * 30, "in progress"), "then stopped"))
    clocks = tuple(Clock(n, n * 61.0, n * 61.0 + 1) for n in range(22))
    out = draw(ladder(*rungs, clocks=clocks), lambda _: "/t", lambda _: "/t", "all")
    assert out.elements < 1400
    ordinary = draw(ladder(*chunks(40), clocks=(CLOCK,)), lambda _: "/t", lambda _: "/t", "all")
    assert ordinary.elements < 1400


def test_mermaid_is_a_whole_document() -> None:
    """Three participants, an arrow for each request, a cross for a refused one."""
    text = mermaid(ladder(CHUNK, REFUSAL, agent="Example Bot"), "a note")
    assert text.startswith("sequenceDiagram\n  %% a note\n  participant A as Agent (Example Bot)\n")
    assert "A->>T: #35;0 chunk 1" in text
    assert "A-xT: #35;1 chunk 2" in text
    assert "T->>U: The report lists 12 items [doc1" in text


def test_a_picture_file_needs_nothing_else() -> None:
    """Its own style sheet, no link; every class it uses that colours a mark is in it."""
    picture = str(standalone(ladder(CHUNK, REFUSAL, clocks=(CLOCK,), ends=True), "all"))
    assert "<a " not in picture
    assert picture.count("<style>") == 1
    sheet = picture.split("<style>")[1].split("</style>")[0]
    used = {name for names in re.findall(r'class="([^"]+)"', picture) for name in names.split()}
    known = set(re.findall(r"\.([A-Za-z][\w-]*)", sheet))
    assert used - known <= {"dia", "l1", "text", "aside", "k-run", "k-text", "k-step"}


def test_texts_are_cut_where_they_matter_least() -> None:
    """The end of a growing text, the beginning of a status."""
    text = "one two three four five six seven eight nine ten eleven twelve"
    assert tail(text, 100) == ["…ten eleven", "twelve"]
    assert head(text, 100) == ["one two three", "four five six…"]
    assert tail("short", 80) == ["short"]
    assert all(len(line) < 40 for line in tail("x" * 5000, 80))
    assert fitting(("a long one", "short"), 40, 12) == "short"


def test_places_on_the_ruler_are_written_as_times() -> None:
    """Seconds below 100, then minutes and hours."""
    assert [stamp(0), stamp(1.7, 1), stamp(125), stamp(3723)] == ["0 s", "1.7 s", "2:05", "1:02:03"]
    assert [minutes(0.1, 1), minutes(120.1, 1), minutes(59.96, 1)] == ["0:00.1", "2:00.1", "1:00.0"]
