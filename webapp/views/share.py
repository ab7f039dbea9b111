"""Share links in words: the form that makes one, the list of those made, and the head of a shared page.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as `now`.
A token is seen by `SharePage.url` alone, once; who made a link is not known here and never told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.errors import BadInput
from webapp.settings import is_loopback
from webapp.storage.models import Share, Trace
from webapp.views import dates, names
from webapp.views.panels import panels_of
from webapp.views.selection import Selection
from webapp.views.vocabulary import of

MAX_NAME = 120  # characters, as the table has it
DAYS = (1, 7, 30)
_STATES = {"live": "works", "expired": "expired", "revoked": "revoked"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a list to choose from."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class LinkForm:
    """What the form shows: as asked for, or as typed when `problem` says what cannot be used."""

    name: str
    event: str
    panels: Sequence[Choice]
    days: Sequence[Choice]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LinkLine:
    """One link. state: live | expired | revoked; at: where it opens; revoke: address of the form."""

    name: str
    trace: str
    trace_href: str
    at: str
    created: str
    expires: str
    state: str
    word: str
    views: str
    last: str
    revoke: str


@dataclass(frozen=True, slots=True)
class SharePage:
    """`/traces/ID/share`. url: the link just made, "" otherwise; local: it opens on this machine only."""

    trace_name: str
    verdict: str
    summary: str
    action: str
    back: str
    report: str
    form: LinkForm
    lines: Sequence[LinkLine]
    url: str
    made: str
    local: bool
    record: str = "event"


@dataclass(frozen=True, slots=True)
class SharedHead:
    """What stands above a shared page. until: `6 Dec 2026`; until_iso: the same for programs."""

    until: str
    until_iso: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A form that can be used. days: life of the link; event: None opens at the first cause."""

    name: str
    days: int
    panel: str
    event: int | None


def read_form(trace: Trace, name: str, days: str, panel: str, event: str, share_days: int) -> Asked:
    """What the form asks for; raises BadInput with the one thing to change."""
    name = " ".join(name.split())
    if not name:
        raise BadInput("A link needs a name, so that you know later what it was for.")
    if len(name) > MAX_NAME:
        raise BadInput(f"The name has {len(name):,} characters; {MAX_NAME} are the most.")
    if days not in {str(number) for number in _days(share_days)}:
        raise BadInput("Choose how long the link works from the list.")
    if panel not in panels_of(trace.protocol):
        raise BadInput("Choose the panel at which the link opens from the list.")
    number = event.strip().removeprefix("#")
    if number and not (number.isascii() and number.isdigit() and int(number[:10]) < max(trace.records, 1)):
        raise BadInput(
            f"There is no {of(trace.protocol).event} #{number[:20]}; the last one is #{max(trace.records - 1, 0)}."
        )
    return Asked(name, int(days), panel, int(number) if number else None)


def form(
    trace: Trace, name: str, days: str, panel: str, event: str, share_days: int, problem: str = ""
) -> LinkForm:
    """The form with these answers; what cannot be chosen falls back to the default."""
    known = _days(share_days)
    chosen_days = days if days in {str(number) for number in known} else str(share_days)
    known_panels = panels_of(trace.protocol)
    chosen_panel = panel if panel in known_panels else "events"
    return LinkForm(
        name=name[: MAX_NAME * 4],
        event=event[:20],
        panels=[Choice(p.name, p.label, p.name == chosen_panel) for p in known_panels.values()],
        days=[Choice(str(n), names.plural(n, "day"), str(n) == chosen_days) for n in known],
        problem=problem,
    )


def _days(share_days: int) -> list[int]:
    return sorted({*DAYS, share_days})


def page(
    trace: Trace,
    shares: Sequence[Share],
    asked: LinkForm,
    *,
    now: float,
    base: str,
    host: str,
    back: Selection,
    token: str = "",
    made: Share | None = None,
) -> SharePage:
    """base: what links begin with; host: its host name; back: the view the reader came from."""
    href = f"/traces/{trace.id}"
    return SharePage(
        trace_name=trace.name,
        verdict=trace.verdict,
        summary=f"{names.protocol_words(trace)} · {names.plural(trace.events, of(trace.protocol).event)}",
        action=f"{href}/share",
        back=back.href(),
        report=f"{href}/report.html",
        form=asked,
        lines=[line(share, trace, now) for share in shares],
        url=f"{base}/s/{token}" if token else "",
        made=made.name if made is not None else "",
        local=is_loopback(host),
        record=of(trace.protocol).event,
    )


def line(share: Share, trace: Trace, now: float, back: str = "") -> LinkLine:
    """back: `all` returns to the list of all links once this one is revoked."""
    state = "revoked" if share.revoked is not None else "live" if share.expires > now else "expired"
    known = panels_of(trace.protocol)
    at = (known.get(share.panel) or known["events"]).label
    return LinkLine(
        name=share.name,
        trace=trace.name,
        trace_href=f"/traces/{trace.id}",
        at=at if share.event is None else f"{at} at #{share.event}",
        created=dates.day(share.created),
        expires=dates.day(share.expires if share.revoked is None else share.revoked),
        state=state,
        word=_STATES[state],
        views=names.plural(share.views, "view"),
        last=dates.moment(share.last_viewed) if share.last_viewed is not None else "",
        revoke=f"/traces/{trace.id}/share/{share.id}/revoke{'?back=all' if back == 'all' else ''}",
    )


def head(share: Share) -> SharedHead:
    """What the reader of a shared page is told of the link: when it ends, and nothing else."""
    return SharedHead(dates.day(share.expires), dates.local(share.expires).isoformat(timespec="minutes"))
