"""The front page in a real browser: dropping, pasting and choosing a recording, searching, and without a script."""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from tests.browser import Server, Watch
from tests.e2e.conftest import NewContext
from tests.readers.several import CANARY, three_in_a_har, two_connections, two_in_a_zip
from webapp.app import create_app
from webapp.server import listen
from webapp.settings import load_settings
from webapp.storage.db import open_database
from webapp.storage.migrate import migrate

MAX_UPLOAD = 2_000_000  # bytes
EVENTS = (
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "안녕 مرحبا 👋"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
)
SSE = "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS)
PASTE = """text => {
  const data = new DataTransfer(); data.setData("text/plain", text);
  document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
}"""
DROP = """([name, text]) => {
  const data = new DataTransfer(); data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server without any trace, which takes small uploads; each test has its own."""
    settings = load_settings(data_dir=tmp_path, max_upload_bytes=MAX_UPLOAD)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield Server(f"http://127.0.0.1:{listener.getsockname()[1]}", tmp_path)
    server.should_exit = True
    thread.join(30)
    listener.close()
    database.close()


@pytest.fixture
def url(server: Server) -> str:
    return server.url


@pytest.fixture
def page(new_context: NewContext, watch: Watch, url: str) -> Page:
    """The front page."""
    watch.allowed |= {404, 413}
    page = new_context().new_page()
    page.goto(url)
    return page


