"""What one row of the event list says, and how it looks.

Rules of this file: rows from facts that are already loaded; no database. A row is a record, a derived event
(dashed, before its record) or a folded burst. A row has few elements: a window has a node limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.records import AFTER, DROPPED, REFUSED
from webapp.draw import rail
from webapp.storage.events import Line
from webapp.storage.models import FindingRow, ItemRow, Segment
from webapp.views import clocks, content, live, names
from webapp.views.event_facts import Entry, Facts, Said, beat, spans, subject


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the template writes it; `stop` is the sentence of the stop line under it.

    newest: `newest #350` on the folded row of a recording that goes on, while the page follows it; "" on others
    """

    id: str
    number: str
    href: str
    cls: str
    mark: str
    mark_word: str
    rail: Markup
    lane: str
    lane_cls: str
    prefix: str
    verb: str
    item: str
    item_id: str
    say: str
    text: str
    ascii: bool
    note: str
    note_cls: str
    time: str
    stamp: str
    selected: bool
    seq: int
    derived: bool
    stop: str = ""
    newest: str = ""

    @property
    def cost(self) -> int:
        """Elements the row adds to the page, from above."""
        optional = (self.mark, self.mark, self.prefix, self.item_id, self.say, self.note, not self.ascii)
        return (
            10 + bool(self.newest) + sum(map(bool, optional)) + self.rail.count("<") + (3 if self.stop else 0)
        )


def said(row: FindingRow) -> Said:
    """`not open since #6` where the finding says when the item was shut, else its own clause."""
    shut = next((event for event, role in row.related if role in ("closed", "closed_by")), None)
    not_open = shut is not None and ("not open" in row.title or "closed" in row.title)
    words = f"not open since #{shut}" if not_open else names.clip(row.title.replace("`", ""), 90)
    return Said(row.severity, words, frozenset(event for event, _ in row.related))


def make(lines: Sequence[Line], facts: Facts) -> list[Row]:
    """The rows of a window, in order."""
    entries: list[Entry] = []
    for line in lines:
        made = [] if line.seq in facts.bursts else content.derived(line.seq, line.synth)
        for index, event in enumerate(made):
            if event.change != "grew":  # the chunk's own row shows the text
                entries.append(Entry(line, event, line.seq - (len(made) - index) / (len(made) + 1)))
        entries.append(Entry(line, None, float(line.seq)))
    drawn = rail.draw(spans(facts, entries), [beat(entry, facts) for entry in entries])
    related = frozenset(e for row in facts.page.findings for e in said(row).related)
    out: list[Row] = []
    lane_before: int | None = None
    times = facts.page.clock.apart([None if entry.derived else entry.line for entry in entries])
    for entry, picture, time in zip(entries, drawn, times, strict=True):
        out.append(_row(entry, picture, facts, entry.line.lane == lane_before, related, time))
        lane_before = entry.line.lane
    return out


def _row(
    entry: Entry, picture: Markup, facts: Facts, same_lane: bool, related: frozenset[int], time: str
) -> Row:
    line, page, sel = entry.line, facts.page, facts.sel
    parts = facts.bursts.get(line.seq) if entry.derived is None else None
    last = parts[0].burst_last if parts else line.seq
    chosen = sel.event is not None  # none is, on the page of a live trace that follows its newest
    selected = chosen and entry.derived is None and line.seq <= page.event <= last
    gone = line.reached == AFTER
    severity = None if entry.derived is not None or line.severity is None else line.severity
    word = "" if severity is None else names.SEVERITY[severity]
    item = subject(entry, facts)
    type_ = _type(entry, item)
    prefix, verb = names.type_parts(type_)
    shown = _folded(parts, line, facts) if parts else _content(entry, item)
    first_said = facts.said[line.seq][0] if severity is not None and line.seq in facts.said else None
    name, item_id = _item(type_, item, line, parts, facts)
    number = entry.derived.number if entry.derived else str(line.seq)
    return Row(
        id=f"e{entry.derived.number if entry.derived else line.seq}",
        number=f"#{number}",
        href=sel.href(event=line.seq, **({"fold": False, "start": line.seq} if parts else {})),
        cls=_cls(line, word, gone, bool(parts), entry.derived is not None, line.seq in related),
        mark=word or ("gone" if gone else "info" if line.reached == DROPPED else ""),
        mark_word=names.SEVERITY_WORD.get(word, "never reached the application" if gone else ""),
        rail=picture,
        lane=page.lane_name(line.lane),
        lane_cls=f"{names.lane_class(line.lane)}{' same' if same_lane else ''}",
        prefix=prefix,
        verb=verb,
        item=name,
        item_id=item_id,
        say=shown.say,
        text=shown.text,
        ascii=shown.ascii,
        note=first_said.words if first_said else "",
        note_cls=f"c-{names.SEVERITY[first_said.severity]}"
        if first_said and first_said.first and not gone
        else "",
        time=time,
        stamp="" if entry.derived else clocks.line(line, page.clock),
        selected=selected,
        seq=line.seq,
        derived=entry.derived is not None,
        stop=_stop(facts) if line.reached == REFUSED and entry.derived is None else "",
        newest=f"newest #{last}" if parts and last == page.last and live.unpinned(facts.trace, sel) else "",
    )


