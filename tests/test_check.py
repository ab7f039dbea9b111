"""The `lanescope check` command as a shell sees it: output, one sentence for a fault, exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import lanescope
from tests.exchanges import STREAM, activity, broken, entry, good, har, lines, other
from tests.readers.several import three_in_a_har, two_in_a_zip, zipped
from tests.readers.wrapping import CLEAN, WRAPS

GOOD = (
    b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n'
)
BAD = GOOD.replace(
    b"\n", b'\n{"type":"TEXT_MESSAGE_CONTENT","messageId":"\\ud800\\u202e\\u001b[31m","delta":"x"}\n', 1
)


def run(*args: str, cwd: Path, given: bytes = b"") -> tuple[int, str, str]:
    """Exit code, output, errors."""
    return lanescope("check", *args, cwd=cwd, given=given)


def started(*args: str, cwd: Path, given: bytes = b"", **env: str) -> tuple[int, str, str]:
    """The same of a process of its own, which is what a shell sees."""
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "check", *args],
        cwd=cwd,
        input=given,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **env},
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize(("body", "code"), [(GOOD, 0), (BAD, 1), (b"", 2), (b"Hello", 2)])
def test_the_exit_code_tells_the_verdict(tmp_path: Path, body: bytes, code: int) -> None:
    """0: nothing at or above the limit, 1: something, 2: nothing was checked."""
    assert run("-", cwd=tmp_path, given=body)[0] == code


def test_a_shell_sees_the_same(tmp_path: Path) -> None:
    """Output, errors and exit code of the process are those of the command."""
    for given in (BAD, b""):
        assert started("-", cwd=tmp_path, given=given) == run("-", cwd=tmp_path, given=given)


def test_a_terminal_obeys_nothing_from_a_recording(tmp_path: Path) -> None:
    """Escape sequences and characters that turn a line around are replaced."""
    _, out, _ = run("-", cwd=tmp_path, given=BAD)
    assert "REJECTED" in out
    assert not set("\x1b\u202e") & set(out)


def test_a_terminal_without_our_signs_shows_question_marks(tmp_path: Path) -> None:
    """An encoding that has no ✖ is no reason to fail."""
    code, out, err = started("-", cwd=tmp_path, given=BAD, PYTHONIOENCODING="ascii")
    assert (code, err) == (1, "")
    assert "? fatal #1 AGUI-TXT-02" in out


def test_a_disk_that_is_full_is_a_sentence(tmp_path: Path) -> None:
    """A report that could not be written is not a verdict."""
    (tmp_path / "a.ndjson").write_bytes(GOOD)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "webapp", "check", "a.ndjson"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.decode() == "lanescope: The report could not be written: no space left on device.\n"


def test_one_unreadable_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    """The worst code wins, and every readable recording has its line."""
    (tmp_path / "a.ndjson").write_bytes(GOOD)
    code, out, err = run("gone.sse", "a.ndjson", "--format", "json", cwd=tmp_path)
    assert code == 2
    assert json.loads(out)["verdict"] == "conformant"
    assert err == "lanescope: gone.sse: It cannot be read: no such file or directory.\n"


def report(*args: str, cwd: Path, given: bytes) -> tuple[int, dict[str, Any]]:
    """Exit code and the JSON of one recording on standard input."""
    code, out, err = run("-", "--format", "json", *args, cwd=cwd, given=given)
    assert err == ""
    return code, json.loads(out)


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (lines(broken()), "ndjson"),
        (json.dumps(broken()).encode(), "array"),
        (har(*map(entry, broken()), other()), "har"),
    ],
)
def test_a_teams_recording_is_judged(tmp_path: Path, body: bytes, form: str) -> None:
    """The same contract: refused at the chunk that breaks the prefix, in every carrier."""
    code, told = report("--assembled", cwd=tmp_path, given=body)
    assert (code, told["protocol"], told["format"], told["events"]) == (1, "teams", form, 2)
    assert (told["verdict"], told["rejected_at"]) == ("rejected", 1)
    assert told["protocol_version"] is None
    assert "TEAMS-020@1" in [finding["key"] for finding in told["findings"]]
    assert told["delivered"] == [broken()[0]["request"]]
    assert told["state"] == {}


def test_what_the_service_accepted_is_delivered(tmp_path: Path) -> None:
    """The activities in order; the messages as the chat shows them; the clock is the requests'."""
    code, told = report("--assembled", cwd=tmp_path, given=lines(good()))
    assert code == 0
    assert told["delivered"] == [exchange["request"] for exchange in good()]
    assert [message["content"] for message in told["messages"]] == [
        "You have 12 days left.",
        "Anything else?",
    ]
    assert told["clock"] == {"kind": "relative", "source": "arrival"}
    assert [(run["run_id"], run["outcome"]) for run in told["runs"]] == [(STREAM, "finished")]


