"""The real client library streams through the proxy to the stand-in connector: the trace tells what that saw."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from microsoft_teams.api import ConversationReference

from tests.live.proxied import proxying, recorded
from tests.teams.agent import PAUSE, PERSONAL, REFUSALS, Chat, chunk, judge
from tests.teams.clock import Clock
from tests.teams.connector import Connector, Line, Trouble
from webapp.core.findings import Report
from webapp.storage.db import Database

pytestmark = pytest.mark.filterwarnings("ignore:The bot client is deprecated:DeprecationWarning")

TEAMS = "smba.trafficmanager.net"
OTHER = "a:1zzExampleChat-2"


class RealClock(Clock):
    """Time as it passes: the proxy runs in another thread, with a clock of its own."""

    def __init__(self) -> None:
        self._open, self._under_way = set(), set()

    @property
    def now(self) -> float:  # type: ignore[override]
        return time.monotonic()


class Another(Chat):
    """A second personal chat with the same agent."""

    @property
    def reference(self) -> ConversationReference:
        reference = super().reference
        reference.conversation.conversation_type = "personal"
        return reference


async def good(chat: Chat) -> None:
    """A status, two chunks and the end, with manners."""
    stream = chat.stream()
    stream.update("Reading the policy...")
    await chat.wait(PAUSE)
    stream.emit("You have")
    await chat.wait(PAUSE)
    stream.emit(" 12 days")
    await chat.wait(PAUSE)
    await stream.close()


async def broken(chat: Chat) -> None:
    """Each chunk has the new words alone, which Teams refuses, and the agent goes on."""
    stream = (await chat.post(chunk("You have", 1))).id
    for sequence, text in ((2, " 12"), (3, " days")):
        await chat.wait(PAUSE)
        with pytest.raises(REFUSALS):
            await chat.post(chunk(text, sequence, stream))


def of(lines: list[Line], conversation: str) -> list[Line]:
    return [line for line in lines if f"/{conversation}/" in unquote(line["url"])]


def said(report: Report) -> tuple[object, ...]:
    return (
        report.verdict,
        report.rejected_at,
        [run.outcome for run in report.runs],
        sorted((finding.rule, finding.event, finding.severity) for finding in report.findings),
    )


@pytest.fixture
def teams_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real service's name means this machine: rules that hold in Teams only are judged by it."""
    really = socket.getaddrinfo

    def resolve(host: Any, *more: Any, **named: Any) -> Any:
        return really("127.0.0.1" if host == TEAMS else host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.usefixtures("teams_is_here")
def test_the_trace_tells_what_the_connector_recorded(database: Database, tmp_path: Path) -> None:
    """Two chats at once, one a trace each: same calls, same answers, same verdict, same findings."""

    async def main() -> list[Line]:
        async with Connector(RealClock(), trouble=Trouble(latency=0.05)) as connector:
            straight = connector.url
            with proxying(database, tmp_path, teams=straight.replace("127.0.0.1", TEAMS)) as url:
                connector.url = f"{url}/proxy/teams"  # where the agent believes Teams to be
                clock = connector._clock
                await asyncio.gather(
                    good(Chat(connector, clock, PERSONAL)), broken(Another(connector, clock, OTHER))
                )
            return connector.lines

    direct = asyncio.run(main())
    found = {each.trace.name: each for each in recorded(database)}
    assert set(found) == {f"teams: {PERSONAL}", f"teams: {OTHER}"}
    for conversation in (PERSONAL, OTHER):
        trace = found[f"teams: {conversation}"]
        lines = [json.loads(line) for line in trace.body.splitlines()]
        wanted = of(direct, conversation)
        assert [(line["method"], line["request"]) for line in lines] == [
            (line["method"], line["request"]) for line in wanted
        ]
        assert [line["response"] for line in lines] == [line["response"] for line in wanted]
        for line, seen in zip(lines, wanted, strict=True):
            assert urlsplit(line["url"]).path == urlsplit(seen["url"]).path
            assert urlsplit(line["url"]).hostname == TEAMS
        assert said(judge(lines)) == said(judge(wanted))
        assert trace.trace.verdict == judge(wanted).verdict
        assert trace.trace.protocol == "teams"
