"""One server, one browser a session (a worker of pytest-xdist is one); each test has a watched context of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser import DESK, SAMPLES, SHIPPED, Server, Watch, launch, serving

HERE = Path(__file__).parent
# what is waited for comes at once, and on a busy machine later; only a test that fails takes the longer for it
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser, whose event loop suffers no other in its process: `make test` runs it apart."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)


NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def watch(server: Server) -> Iterator[Watch]:
    """Collects what must not happen; afterwards nothing has."""
    watch = Watch(urlsplit(server.url).netloc)
    yield watch
    assert watch.faults == []


@pytest.fixture
def new_context(browser: Browser, watch: Watch) -> Iterator[NewContext]:
    """Makes a watched context: `viewport`, `color_scheme`, `java_script_enabled` … as Playwright takes them."""
    made: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": DESK, "reduced_motion": "reduce", **options})
        context.set_default_timeout(20_000)
        watch.follow(context)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


@pytest.fixture
def page(new_context: NewContext) -> Page:
    return new_context().new_page()


@pytest.fixture(scope="session")
def parallel(server: Server) -> str:
    """Three parallel tool calls, refused at #12."""
    return server.add((SHIPPED / "pydantic-parallel.sse").read_bytes(), "parallel.sse")


@pytest.fixture(scope="session")
def dropped(server: Server) -> str:
    """A snapshot drops an open message: errors, not refused."""
    return server.add((SHIPPED / "msaf-old-tool.sse").read_bytes(), "dropped.sse")


@pytest.fixture(scope="session")
def healthy(server: Server) -> str:
    """Subagents, nothing wrong."""
    return server.add((SHIPPED / "proto-subagents.sse").read_bytes(), "healthy.sse")


@pytest.fixture(scope="session")
def chunked(server: Server) -> str:
    """Chunks and two subagents at once, refused at #352."""
    return server.add((SAMPLES / "chunked-two-subagents.sse").read_bytes(), "chunked.sse")


@pytest.fixture(scope="session")
def nested(server: Server) -> str:
    """Subagents inside subagents with times, a call that is never closed."""
    return server.add((SAMPLES / "nested-subagents-timed.sse").read_bytes(), "nested.sse")