def test_a_transcript_delivers_what_was_sent(tmp_path: Path) -> None:
    """There are no answers; the user's own activity is not the agent's."""
    user = {"type": "message", "text": "?", "from": {"id": "29:u", "role": "user"}, "conversation": {"id": "c"},
            "timestamp": "2026-09-01T09:00:00.000Z"}  # fmt: skip
    chunk = activity("Hi", 1, None)
    _, told = report("--assembled", cwd=tmp_path, given=json.dumps([user, chunk]).encode())
    assert told["delivered"] == [chunk]
    assert told["clock"]["kind"] == "unix"


def test_the_words_of_a_teams_report_are_its_own(tmp_path: Path) -> None:
    """Streams and exchanges instead of runs and events."""
    _, out, _ = run("-", cwd=tmp_path, given=lines(good()))
    assert "  Teams · read as one exchange a line · 1 stream · 5 exchanges\n" in out


@pytest.mark.parametrize(
    ("body", "args", "words"),
    [
        (har(other()), (), "this is a HAR file of a browser's network tab; save the response body"),
        (har(*[other()] * 300), (), "this is a HAR file of a browser's network tab; save the response body"),
        (b'{"type":"keepalive\n', ("--protocol", "teams"), "no exchange could be read"),
        (b"prose", ("--protocol", "teams"), "this is plain text"),
    ],
)
def test_nothing_to_check_is_no_pass(tmp_path: Path, body: bytes, args: tuple[str, ...], words: str) -> None:
    """Zero exchanges are `unchecked`, exit code 2, and the reason is a sentence."""
    code, out, _ = run("-", *args, cwd=tmp_path, given=body)
    assert code == 2
    assert "UNCHECKED" in out
    assert words in out


@pytest.mark.parametrize(
    "body", [b"Hello, it does not work.", b"First event must be 'RUN_STARTED'", b'{"a":1}', b""]
)
def test_what_is_no_recording_is_not_told_as_one(tmp_path: Path, body: bytes) -> None:
    """No protocol, no form and no rule: what it is and what to do instead. The JSON report has its shape."""
    _, out, _ = run("-", cwd=tmp_path, given=body)
    assert out.startswith("UNCHECKED  -\n  Nothing was checked: this is ")
    assert not any(word in out for word in ("AGUI-TRN-11", "not recognised", "0 events"))
    told = report(cwd=tmp_path, given=body)[1]
    assert (told["format"], told["read_as"], told["verdict"], told["events"]) == (None, None, "unchecked", 0)
    assert [each["rule"] for each in told["findings"]] == ["AGUI-TRN-11"]


def test_the_protocol_can_be_named(tmp_path: Path) -> None:
    """Where the content does not say, and against it."""
    vague = b'{"type":"message","text":"Hi"}\n'
    assert report(cwd=tmp_path, given=vague)[1]["protocol"] == "ag-ui"
    assert report("--protocol", "teams", cwd=tmp_path, given=vague)[1]["protocol"] == "teams"
    assert report("--protocol", "ag-ui", cwd=tmp_path, given=lines(good()))[1]["protocol"] == "ag-ui"


