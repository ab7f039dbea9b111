"""An agent that streams with the real client library, its chat, and what Lanescope says about it.

Rules of this file: set-up and judgement for scenarios; no scenario and no expectation. Nothing of the client library
is replaced: its requests, waits and retries are its own. Only a middleware of the kind it documents is added, which
tells the clock when a request is on its way.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from httpx import HTTPStatusError
from microsoft_teams.api import (
    Account,
    ApiClient,
    ChannelData,
    ConversationAccount,
    ConversationReference,
    MessageActivityInput,
    SentActivity,
    TypingActivityInput,
)
from microsoft_teams.apps.http_stream import HttpStream
from microsoft_teams.apps.plugins.streamer import TerminalStreamError
from microsoft_teams.common.http import Client, ClientOptions
from microsoft_teams.common.http.client import MiddlewareContext, MiddlewareNext

from tests.teams.clock import Clock, run
from tests.teams.connector import ON_WIRE, Connector, Line, Trouble
from tests.teams.contract import Limits
from webapp.core.findings import Finding, Report
from webapp.core.replay import Replay

PERSONAL = "a:1zzExampleChat"
GROUP = "19:zzExample@thread.v2"
PAUSE = 1.7  # seconds an agent with manners leaves between two calls
REFUSALS = (TerminalStreamError, HTTPStatusError)  # how the library's stream and its client tell of one
LIBRARY = frozenset({"microsoft_teams", "httpx"})


class OnWire:
    """Names each request and tells the clock from its departure to its answer, however that comes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._names = map(str, itertools.count())

    async def send(self, context: MiddlewareContext, go_on: MiddlewareNext) -> Any:
        name = context.headers[ON_WIRE] = next(self._names)
        self._clock.open(name)
        try:
            return await go_on()
        finally:
            self._clock.done(name)


@dataclass
class Chat:
    """One chat with the agent in it."""

    connector: Connector
    clock: Clock
    conversation: str = PERSONAL
    client: ApiClient = field(init=False)

    def __post_init__(self) -> None:
        http = Client(ClientOptions())
        http.use(OnWire(self.clock))
        self.client = ApiClient(self.connector.url, http)

    @property
    def reference(self) -> ConversationReference:
        """What the library takes from the user's message when it makes a stream."""
        kind = "personal" if self.conversation == PERSONAL else "groupChat"
        return ConversationReference(
            activity_id="1790000009001",
            bot=Account(id="28:zz-example-bot", name="Example Bot"),
            conversation=ConversationAccount(id=self.conversation, conversation_type=kind),
            channel_id="msteams",
            service_url=self.connector.url,
        )

    def stream(self) -> HttpStream:
        """The library's stream, as an application gets it for each of the user's messages."""
        return HttpStream(self.client, self.reference)

    async def wait(self, seconds: float = PAUSE) -> None:
        await asyncio.sleep(seconds)

    async def post(self, activity: TypingActivityInput | MessageActivityInput) -> SentActivity:
        """One call below the library's stream: the application does the numbering and the waiting."""
        activity.from_ = self.reference.bot
        activity.conversation = self.reference.conversation
        return await self.client.conversations.create_activity(self.conversation, activity)

    def press_stop(self) -> None:
        self.connector.service.stop()


def chunk(
    text: str, sequence: int, stream: str | None = None, kind: str = "streaming"
) -> TypingActivityInput:
    """A start or a continue, made with the library's own builder."""
    data = ChannelData(stream_type="informative" if kind == "informative" else "streaming")
    activity = TypingActivityInput(text=text).with_channel_data(data)
    activity.id = stream
    return activity.add_stream_update(sequence)


def final(text: str, stream: str | None) -> MessageActivityInput:
    """The end of a stream, made with the library's own builder."""
    activity = MessageActivityInput(text=text)
    activity.id = stream
    return activity.add_stream_final()


def play(
    scenario: Callable[[Chat], Awaitable[None]],
    limits: Limits | None = None,
    trouble: Trouble | None = None,
    conversation: str = PERSONAL,
) -> list[Line]:
    """Let an agent do `scenario` in a chat of its own; gives the recording."""

    async def main(clock: Clock) -> list[Line]:
        async with Connector(clock, limits, trouble) as connector:
            await scenario(Chat(connector, clock, conversation))
            return connector.lines

    random.seed(4)  # the library draws the wait before it repeats a final
    return run(main, LIBRARY)


def judge(lines: Iterable[Line]) -> Report:
    """The recording as Lanescope judges it when it is uploaded."""
    replay = Replay("teams")
    for line in lines:
        replay.feed(json.dumps(line).encode(), line["at"])
    return replay.finish()


def said(report: Report, *severities: str) -> set[tuple[str, int]]:
    """(rule, record) of the findings of some severities; of errors and warnings when none is named."""
    wanted = severities or ("fatal", "error", "warning")
    return {(finding.rule, finding.event) for finding in report.findings if finding.severity in wanted}


def of(report: Report, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def outcomes(report: Report) -> list[str]:
    return [run.outcome for run in report.runs]


def statuses(lines: Iterable[Line]) -> list[int | None]:
    """What was answered, in order; None where nothing was."""
    return [line["response"] and line["response"]["status"] for line in lines]
