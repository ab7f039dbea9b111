"""The links that were made, in words: of one trace, and of all.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as `now`. Who made a
link is told here, and never to its reader. No address of a link is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.storage.models import Share, Trace
from webapp.views import dates, names
from webapp.views.pages import Pages, pages
from webapp.views.panels import panels_of
from webapp.views.share_levels import TITLES

LINKS_AT_ONCE = 50  # on a page of the list of all links
OFF = (
    "Sharing is turned off in this installation: no link can be made, and those there are show nothing. Whoever runs "
    "it can turn it on again with LANESCOPE_SHARING."
)
_STATES = {"live": "works", "expired": "expired", "revoked": "revoked", "halted": "turned off"}


@dataclass(frozen=True, slots=True)
class LinkLine:
    """One link. state: live | expired | revoked | halted; at: where it opens; shows: the level in words.

    maker: who made it, "" when there were no accounts or this one is gone; revoke: address of the form, "" when it
    has ended or the asker may not
    """

    name: str
    trace: str
    trace_href: str
    at: str
    shows: str
    created: str
    maker: str
    expires: str
    state: str
    word: str
    views: str
    last: str
    revoke: str


@dataclass(frozen=True, slots=True)
class LinksPage:
    """`/shares`. off: why they show nothing, "" when they do; end_all: address that ends all, "" when there is no need
    or it is not the asker's to do; count: how many that are, on all pages; ended: what was revoked just now"""

    lines: Sequence[LinkLine]
    pages: Pages
    off: str
    end_all: str
    count: str
    ended: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a list needs to know beside the links. makers: names by `users.pk`; may: the asker may end links."""

    now: float
    makers: Mapping[int, str]
    may: bool
    sharing: bool


def ended_words(count: str) -> str:
    """`2 links revoked.`, of the number in an address; "" for what is no number."""
    if not (count.isascii() and count.isdigit() and len(count) < 7):
        return ""
    number = int(count)
    return (
        "It had ended already."
        if not number
        else "Link revoked."
        if number == 1
        else f"{number:,} links revoked."
    )


def all_links(
    rows: Sequence[tuple[Share, Trace]],
    listing: Listing,
    page: int,
    found: int,
    *,
    may_end_all: bool,
    ended: str = "",
) -> LinksPage:
    """A page of the list of all traces' links; ending one comes back to it. rows: of this page; found: on all pages."""
    number = f"&page={page}" if page > 1 else ""
    return LinksPage(
        lines=[line(share, trace, listing, f"?back=all{number}") for share, trace in rows],
        pages=pages(page, LINKS_AT_ONCE, found, lambda n: "/shares" if n == 1 else f"/shares?page={n}"),
        off="" if listing.sharing else OFF,
        end_all="/shares/revoke-all" if may_end_all and found else "",
        count=names.plural(found, "link"),
        ended=ended_words(ended),
    )


def line(share: Share, trace: Trace, listing: Listing, back: str = "") -> LinkLine:
    """One link as a list tells it. back: query of the address that ends it."""
    works = share.revoked is None and share.expires > listing.now
    state = "revoked" if share.revoked is not None else "expired" if not works else "live"
    known = panels_of(trace.protocol)
    at = (known.get(share.panel) or known["events"]).label
    if works and not listing.sharing:
        state = "halted"
    return LinkLine(
        name=share.name,
        trace=trace.name,
        trace_href=f"/traces/{trace.id}",
        at=at if share.event is None else f"{at} at #{share.event}",
        shows=TITLES[share.level],
        created=dates.day(share.created),
        maker="" if share.maker is None else listing.makers.get(share.maker, ""),
        expires=dates.day(share.expires if share.revoked is None else share.revoked),
        state=state,
        word=_STATES[state],
        views=names.plural(share.views, "view"),
        last=dates.moment(share.last_viewed) if share.last_viewed is not None else "",
        revoke=f"/traces/{trace.id}/share/{share.id}/revoke{back}" if works and listing.may else "",
    )
