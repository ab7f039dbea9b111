"""Facts about records -> rows of a sequence diagram.

Rules of this file: decides which arrows a record has and what folds; no geometry, no markup. Nothing with a
finding folds. Received and derived are told apart: what the expansion stage made is dashed, always.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webapp.core.records import AFTER, DROPPED, REFUSED
from webapp.draw import layout
from webapp.draw.sequence_folds import stop_row, whole_item
from webapp.draw.sequence_model import (
    MAX_PARTS,
    Arrow,
    Burst,
    Columns,
    Entry,
    Fact,
    LaneFact,
    Line,
    Part,
    Row,
)
from webapp.draw.sequence_words import (
    FAMILY,
    GROWTH,
    OF_ITEM,
    amount,
    derived_words,
    effect,
    grown,
    grows,
    item_words,
    kind_of,
    pill,
    verb,
)

_SPOKEN = 400  # px of text that is worth hearing
_SUBAGENT = {"SUBAGENT_STARTED": "starts", "SUBAGENT_FINISHED": "finishes", "SUBAGENT_ERROR": "fails"}


class Composer:
    """Rows of one window. lanes: of the trace; columns: where they stand; fold: whole items to one arrow."""

    def __init__(self, lanes: Iterable[LaneFact], columns: Columns, fold: bool = True) -> None:
        self.lanes = {lane.ord: lane for lane in lanes}
        self.columns = columns
        self.fold = fold

    def rows(self, entries: Sequence[Entry], never_reached: int = 0) -> list[Row]:
        """The rows, in the order of the records. never_reached: records after the refused one."""
        out: list[Row] = []
        at = 0
        while at < len(entries):
            entry = entries[at]
            whole = whole_item(entries, at) if self.fold else 0
            if whole:
                out.append(self._folded_item(entries[at : at + whole]))
                at += whole
                continue
            out.append(self._burst(entry) if isinstance(entry, Burst) else self._event(entry))
            if isinstance(entry, Fact) and entry.reached == REFUSED:
                out.append(stop_row(entry.seq, never_reached))
            at += 1
        return out

    # ── one record ──

    def _event(self, fact: Fact) -> Row:
        sub = self._subagent(fact)
        if sub is not None:
            lines = [*self._ended(fact), Line((sub,))]
        elif fact.reached == REFUSED:
            lines = self._lost(fact)
        elif fact.type is not None and fact.type.endswith("_CHUNK") and self.columns.expansion is not None:
            lines = [self._chunk(fact)]
        else:
            lines = self._plain(fact)
        return Row(
            fact.seq,
            fact.seq,
            tuple(lines),
            seconds=fact.seconds,
            severity=fact.severity,
            fault=f"refused: {fact.fault or 'not legal here'}" if fact.reached == REFUSED else fact.fault,
            gone=fact.reached == AFTER,
            sentence=self._sentence(fact, lines),
        )

    def _subagent(self, fact: Fact) -> Arrow | None:
        """A start goes down to the new lane, an end comes back; both only where the two lanes are drawn."""
        words = _SUBAGENT.get(fact.type or "")
        lane = self.lanes.get(fact.lane)
        if words is None or lane is None or lane.parent is None or fact.reached == REFUSED:
            return None
        here, parent = self.columns.of(fact.lane), self.columns.of(lane.parent)
        if here == parent:
            return None
        a, b = (parent, here) if fact.type == "SUBAGENT_STARTED" else (here, parent)
        return Arrow(a, b, "step", detail=f"{words}: {fact.detail}" if fact.detail else words)

    def _lost(self, fact: Fact) -> list[Line]:
        """The refused message; an END that the expansion stage made for it was still delivered."""
        stage = self.columns.expansion
        within = fact.in_expansion and stage is not None
        target = stage if within and stage is not None else self.columns.client
        lost = Line((self._arrow(fact, target, "run", "lost"),), "error shown", bad=True)
        return [lost] if within else [*self._ended(fact), lost]

    def _ended(self, fact: Fact) -> list[Line]:
        """A line of its own for the ENDs that are derived before this record."""
        stage = self.columns.expansion
        ends = tuple(s for s in fact.synth if s[0] in ("end", "closed"))
        if not ends or stage is None or fact.reached == AFTER:
            return []
        words = f"#{fact.seq}a {derived_words(ends)}"
        kind = OF_ITEM.get(ends[0][1].kind, "run")
        derived = Arrow(stage, self.columns.client, kind, "derived", words, words)
        return [Line((derived,), pill(ends, cut=fact.culprit))]

    def _arrow(self, fact: Fact, target: int, kind: str, style: str = "solid", note: str = "") -> Arrow:
        name, short, detail, text = self._label(fact)
        lane = self.columns.of(fact.lane)
        return Arrow(
            lane, target, kind, style, name, short, detail, quote=text, note=note, alarm=fact.culprit
        )

    def _chunk(self, fact: Fact) -> Line:
        stage, client = self.columns.expansion or 0, self.columns.client
        arrows = [self._arrow(fact, stage, kind_of(fact.type))]
        if fact.reached == AFTER or not fact.synth:
            return Line(tuple(arrows))
        derived = derived_words(fact.synth)
        arrows.append(Arrow(stage, client, kind_of(fact.type), "derived", derived, derived))
        return Line(tuple(arrows), pill(fact.synth))

    def _plain(self, fact: Fact) -> list[Line]:
        client, stage = self.columns.client, self.columns.expansion
        kind = kind_of(fact.type)
        seen = effect(fact)
        if not fact.synth or stage is None or fact.reached == AFTER:
            note = "ignored by the client" if fact.reached == DROPPED and not fact.fault else ""
            return [Line((self._arrow(fact, client, kind, note=note),), seen)]
        ended = " and ".join(item_words(item) for _, item in fact.synth[:2])
        if len(fact.synth) > 2:
            ended = f"{len(fact.synth)} chunk streams"
        derived = f"#{fact.seq}a {derived_words(fact.synth)}"
        first = self._arrow(fact, stage, kind, note=f"ends {ended}")
        second = Arrow(stage, client, OF_ITEM.get(fact.synth[0][1].kind, "run"), "derived", derived, derived)
        onward = Arrow(stage, client, kind, "solid", fact.type or "", verb(fact.type))
        shown = pill(fact.synth, cut=fact.culprit)
        return [Line((first, second), shown), Line((onward,), seen)]

    def _label(self, fact: Fact) -> tuple[str, str, str, str | None]:
        """Name, short name, words and quoted text of a record's arrow."""
        if fact.type is None:
            return "no type", "no type", layout.plain(fact.detail), None
        parts = []
        if fact.item is not None and not fact.type.startswith(("RUN_", "SUBAGENT_", "STEP_")):
            parts.append(item_words(fact.item))
        detail = layout.isolate(layout.plain(fact.detail))
        if detail and detail not in parts:
            parts.append(detail)
        return layout.plain(fact.type), verb(fact.type), " ".join(parts), fact.text

    def _sentence(self, fact: Fact, lines: Sequence[Line]) -> str:
        name = self.lane_words(fact.lane)
        words = [f"#{fact.seq} {name} to client, {layout.plain(fact.type or 'a record without a type')}"]
        _, _, detail, text = self._label(fact)
        if detail:
            words[0] += f" {detail}"
        if text:
            words[0] += f" {layout.quote(text, _SPOKEN)}"
        notes = {
            REFUSED: f"refused: {fact.fault or 'not legal here'}",
            DROPPED: "ignored by the client",
            AFTER: "sent, never reached the application",
        }
        if fact.reached in notes:
            words.append(notes[fact.reached])
        elif fact.fault:
            words.append(f"{fact.severity}: {fact.fault}")
        if fact.synth and fact.reached not in (REFUSED, AFTER):
            words.append(f"derived {derived_words(fact.synth)}")
        words += [line.pill for line in lines if line.pill and fact.reached != REFUSED]
        return ", ".join(words)

    def lane_words(self, lane: int) -> str:
        found = self.lanes.get(lane)
        if lane == 0 or found is None:
            return "parent"
        return layout.plain(found.name) or layout.short_id(found.tag or "")

    # ── folds ──

    def _burst(self, burst: Burst) -> Row:
        parts = sorted(burst.parts, key=lambda p: (self.columns.of(p.lane), p.item.ord))
        lines = [self._part(p) for p in parts[:MAX_PARTS]]
        rest = parts[MAX_PARTS:]
        if rest:
            count = sum(p.count for p in rest)
            words = f"{len(rest)} more items, ×{count:,}"
            lines.append(
                Line((Arrow(self.columns.of(rest[0].lane), self.columns.client, "run", detail=words),))
            )
        sentence = f"{layout.numbers(burst.first, burst.last)} folded: " + "; ".join(
            f"{self.lane_words(p.lane)} to client, {grown(p.item)}, {amount(p)}" for p in parts
        )
        gone = all(p.reached == AFTER for p in parts)
        if gone:
            sentence += ", sent, never reached the application"
        return Row(burst.first, burst.last, tuple(lines), "loop", burst.seconds, gone=gone, sentence=sentence)

    def _part(self, part: Part) -> Line:
        lane, client, stage = self.columns.of(part.lane), self.columns.client, self.columns.expansion
        kind = OF_ITEM.get(part.item.kind, "run")
        growth = GROWTH.get(part.item.kind, "CONTENT")
        words, of = amount(part), item_words(part.item)
        shown = grows(part.item) if part.reached not in (AFTER, REFUSED) else ""
        if not part.item.chunked or stage is None:
            return Line((Arrow(lane, client, kind, "solid", growth, growth, words, of),), shown)
        arrows = [Arrow(lane, stage, kind, "solid", "CHUNK", "", words, of)]
        if part.reached != AFTER:
            words = f"{growth} ×{part.count:,}"
            arrows.append(Arrow(stage, client, kind, "derived", words, words))
        return Line(tuple(arrows), shown)

    def _folded_item(self, entries: Sequence[Entry]) -> Row:
        """START · CONTENT ×n · END of one item with nothing between, as one arrow."""
        start, last = entries[0], entries[-1]
        end_seq = last.last
        assert isinstance(start, Fact)
        assert start.item is not None
        item = start.item
        count = sum(p.count for e in entries if isinstance(e, Burst) for p in e.parts)
        count += sum(1 for e in entries[1:-1] if isinstance(e, Fact))
        growth = f"{GROWTH.get(item.kind, 'CONTENT')} ×{count:,} · " if count else ""
        name = f"{FAMILY.get(item.kind, '')} START · {growth}END".strip()
        arrow = Arrow(
            self.columns.of(start.lane),
            self.columns.client,
            kind_of(start.type),
            name=name,
            short=f"START · {growth}END",
            detail=item_words(item),
        )
        gone = start.reached == AFTER
        shown = pill((("end", item),)) if not gone else ""
        words = [
            f"#{start.seq} to #{end_seq} {self.lane_words(start.lane)} to client, {name} {item_words(item)}"
        ]
        words.append("sent, never reached the application" if gone else shown)
        sentence = ", ".join(w for w in words if w)
        return Row(
            start.seq, end_seq, (Line((arrow,), shown),), seconds=start.seconds, gone=gone, sentence=sentence
        )
