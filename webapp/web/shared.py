"""What a share link opens: one trace, read-only, under `/s/TOKEN`.

Rules of this file: every address begins by hashing the token and looking it up, whatever it looks like; one that
opens nothing gets one answer, the same to the byte. A link that does not show everything opens a redacted copy, and
then nothing is shown of the trace itself. Nothing here writes but the count of views, the audit, and a copy that is
missing; what is said while that is made is in `web/shared_later.py`. No answer may be kept, listed or told to another
site.
"""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from webapp.errors import BadInput, NotFound
from webapp.ingest import seal_notes
from webapp.ingest.copy_maker import BeingMade, CopyMaker, NotMade
from webapp.storage import shares
from webapp.storage import traces as repository
from webapp.storage.db import Database
from webapp.storage.models import Share, Trace
from webapp.views import report_page, sequence_files, share_levels
from webapp.views import trace as trace_views
from webapp.views.live import LIVE
from webapp.views.panels import PANELS
from webapp.views.selection import Selection, parse
from webapp.web.audit import note_beside
from webapp.web.deps import AppCopies, AppSettings, Db, DbSession, render, wants_fragment
from webapp.web.documents import report_html
from webapp.web.files import attachment, exchanges_file, original_file
from webapp.web.shared_later import LinkEnded, LinkFailed, LinkPrepares, LinkWaits
from webapp.web.who import Who

router = APIRouter(include_in_schema=False)

VISIT_SECONDS = 600.0  # openings of a link within them are one line of the audit


class Opened:
    """A link that works.

    trace: what it shows, a redacted copy unless it shows everything; about: public id of the trace it was made for,
    which no reader learns; from_file: that one is a redacted file which was uploaded; base: URL path the page's links
    begin with
    """

    def __init__(self, share: Share, trace: Trace, about: Trace, token: str) -> None:
        self.share = share
        self.trace = trace
        self.about = about.id
        self.from_file = (about.sealed or {}).get("by") == seal_notes.FROM_FILE
        self.base = f"/s/{token}"

    def taken(self, request: Request, kind: str) -> None:
        """A line of the audit: something of this kind was taken away. Called when it is ready."""
        note_beside(request, "exported", self.about, who=self._reader(), kind=kind, **self._detail)

    def viewed(self, request: Request) -> None:
        """Count an opening of the page. Reloads and further views of the same visit are one line of the audit."""
        now = time.time()
        note_beside(
            request,
            "viewed by link",
            self.about,
            who=self._reader(),
            also=lambda session: shares.viewed(session, self.share, now),
            once=VISIT_SECONDS,
            **self._detail,
        )

    def _reader(self) -> Who:
        return Who("link", f"link {self.share.id}", "")

    @property
    def _detail(self) -> dict[str, Any]:
        return {"link": self.share.id, "level": self.share.level}


def opened(session: DbSession, database: Db, settings: AppSettings, copies: AppCopies, token: str) -> Opened:
    """The trace behind a token; raises LinkEnded, LinkWaits, LinkPrepares or LinkFailed.

    A copy may have to be made, in sessions of its own: until it is there this request holds no connection.
    """
    shown = _shown(database, copies, token) if settings.sharing else None
    share = shares.get_by_token(session, token, time.time()) if shown is not None else None
    about = None if share is None else repository.by_pk(session, share.trace)
    trace = about if share is None or share.trace == shown else repository.by_pk(session, shown or 0)
    if share is None or about is None or trace is None:
        raise LinkEnded
    return Opened(share, trace, about, token)


def _shown(database: Database, copies: CopyMaker, token: str) -> int | None:
    """`traces.pk` of what a link shows, a redacted copy unless it shows everything; None when there is nothing."""
    with database.session() as session:
        share = shares.get_by_token(session, token, time.time())
        trace = None if share is None else repository.by_pk(session, share.trace)
    if share is None or trace is None:
        return None
    if share.level == shares.EVERYTHING:
        return trace.pk
    if trace.status == LIVE:
        raise LinkWaits
    try:
        return copies.ask(trace.pk, share.level)
    except BeingMade as error:
        raise LinkPrepares(token) from error
    except NotMade as error:
        raise LinkFailed(token, error.again) from error
    except (BadInput, NotFound):  # nothing of it can be shown without its texts, or it is gone by now
        return None


Link = Annotated[Opened, Depends(opened)]


@router.get("/s/{token}")
def page(request: Request, session: DbSession, link: Link) -> Response:
    """The whole page; at the link's own panel and event unless the address names another view."""
    sel = parse(link.base, request.query_params)
    if not request.query_params:
        sel = Selection(link.base, panel=link.share.panel, event=link.share.event)
    view = trace_views.build(session, link.trace, sel, shared=True)
    head = share_levels.head(link.share, link.trace, from_file=link.from_file)
    answer = render(request, "pages/shared_trace.html", view=view, head=head)
    if not wants_fragment(request):
        link.viewed(request)
    return answer


@router.get("/s/{token}/ready")
def ready(database: Db, settings: AppSettings, copies: AppCopies, token: str) -> Response:
    """What the page of a link that is being prepared asks again and again: when it opens, load it anew."""
    try:
        shown = _shown(database, copies, token) if settings.sharing else None
    except LinkPrepares:
        return Response(status_code=204)  # nothing to be changed on the page
    if shown is None:
        raise LinkEnded
    return Response(headers={"HX-Refresh": "true"})


@router.get("/s/{token}/original")
def original(request: Request, database: Db, link: Link) -> Response:
    """The recording, of a copy the redacted one; named as the trace is, since the file's own name is not shown."""
    tail = "" if link.share.level == shares.EVERYTHING else ".redacted.jsonl"
    answer = original_file(database, link.trace, f"{link.trace.name}{tail}")
    link.taken(request, "original")
    return answer


@router.get("/s/{token}/exchanges.jsonl")
def exchanges(request: Request, database: Db, link: Link) -> Response:
    """A Teams trace as exchange lines; of any other the link opens no such thing."""
    if link.trace.protocol != "teams":
        raise LinkEnded
    answer = exchanges_file(database, link.trace)
    link.taken(request, "exchanges")
    return answer


@router.get("/s/{token}/sequence.svg")
def as_svg(request: Request, session: DbSession, link: Link) -> Response:
    sel = parse(link.base, request.query_params, "sequence")
    picture = sequence_files.picture(session, link.trace, sel)
    link.taken(request, "svg")
    return attachment(picture, "image/svg+xml", link.trace.name, "sequence.svg")


@router.get("/s/{token}/sequence.mmd")
def as_mermaid(request: Request, session: DbSession, link: Link) -> Response:
    sel = parse(link.base, request.query_params, "sequence")
    text = sequence_files.text(session, link.trace, sel)
    link.taken(request, "mermaid")
    return attachment(text, "text/plain", link.trace.name, "sequence.mmd")


@router.get("/s/{token}/report.html")
def report(request: Request, session: DbSession, link: Link) -> Response:
    document = report_page.build(session, link.trace, now=time.time())
    answer = attachment(report_html(request, document), "text/html", link.trace.name, "report.html")
    link.taken(request, "report")
    return answer


@router.get("/s/{token}/{tail}")
def fragment(request: Request, session: DbSession, link: Link, tail: str) -> Response:
    """The view alone, with one panel."""
    if tail not in PANELS:
        raise LinkEnded
    sel = parse(link.base, request.query_params, tail)
    view = trace_views.build(session, link.trace, sel, shared=True)
    return render(request, "fragments/_trace.html", view=view)
