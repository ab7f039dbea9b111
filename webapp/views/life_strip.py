"""The life of the item a finding is about, as moments for `draw/life.py`.

Rules of this file: which records matter and what each is called; no drawing. One lookup at most.
"""

from __future__ import annotations

from markupsafe import Markup
from sqlalchemy.orm import Session

from webapp.draw import life
from webapp.storage import items
from webapp.storage.models import FindingRow, ItemRow, Trace
from webapp.views import content, names
from webapp.views.page import PageContext
from webapp.views.selection import Selection

_ROLES = {
    "opened": ("opened", "opens"),
    "closed": ("closed", "its own END"),
    "closed_by": ("closed", "ends it"),
    "later": ("other", "opens too late"),
    "previous": ("other", "before"),
    "expected": ("other", "expected"),
}
_VERBS = {"ARGS": "arguments", "CONTENT": "more text", "CHUNK": "chunk", "RESULT": "result"}


def strip(
    session: Session,
    trace: Trace,
    sel: Selection,
    page: PageContext,
    finding: FindingRow,
    item: ItemRow | None,
    type_: str | None = None,
) -> Markup:
    """The strip; nothing when the finding is about no item, or it has no story. type_: at the finding."""
    if finding.item_id is None or trace.protocol == "teams":  # there the ladder tells it
        return Markup("")
    if item is None or item.id != finding.item_id:
        same = items.by_id(session, trace.pk, finding.item_id, finding.item_kind)
        item = next((i for i in reversed(same) if i.first <= finding.event), None)
    if item is None or item.kind not in names.KIND_CLASS:
        return Markup("")
    moments = sorted(_moments(sel, page, finding, item, type_), key=lambda moment: moment.seq)
    if len(moments) < 2:
        return Markup("")
    name = names.short_id(content.showable(item.id), 24)
    return life.draw(life.Life(name, names.KIND_CLASS[item.kind], moments))


def _moments(
    sel: Selection, page: PageContext, finding: FindingRow, item: ItemRow, type_: str | None
) -> list[life.Moment]:
    """The records of the item's life, one each, the fault above all."""
    told: dict[int, tuple[str, str]] = {}
    if item.opened is not None:
        told[item.opened] = ("opened", "opens")
    if item.count and item.opened is not None and item.opened + 1 < (item.closed or page.last + 2):
        told[item.opened + 1] = ("grew", names.plural(item.count, "piece"))
    shut = [event for event, role in finding.related if role in ("closed", "closed_by")]
    if item.closed is not None and not (shut and item.closed > finding.event):
        told[item.closed] = ("closed", "its own END" if item.closed_by is None else "ended there")
    for event, role in finding.related:
        if role in _ROLES and event not in told:
            told[event] = _ROLES[role]
    if item.result is not None:
        told[item.result] = ("result", "result")
    verb = names.type_parts(type_)[1] if type_ else "here"
    told[finding.event] = ("wrong", _VERBS.get(verb, verb))
    return [
        life.Moment(seq, what, label, sel.href(event=seq, start=None), page.gone(seq))
        for seq, (what, label) in told.items()
    ]
