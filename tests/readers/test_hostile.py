"""Files made to hurt: each ends within the limits, with a sentence, in memory that does not grow with the file."""

from __future__ import annotations

import gzip
import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from random import Random

import pytest
import zstandard

from tests.readers.wrapping import CLEAN, WRAPS
from tests.readers.wrapping_teams import GOOD, TEAMS_WRAPS
from tests.slices import every as some
from webapp.core import Replay
from webapp.core.findings import Report
from webapp.readers.base import Account
from webapp.readers.detect import Detection, detect, open_reader
from webapp.readers.every import every
from webapp.readers.har.streamed import HarStreamReader
from webapp.readers.head import HEAD_BYTES
from webapp.readers.limits import Limits, TooLarge
from webapp.readers.read import read
from webapp.readers.registry import FORMS
from webapp.readers.several import Refused
from webapp.readers.whole import WholeReader

MB = 1_000_000
BOMB = 66 * MB
# one original a form
MODELS: dict[str, bytes] = {wrap.form: wrap.make(GOOD) for wrap in TEAMS_WRAPS.values()}
OPENERS = (b"[", b'{"a":', b"(", b"{'a': ", b"{ a: ", b"X(a=")
MODELS |= {form: wrap(CLEAN) for form, wrap in WRAPS.values()}


def seen(
    chunks: Iterable[bytes], form: str | None = None, limits: Limits | None = None
) -> tuple[Detection, Report, Account]:
    """Read and judged, as one stream."""
    found, records, account = read(chunks, form, limits)
    replay = Replay(found.protocol or "ag-ui")
    for record in records:
        replay.feed(record.payload, record.at, record.framing)
    assert account.lines == account.records + sum(account.ignored.values()) + account.not_understood
    return found, replay.finish(account.head), account