def test_choosing_a_file_opens_its_trace(page: Page) -> None:
    """The button opens a file; no further press is needed. The same file again is already here."""
    file = {"name": "run.sse", "mimeType": "text/plain", "buffer": SSE.encode()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*")
    first = page.url
    page.goto("/".join(first.split("/")[:3]))
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.wait_for_url("**/traces/*")
    assert page.url == f"{first}?already=1"


def test_dropping_a_file_anywhere_opens_its_trace(page: Page) -> None:
    """The whole page takes a file."""
    page.evaluate(DROP, ["dropped.sse", SSE])
    page.wait_for_url("**/traces/*")
    expect(page.locator("body")).to_contain_text("dropped.sse")


def test_pasting_with_the_keyboard_opens_the_trace(page: Page) -> None:
    """Ctrl V outside of a field is a recording; inside the search field it is a word."""
    page.focus("input[type=search]")
    page.evaluate(PASTE.replace("document.dispatchEvent", "document.activeElement.dispatchEvent"), SSE)
    assert "/traces/" not in page.url
    page.evaluate("document.activeElement.blur()")
    page.evaluate(PASTE, SSE)
    page.wait_for_url("**/traces/*")


def test_the_paste_box_takes_text_and_a_name(page: Page) -> None:
    """By hand: open the box, which takes the cursor, paste, name, check."""
    page.get_by_text("Paste text").click()
    expect(page.locator("#paste-text")).to_be_focused()
    page.fill("#paste-text", SSE)
    page.fill("input[name=name]", "refund-desk")
    page.get_by_role("button", name="Check it").click()
    page.wait_for_url("**/traces/*")
    expect(page.locator("body")).to_contain_text("refund-desk")


def test_a_refusal_is_said_where_one_is_and_loses_nothing(page: Page) -> None:
    """Too much text: the sentence stands under the box, and the text is still in it."""
    text = SSE + ":" + "x" * MAX_UPLOAD * 2
    page.get_by_text("Paste text").click()
    page.evaluate("text => document.querySelector('#paste-text').value = text", text)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was stored")
    assert page.evaluate("document.querySelector('#paste-text').value.length") == len(text)


def test_searching_while_typing_and_back(page: Page, url: str) -> None:
    """`/` takes the cursor to the field, the list follows the words, the URL keeps them, Back undoes it."""
    page.evaluate(DROP, ["one.sse", SSE])
    page.wait_for_url("**/traces/*")
    page.goto(url)
    page.evaluate(DROP, ["two.sse", f"{SSE}: other bytes\n"])
    page.wait_for_url("**/traces/*")
    page.goto(url)
    expect(page.locator("input[type=search]")).to_have_attribute("data-htmx-powered", "true")
    page.keyboard.press("/")
    page.keyboard.type("one")
    page.wait_for_url("**q=one*")
    expect(page.locator(".traces .name")).to_have_text(["one.sse"])
    page.go_back()
    expect(page.locator(".traces .name")).to_have_text(["two.sse", "one.sse"])


def test_without_a_script_everything_still_works(new_context: NewContext, url: str) -> None:
    """The same forms post as they are: upload, rename, delete."""
    page = new_context(java_script_enabled=False).new_page()
    page.goto(url)
    file = {"name": "run.sse", "mimeType": "text/plain", "buffer": SSE.encode()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Open it").click()
    page.goto(url)
    page.locator("td.do a").click()
    page.fill("input[name=name]", "refund-desk")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".traces .name")).to_have_text(["refund-desk"])
    page.locator("td.do a").click()
    page.get_by_text("Delete…").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator("h1")).to_have_text("No trace yet")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_scrolls_sideways(page: Page, url: str, width: int) -> None:
    """A long name without spaces, on a phone and on a desk."""
    page.evaluate(DROP, ["x" * 150 + ".sse", SSE])
    page.wait_for_url("**/traces/*")
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(url)
    links = [page.locator("td.do a").get_attribute("href") or ""]
    for address in ("/", "/nothing", *links, f"{links[0].removesuffix('edit')}delete"):
        page.goto(url + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def everything_in(folder: Path) -> bytes:
    """Every byte of the database's files, and every part of an original expanded."""
    with sqlite3.connect(f"file:{folder / 'lanescope.db'}?mode=ro", uri=True) as database:
        kept = [zlib.decompress(data) for (data,) in database.execute("select data from originals")]
    return b"".join([*(path.read_bytes() for path in folder.iterdir() if path.is_file()), *kept])


@pytest.mark.parametrize(
    ("name", "data", "title", "here", "others"),
    [
        ("logs.zip", two_in_a_zip(), "logs/first.sse", 1, (2,)),
        ("desk.har", three_in_a_har(), "POST /other", 3, (1, 8, 9)),
    ],
)
def test_one_of_several_streams_is_picked_and_nothing_of_the_others_is_stored(
    page: Page, server: Server, name: str, data: bytes, title: str, here: int, others: tuple[int, ...]
) -> None:
    """Choose the file, untick all but one, open it: one trace, and no canary of the others in the database."""
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    form = page.get_by_role("form", name="Streams of the file")
    expect(form.get_by_role("checkbox").first).to_be_focused()
    assert CANARY.encode() not in everything_in(server.folder)
    for box in form.get_by_role("checkbox").all():
        box.uncheck()
    form.get_by_role("checkbox", name=title, exact=False).check()
    form.get_by_role("button", name="Open the ticked streams").click()
    page.wait_for_url("**/traces/*")
    expect(page.locator("h1")).to_have_text(f"{name} › {title}")
    stored = everything_in(server.folder)
    assert f"{CANARY}{here}".encode() in stored
    assert not any(f"{CANARY}{number}".encode() in stored for number in others)
    assert b"zzSECRET" not in stored
    page.goto(server.url)
    expect(page.locator(".traces .name")).to_have_count(1)


def test_a_dropped_or_pasted_file_with_several_streams_is_asked_about_too(page: Page, url: str) -> None:
    """Without a tick it comes again, with none; Cancel forgets the file; two ticks lead to the list."""
    page.evaluate(PASTE, two_connections().decode())
    form = page.get_by_role("form", name="Streams of the file")
    expect(form).to_contain_text("pasted text holds 2 streams")
    form.get_by_role("button", name="Cancel").click()
    expect(form).to_have_count(0)
    page.evaluate(DROP, ["two.agui.jsonl", two_connections().decode()])
    expect(form.get_by_role("checkbox")).to_have_count(2)
    for box in form.get_by_role("checkbox").all():
        box.uncheck()
    form.get_by_role("button", name="Open the ticked streams").click()
    expect(form.get_by_role("alert")).to_contain_text("Nothing was ticked")
    for box in form.get_by_role("checkbox").all():
        expect(box).not_to_be_checked()
        box.check()
    form.get_by_role("button", name="Open the ticked streams").click()
    expect(page.locator(".traces .name")).to_have_text(
        ["two.agui.jsonl › POST /agent #2", "two.agui.jsonl › POST /agent"]
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_streams_of_a_file_fit_the_page(page: Page, width: int) -> None:
    """Long names break; nothing scrolls sideways."""
    page.set_viewport_size({"width": width, "height": 844})
    file = {"name": "x" * 150 + ".har", "mimeType": "application/json", "buffer": three_in_a_har()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    expect(page.get_by_role("form", name="Streams of the file")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_script_the_streams_are_picked_on_a_page(new_context: NewContext, url: str) -> None:
    """The page says to choose the file again; the ticks are made already."""
    page = new_context(java_script_enabled=False).new_page()
    page.goto(url)
    file = {"name": "logs.zip", "mimeType": "application/zip", "buffer": two_in_a_zip()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("h1")).to_have_text("Which streams?")
    page.get_by_role("checkbox", name="logs/second.sse").uncheck()
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Open the ticked streams").click()
    expect(page.locator("h1")).to_have_text("logs.zip › logs/first.sse")