def _type(entry: Entry, item: ItemRow | None) -> str | None:
    if entry.derived is None:
        return entry.line.type
    kind = item.kind if item is not None else "text"
    return content.DERIVED.get(kind, content.DERIVED["text"]).get(entry.derived.change, "derived")


def _cls(line: Line, word: str, gone: bool, folded: bool, derived: bool, related: bool) -> str:
    """Classes of the row: severity only colours its mark, `hit` the whole row."""
    classes = [word] if word else []
    if word in ("fatal", "error") and not gone:
        classes.insert(0, "hit")
    classes += [name for name, on in (("gone", gone), ("fold", folded), ("derived", derived)) if on]
    if related:
        classes.append("rel")
    return " ".join(classes)


def _content(entry: Entry, item: ItemRow | None) -> content.Content:
    if entry.derived is not None:
        return content.Content(content.DERIVED_SAY.get(entry.derived.change, "derived"))
    line = entry.line
    return content.content(line.type, line.raw, item)


def _folded(parts: Sequence[Segment], line: Line, facts: Facts) -> content.Content:
    """`#23–350 ×184, 3.2 s, 1,120 characters` and the beginning of the text."""
    told = [f"#{line.seq}–{parts[0].burst_last} ×{names.count(sum(part.count for part in parts))}"]
    end = facts.burst_ends.get(parts[0].burst_last)
    if end is not None:
        begun = facts.page.clock.read(line)
        ended = facts.page.clock.read(end)
        if begun is not None and ended is not None:
            told.append(names.duration(ended - begun))
    told.append(names.plural(sum(part.chars for part in parts), "character"))
    return content.Content(", ".join(told), _piece(parts[0]))


def _piece(part: Segment) -> str:
    text = names.clip(part.text, 120)
    return content.showable(text) if part.kind == "tool" else content.quoted(text)


def _item(
    type_: str | None,
    item: ItemRow | None,
    line: Line,
    parts: Sequence[Segment] | None,
    facts: Facts,
) -> tuple[str, str]:
    """The item's human name and its shortened id."""
    if parts:
        first = facts.items.get(parts[0].item)
        others = len({part.item for part in parts}) - 1
        name = names.item_name(first) if first is not None else "text"
        if first is None or others:
            return f"{name} +{others} more" if others else name, ""
        return name, names.short_id(content.showable(first.id))
    if item is not None:
        named = names.item_name(item)
        shown = item.id if item.kind not in ("step", "subagent") else ""
        return names.clip(named, 40), names.short_id(content.showable(shown))
    if type_ and type_.startswith("RUN_"):
        body = content.parse(line.raw)
        run = body.get("runId") if isinstance(body, dict) else None
        return "run", names.short_id(content.showable(run), 14) if isinstance(run, str) else ""
    return {"STATE_": "state", "MESSAGES_": "messages"}.get(names.type_parts(type_)[0], ""), ""


def _stop(facts: Facts) -> str:
    """The sentence of the stop line."""
    if facts.after == 0:
        return "It was the last event."
    if facts.after == 1:
        return "One more event was sent; it never reached the application."
    return f"The next {names.count(facts.after)} events were sent; none reached the application."