def peak(action: Callable[[], object]) -> int:
    """The most bytes held at a time while it runs, beyond what was held before."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def zipped(name: str, pieces: Iterable[bytes]) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as file,
    ):
        for piece in pieces:
            file.write(piece)
    return out.getvalue()


def zeros() -> Iterator[bytes]:
    return (bytes(MB) for _ in range(BOMB // MB))


def gzipped() -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as file:
        for piece in zeros():
            file.write(piece)
    return out.getvalue()


def zstd() -> bytes:
    pack = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(pack.compress(piece) for piece in zeros()), pack.flush()])


@pytest.mark.parametrize(
    "make", [lambda: zipped("a.sse", zeros()), gzipped, zstd], ids=["zip", "gzip", "zstd"]
)
def test_a_bomb_is_refused_with_a_sentence(make):
    """A small file that grows to more than any recording is not read, whatever the limit, and never held."""
    bomb = make()
    assert len(bomb) < 200_000

    def refused() -> None:
        with pytest.raises(Refused, match="times its size"):
            list(each(bomb))

    assert peak(refused) < BOMB / 1.5
    with pytest.raises((TooLarge, Refused), match=r"\.$"):
        list(each(bomb, Limits(max_expanded_bytes=10 * MB)))


def each(data: bytes, limits: Limits | None = None) -> Iterator[Report]:
    for stream in every(lambda: [data], limits):
        yield seen(stream.chunks, stream.form, limits)[1]


def test_an_archive_in_an_archive_is_not_opened():
    """Forty layers or one: the sentence says to unpack it."""
    data = zipped("run.sse", [WRAPS["server-sent events"][1](CLEAN)])
    assert [report.verdict for report in each(data)] == ["conformant"]
    for layer in range(40):
        data = zipped("inside.zip", [data]) if layer % 2 else gzip.compress(data)
        refused = list(each(data)) if not layer % 2 else []
        assert all(report.verdict == "unchecked" for report in refused)
        if layer % 2:
            with pytest.raises(Refused, match="unpack it once"):
                list(each(data))


@pytest.mark.parametrize(
    "begin", [b"data: ", b'{"type":"RAW","event":"', b"[", b"2026-09-01 10:00:00 INFO x {", b"x", b"\x00\x00"]
)
def test_a_gigabyte_of_one_line_is_not_held(begin):
    """It comes as a stream, is bounded by the size of one record, and is no pass."""
    piece = b"x" * MB
    reports = []

    def read_it() -> None:
        def chunks() -> Iterator[bytes]:
            yield begin
            for _ in range(1000):
                yield piece

        reports.append(seen(chunks())[1])

    assert peak(read_it) < 5 * Limits().max_record_bytes
    assert reports[0].verdict in ("unchecked", "rejected", "nonconformant")


@pytest.mark.parametrize("form", FORMS)
def test_a_long_line_in_any_form_is_bounded(form):
    """Behind the beginning of a file of this form; a form that needs the whole file says where it stops."""
    model = MODELS[form]
    piece = b"x" * MB
    limits = Limits(max_record_bytes=MB)

    def read_it() -> None:
        reader = open_reader(form, limits)
        for chunk in (model[: len(model) // 2], *(piece for _ in range(24)), model[len(model) // 2 :]):
            assert all(len(record.payload) <= MB for record in reader.feed(chunk))
        assert all(len(record.payload) <= MB for record in reader.close())

    held = 6 * 24 * MB if isinstance(open_reader(form), WholeReader | HarStreamReader) else 0
    assert peak(read_it) < 12 * MB + held


@pytest.mark.parametrize("opener", OPENERS, ids=repr)
def test_a_million_brackets_end_with_a_verdict(opener):
    """Nothing recurses on them, and they are no pass."""
    _, report, _ = seen([opener * 1_000_000])
    assert report.verdict in ("unchecked", "rejected", "nonconformant")


@pytest.mark.parametrize("form", FORMS)
def test_brackets_in_any_form_end_with_a_verdict(form):
    """A hundred thousand of them, where a value stands."""
    model = MODELS[form]
    at = model.find(b":") + 1
    for opener in some(OPENERS, 3, list(FORMS).index(form)):
        _, report, _ = seen([model[:at] + opener * 100_000 + model[at:]], form)
        assert report.verdict != "conformant" or report.events == 5, "they stand where nothing is read"


@pytest.mark.parametrize("form", [None, *FORMS])
def test_noise_ends_with_a_verdict(form):
    """Random bytes, with and without zeros and line ends, and a model with noise in its middle."""
    rng = Random(5)
    noise = rng.randbytes(60_000)
    model = MODELS.get(form or "array", b"")
    kinds = (noise, noise.replace(b"\0", b"\n"), bytes(b & 0x7F for b in noise))
    for data in kinds if form is None else some(kinds, 3, list(FORMS).index(form)):
        found, report, _ = seen([data], form)
        assert found.reasons
        assert report.verdict != "conformant"
        middle = len(model) // 2
        seen([model[:middle] + data[:5000] + model[middle:]], form)


TEXTS = {name: wrap(CLEAN) for name, (form, wrap) in WRAPS.items() if form != "protobuf" and name != "UTF-16"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_read_in_every_unicode_encoding(name, encoding):
    """What shells and editors of other systems write."""
    data = TEXTS[name].decode().encode(encoding)
    [report] = each(data)
    assert (report.verdict, report.events) == ("conformant", 5)


@pytest.mark.parametrize("name", TEXTS)
def test_mixed_encodings_are_told_not_guessed(name):
    """Half of the file in another encoding: what can be read is read, the rest is no pass in silence."""
    data = TEXTS[name]
    for cut in (len(data) // 3, data.rfind(b"\n") + 1):
        for encoding in ("latin-1", "utf-16-le", "utf-16"):
            mixed = data[:cut] + data[cut:].decode("utf-8", "replace").encode(encoding, "replace")
            verdicts = []
            with suppress(Refused):
                verdicts = [(report.verdict, report.events) for report in each(mixed)]
            assert ("conformant", 0) not in verdicts
            assert cut or ("conformant", 5) in verdicts or encoding == "latin-1"


# what a regular expression or a scan may trip over: each many times
BAITS = (
    b" ", b"\t", b"a", b"0", b"1:", b"=", b'"', b"'", b"\\", b"\\'", b'\\"', b",", b"-", b"/", b"%41", b":", b".",
    b"\x1b[", b"\x1b[3", b"[", b"{", b"}", b"<", b"> ", b"`", b"a=", b"a.", b"A_", b"\\u", b"{'", b'{"',
    b'{"a":', b"X(a=",
    b"Event(", b"type=", b"data: ", b"POST ", b"\r", b"// ", b'"type":', b"\n", b"{\n", b"}\n", b"```\n",
    b"> \n", b'"\n',
    b"data: {\n", b"  a: {\n", b"X(\n", b"1\r\n", b"[DEBUG] app {\n", b"2026-09-01T10:00:00Z stdout P x\n",
    b"Sending HTTP request POST https://x/v3/conversations/a/activities\n", b"1 validation error for ", b"AAAA",
    b"[VERIFY] Event: {\n",
)  # fmt: skip
INLINE, LINES = 20_000, 5_000  # bytes of bait; four times as many must take about four times as long
FAST = 0.5  # seconds of processor time for all of the large one: not worth a second look


def spent(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def grows(bait: bytes, run: Callable[[bytes], object]) -> str:
    """What is wrong with how the time grows with the bait; "" when nothing is.

    Processor time, the least of three, and only for what is slow at all: a linear reader takes 4 times as long, a
    quadratic one 16 times.
    """
    count = (LINES if b"\n" in bait else INLINE) // len(bait)
    if spent(lambda: run(bait * 4 * count)) < FAST:
        return ""
    small, large = (
        min(spent(lambda size=size: run(bait * size)) for _ in "123") for size in (count, 4 * count)
    )
    return "" if large < 9 * small else f"{small:.2f} s, then {large:.2f} s"


def read_all(form: str, data: bytes) -> None:
    reader = open_reader(form)
    for _ in (*reader.feed(data), *reader.close()):
        pass


@pytest.mark.parametrize("form", FORMS)
def test_no_bait_takes_quadratic_time(form):
    """A long run of anything, at the start of a file of the form and behind its first quote."""
    model = MODELS[form]
    wrong = []
    for number, bait in some(enumerate(BAITS), 3, list(FORMS).index(form)):
        at = (0, model.find(b'"') + 1, model.find(b":") + 1, len(model) // 2)[number % 4]

        def run(run_of: bytes, at: int = at) -> None:
            read_all(form, model[:at] + run_of + model[at:])

        if said := grows(bait, run):
            wrong.append((bait, said))
    assert wrong == []


@pytest.mark.parametrize("bait", BAITS, ids=repr)
def test_detection_takes_no_quadratic_time(bait):
    """All scores of one head, alone and behind the beginning of an event stream and of a log."""

    begins = (b"", b'data: {"', b'{"a":"b","c":"', b"2026-09-01 10:00:00 INFO x {'")

    def run(run_of: bytes) -> None:
        for begin in some(begins, 4, BAITS.index(bait)):
            detect((begin + run_of)[:HEAD_BYTES], complete=True)

    assert grows(bait, run) == ""
