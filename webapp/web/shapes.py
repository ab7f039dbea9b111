"""Shapes of the JSON interface, as `/api/openapi.json` describes them.

Rules of this file: descriptions only. The report's members are those of `webapp.core.findings`, see
docs/report.md.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Fault(BaseModel):
    """What every refusal looks like."""

    error: str = Field(description="one sentence")


class ManyFault(Fault):
    """A file of several streams: `parts` says which, by `id`; `notes` what is in it besides."""

    parts: list[dict[str, Any]]
    notes: list[str]


class Created(BaseModel):
    """A stored trace. duplicate: the same bytes were here already, and `id` is theirs.

    masked: credentials overwritten before it was stored, null where they are not looked for.
    """

    id: str
    url: str
    verdict: str
    duplicate: bool
    masked: int | None = None


class CreatedMany(BaseModel):
    """The traces of several streams of one file, in the order they were asked for."""

    traces: list[Created]


class Listed(BaseModel):
    """One trace of the list."""

    id: str
    url: str
    name: str
    protocol: str = Field(description="`ag-ui` or `teams`; empty where nothing told")
    verdict: str
    status: str = Field(
        description="`live` while it is recorded, `ready`, or `failed`: it could not be judged"
    )
    events: int
    rejected_at: int | None = Field(description="number of the event at which a client stops; null: at none")
    created: datetime = Field(description="when it was stored, in UTC")
    headline: str = Field(description="the first cause, one clause; empty where nothing is wrong")


class TraceList(BaseModel):
    """A stretch of the list, newest first. total: how many traces match in all."""

    total: int
    traces: list[Listed]


class Recorded(BaseModel):
    """A live recording that has ended. bytes: received; verdict: null where it was not judged yet."""

    id: str
    url: str
    bytes: int
    events: int
    verdict: str | None


class Begun(BaseModel):
    """A live trace whose events come in batches. events, end: where to send them, and that it is over."""

    id: str
    url: str
    events: str
    end: str
    last: int = Field(description="number of the newest batch stored; the next one has one more")


class Stored(BaseModel):
    """A batch is stored. last: the newest number stored; stored: false when this one was there already."""

    last: int
    stored: bool


class OrderFault(Fault):
    """A batch came too early. last: the newest number stored."""

    last: int


class ReportShape(BaseModel):
    """The report of one trace."""

    model_config = ConfigDict(extra="allow")

    source: str
    format: str | None
    read_as: str | None
    protocol: str
    protocol_version: str | None
    version_used: str | None
    engine: str
    events: int
    verdict: str
    rejected_at: int | None
    runs: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    artefacts: list[dict[str, Any]]
    masked: int | None
    not_understood: int
    skipped_rules: list[dict[str, Any]]
    clock: dict[str, Any]