def test_a_run_input_beside_a_teams_recording_is_a_sentence(tmp_path: Path) -> None:
    """It belongs to AG-UI; the recording is not judged with it."""
    (tmp_path / "a.jsonl").write_bytes(lines(good()))
    (tmp_path / "a.input.json").write_text("{}")
    code, out, err = run("a.jsonl", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert err == (
        "lanescope: a.jsonl: This is a Microsoft Teams recording, and a run input belongs to AG-UI only.\n"
    )


def test_each_stream_of_a_file_has_a_report(tmp_path: Path) -> None:
    """A zip and a HAR file: one line each, with the stream's name; standard input too."""
    (tmp_path / "a.zip").write_bytes(two_in_a_zip())
    code, out, err = run("a.zip", "--format", "json", cwd=tmp_path)
    told = [json.loads(each) for each in out.splitlines()]
    assert (code, err) == (0, "")
    assert [(each["source"], each["part"], each["verdict"]) for each in told] == [
        ("a.zip", "logs/first.sse", "conformant"),
        ("a.zip", "logs/second.sse", "conformant"),
    ]
    code, out, _ = run("-", "--fail-on", "fatal", cwd=tmp_path, given=three_in_a_har())
    assert code == 1
    assert "REJECTED  -!POST /agent #2" in out


def test_an_archive_that_is_not_opened_is_a_sentence(tmp_path: Path) -> None:
    """Exit code 2, and the next file is judged."""
    (tmp_path / "a.zip").write_bytes(zipped({"b.zip": two_in_a_zip()}))
    (tmp_path / "b.ndjson").write_bytes(GOOD)
    code, out, err = run("a.zip", "b.ndjson", "--format", "json", cwd=tmp_path)
    assert code == 2
    assert err.startswith("lanescope: a.zip: Archives inside an archive are not opened (b.zip)")
    assert json.loads(out)["verdict"] == "conformant"


def test_the_request_in_a_file_is_compared(tmp_path: Path) -> None:
    """A HAR file's request body is the run input, and its lines are those of the file."""
    (tmp_path / "a.har").write_bytes(WRAPS["HAR, body as text"][1](CLEAN))
    _, out, _ = run("a.har", "--format", "json", cwd=tmp_path)
    told = json.loads(out)
    assert "part" not in told
    assert (told["format"], told["verdict"]) == ("har-stream", "conformant")
    assert "AGUI-RUN-10" not in [each["rule"] for each in told["skipped_rules"]]


def test_an_error_sentence_alone_is_explained(tmp_path: Path) -> None:
    """Rule and causes instead of a verdict; exit code 2, since nothing was checked."""
    said = b"Cannot send 'TOOL_CALL_END' event: No active tool call found with ID 'c-1'."
    code, out, _ = run("-", cwd=tmp_path, given=said)
    assert code == 2
    assert "Nothing was checked: this is an error message, not a recording." in out
    assert "Rule: AGUI-TOL-03" in out
    assert "Likely cause:" in out


def test_a_stream_far_down_in_a_har_file_is_judged_as_one(tmp_path: Path) -> None:
    """A page loads much before its agent answers: what the file begins with says nothing about the protocol."""
    log = json.loads(three_in_a_har())
    script = {"mimeType": "text/javascript", "text": "var a = 1;\n" * 10_000}
    page = entry_of_a_page(script)
    streams = [each for each in log["log"]["entries"] if "event-stream" in json.dumps(each)][:1]
    log["log"]["entries"] = [page, *streams]
    (tmp_path / "x.har").write_text(json.dumps(log))
    code, out, err = run("x.har", "--format", "json", cwd=tmp_path)
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["format"], told["protocol"], told["events"]) == ("har-stream", "ag-ui", 5)


def entry_of_a_page(content: dict[str, Any]) -> dict[str, Any]:
    """A call of a HAR file that is no stream."""
    return {
        "startedDateTime": "2026-09-01T08:00:00.000Z",
        "time": 5,
        "request": {"method": "GET", "url": "https://x.example/a.js", "headers": []},
        "response": {"status": 200, "headers": [], "content": content},
    }
