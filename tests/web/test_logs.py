"""No log line holds a share token."""

from __future__ import annotations

import logging
import logging.config
from typing import Any

import pytest
from fastapi.testclient import TestClient
from uvicorn.config import LOGGING_CONFIG

from webapp.views import trace as trace_views
from webapp.web.logs import LOGGERS, WithoutTokens, keep_tokens_out_of_logs, without_tokens

TOKEN = "Xy7-_aBcDeFgHiJkLmNoPqRsTuVwXyZ0"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"GET /s/{TOKEN} failed", "GET /s/… failed"),
        (f"GET /s/{TOKEN}/events?event=3", "GET /s/…/events?event=3"),
        (
            f'"GET http://127.0.0.1:8321/s/{TOKEN}?panel=x HTTP/1.1"',
            '"GET http://127.0.0.1:8321/s/…?panel=x HTTP/1.1"',
        ),
        ("GET /traces/abc/sequence.svg", "GET /traces/abc/sequence.svg"),
        (
            "GET /sign-in/oidc/back?code=a-b&state=c.d HTTP/1.1",
            "GET /sign-in/oidc/back?code=…&state=… HTTP/1.1",
        ),
    ],
)
def test_the_token_alone_is_cut(line: str, shown: str) -> None:
    """What was asked of the link stays readable."""
    assert without_tokens(line) == shown


@pytest.mark.parametrize("name", LOGGERS)
def test_every_logger_that_is_told_addresses_cuts_them(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """In the message, its arguments and the traceback; also after uvicorn has set up its own logging."""
    keep_tokens_out_of_logs()
    logging.config.dictConfig(LOGGING_CONFIG)
    keep_tokens_out_of_logs()
    logger = logging.getLogger(name)
    assert sum(isinstance(each, WithoutTokens) for each in logger.filters) == 1
    logger.addHandler(caplog.handler)
    caplog.handler.setFormatter(logging.Formatter("%(message)s"))
    try:
        logger.error("%s /s/%s %d", "GET", TOKEN, 200)
        logger.error('%s - "%s %s HTTP/%s" %d', "127.0.0.1:1", "GET", f"/s/{TOKEN}?event=1", "1.1", 200)
        try:
            raise RuntimeError(f"no answer for /s/{TOKEN}/events")
        except RuntimeError:
            logger.exception("%s failed", f"/s/{TOKEN}")
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.text.count("/s/…") >= 3
    assert TOKEN not in caplog.text
    assert "no answer for /s/…/events" in caplog.text


def test_a_failing_shared_page_is_logged_without_its_token(
    client: TestClient,
    add_trace: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The last net names the address; the address is the secret."""
    made = client.post(
        f"/traces/{add_trace()}/share", data={"name": "x", "days": "1", "level": "everything", "sure": "1"}
    ).text
    path = made.partition('class="url" value="http://127.0.0.1:8321')[2].partition('"')[0]
    token = path.removeprefix("/s/")
    assert len(token) == 32

    def fail(*_args: object, **_more: object) -> None:
        raise RuntimeError("the view failed")

    monkeypatch.setattr(trace_views, "build", fail)
    answer = client.get(path)
    assert answer.status_code == 500
    assert token not in answer.text
    assert "/s/… failed" in caplog.text
    assert token not in caplog.text
