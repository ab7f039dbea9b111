"""Sharing a trace in words: the form that makes a link, and the page it stands on.

Rules of this file: frozen contexts and pure functions from stored rows to them. A token is seen by `SharePage.url`
alone, once. The links that were made are listed by `views/share_lists.py`; what a reader sees is
`views/share_levels.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.errors import BadInput
from webapp.settings import is_loopback
from webapp.storage.models import Share, Trace
from webapp.storage.shares import EVERYTHING, LEVELS, STRUCTURE
from webapp.views import names
from webapp.views.choice import Choice
from webapp.views.live import LIVE
from webapp.views.panels import panels_of
from webapp.views.selection import Selection
from webapp.views.share_levels import Card, cards, judged, only_whole, wants_sure
from webapp.views.share_lists import OFF, LinkLine, Listing, ended_words, line
from webapp.views.vocabulary import of

MAX_NAME = 120  # characters, as the table has it
DAYS = (1, 7, 30)


@dataclass(frozen=True, slots=True)
class Given:
    """The answers of the form as they came, or those it begins with. sure: `1` when the second tick is set."""

    name: str
    days: str
    panel: str
    event: str
    level: str = STRUCTURE
    sure: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A form that can be used. days: life of the link; event: None opens at the first cause."""

    name: str
    days: int
    panel: str
    event: int | None
    level: str


@dataclass(frozen=True, slots=True)
class LinkForm:
    """What the form shows: as asked for, or as typed when `problem` says what cannot be used."""

    name: str
    event: str
    panels: Sequence[Choice]
    days: Sequence[Choice]
    levels: Sequence[Card]
    sure: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SharePage:
    """`/traces/ID/share`. url: the link just made, "" otherwise; ready: what it shows is there already; report: what
    that link gives as a file; local: it opens on this machine only.

    off: why no link can be made, "" when one can; end_all: address that ends all links of the trace, "" while fewer
    than two can be ended; count: how many that are; whole: why nothing can be taken out; judged: whose the verdict is;
    ended: what was revoked just now
    """

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
    ready: bool
    local: bool
    record: str
    off: str
    end_all: str
    count: str
    whole: str
    judged: str
    ended: str


def read_form(trace: Trace, given: Given, share_days: int) -> Asked:
    """What the form asks for; raises BadInput with the one thing to change."""
    name = " ".join(given.name.split())
    if not name:
        raise BadInput("A link needs a name, so that you know later what it was for.")
    if len(name) > MAX_NAME:
        raise BadInput(f"The name has {len(name):,} characters; {MAX_NAME} are the most.")
    if given.days not in {str(number) for number in _days(share_days)}:
        raise BadInput("Choose how long the link works from the list.")
    if given.panel not in panels_of(trace.protocol):
        raise BadInput("Choose the panel at which the link opens from the list.")
    number = given.event.strip().removeprefix("#")
    if number and not (number.isascii() and number.isdigit() and int(number[:10]) < max(trace.records, 1)):
        raise BadInput(
            f"There is no {of(trace.protocol).event} #{number[:20]}; the last one is #{max(trace.records - 1, 0)}."
        )
    _check_level(trace, given)
    return Asked(name, int(given.days), given.panel, int(number) if number else None, given.level)


def _check_level(trace: Trace, given: Given) -> None:
    if given.level not in LEVELS:
        raise BadInput("Choose what the reader of the link sees.")
    if given.level != EVERYTHING and (why := only_whole(trace)):
        later = ", or make the link then" if trace.status == LIVE else ", or make no link"
        raise BadInput(f"{why.rstrip('.')}: choose “Everything”{later}.")
    if given.level == EVERYTHING and wants_sure(trace) and given.sure != "1":
        raise BadInput(
            "“Everything” shows this customer’s texts to whoever has the link: tick that you may show them, or choose "
            "another level."
        )


def form(trace: Trace, given: Given, share_days: int, problem: str = "") -> LinkForm:
    """The form with these answers; what cannot be chosen falls back to the default."""
    known = _days(share_days)
    chosen_days = given.days if given.days in {str(number) for number in known} else str(share_days)
    known_panels = panels_of(trace.protocol)
    chosen_panel = given.panel if given.panel in known_panels else "events"
    return LinkForm(
        name=given.name[: MAX_NAME * 4],
        event=given.event[:20],
        panels=[Choice(p.name, p.label, p.name == chosen_panel) for p in known_panels.values()],
        days=[Choice(str(n), names.plural(n, "day"), str(n) == chosen_days) for n in known],
        levels=cards(trace, given.level if given.level in LEVELS else STRUCTURE),
        sure=given.sure == "1",
        problem=problem,
    )


def _days(share_days: int) -> list[int]:
    return sorted({*DAYS, share_days})


def page(
    trace: Trace,
    shares: Sequence[Share],
    asked: LinkForm,
    listing: Listing,
    *,
    base: str,
    host: str,
    back: Selection,
    token: str = "",
    made: str = "",
    ready: bool = True,
    ended: str = "",
) -> SharePage:
    """base: what links begin with; host: its host name; back: the view the reader came from; made: name of the link;
    ready: what that shows is there already; ended: how many were revoked just now, as the address says it."""
    href = f"/traces/{trace.id}"
    lines = [line(share, trace, listing) for share in shares]
    working = sum(bool(each.revoke) for each in lines)
    return SharePage(
        trace_name=trace.name,
        verdict=trace.verdict,
        summary=f"{names.protocol_words(trace)} · {names.plural(trace.events, of(trace.protocol).event)}",
        action=f"{href}/share",
        back=back.href(),
        report=f"/s/{token}/report.html" if token else "",
        form=asked,
        lines=lines,
        url=f"{base}/s/{token}" if token else "",
        made=made,
        ready=ready,
        local=is_loopback(host),
        record=of(trace.protocol).event,
        off="" if listing.sharing else OFF,
        end_all=f"{href}/share/revoke-all" if working > 1 else "",
        count=names.plural(working, "link"),
        whole=only_whole(trace),
        judged=judged(trace),
        ended=ended_words(ended),
    )
