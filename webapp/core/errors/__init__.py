"""What an error sentence means: `look_up(text)` finds the known ones in any text, a traceback or a chat message.

Rules of this file: searching and gathering; the wordings stand in `agui` and `teams`, causes in the catalogue. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.core.advice import advise
from webapp.core.errors.agui import WORDINGS as AGUI
from webapp.core.errors.model import LABELS, Known, Wording
from webapp.core.errors.teams import CODES
from webapp.core.errors.teams import WORDINGS as TEAMS
from webapp.core.rules import Advice, catalogue

__all__ = ["Known", "Wording", "by_name", "excerpt", "look_up", "straight"]

MAX_TEXT = 100_000  # characters looked at
MAX_FOUND = 8
MAX_EXCERPT = 1500
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "´": "'", "`": "'"})
_ESCAPED = re.compile(r"\\u0027|&#0?39;|&apos;")
# ids that stand near an answer of the service
_NEAR = (
    ("conversation", re.compile(r"conversations/([^/\s\"'<>?#]{3,300})")),
    ("stream", re.compile(r"\"?stream_?Id\"?\s*[:=]\s*[\"']?([\w.:-]{3,200})", re.IGNORECASE)),
    ("MS-CV", re.compile(r"\bMS-CV\"?\s*[:=]\s*[\"']?([\w./+=-]{6,120})", re.IGNORECASE)),
    (
        "status",
        re.compile(
            r"(?:status(?:_?code)?[\"']?\s*[:=]?\s*|HTTP/[\d.]+ |\bHTTP )([1-5]\d\d)\b", re.IGNORECASE
        ),
    ),
)


def straight(text: str) -> str:
    """The text with the quotes that chats and JSON writers put in place of plain ones made plain again."""
    return _ESCAPED.sub("'", text[:MAX_TEXT].translate(_QUOTES))


def look_up(text: str) -> tuple[Known, ...]:
    """Known error sentences in a text, in its order, each wording once; () when there is none."""
    plain = straight(text)
    found: list[Known] = []
    for wording in (*AGUI, *TEAMS):
        match = wording.pattern.search(plain)
        if match is not None and not _covered(match, found):
            found.append(_known(wording, match, plain))
    if all(known.wording.protocol != "teams" for known in found):
        code = next(((w, m) for w in CODES if (m := w.pattern.search(plain)) is not None), None)
        if code is not None:
            found.append(_known(*code, plain))
    return tuple(sorted(found, key=lambda known: known.start)[:MAX_FOUND])


def by_name(names: Sequence[str]) -> tuple[Known, ...]:
    """The wordings of these names (`Wording.name`), as if each had been found; one that does not exist is left out."""
    rows = {wording.name: wording for wording in (*AGUI, *TEAMS, *CODES)}
    known = dict.fromkeys(name for name in names if name in rows)
    return tuple(
        Known(wording=rows[name], said="", start=0, causes=_causes(rows[name]))
        for name in list(known)[:MAX_FOUND]
    )


def excerpt(text: str) -> str:
    """The text, or of a long one the known sentences in it, short enough for an address; "" when none is known."""
    found = look_up(text)
    if not found:
        return ""
    whole = straight(text).strip()
    return whole if len(whole) <= MAX_EXCERPT else "\n".join(known.said for known in found)[:MAX_EXCERPT]


def _covered(match: re.Match[str], found: list[Known]) -> bool:
    """Whether another wording, listed before, was found at the same place: it says more."""
    return any(known.start == match.start() for known in found)


def _known(wording: Wording, match: re.Match[str], text: str) -> Known:
    ids = [(LABELS.get(name, name), value) for name, value in match.groupdict().items() if value]
    if wording.protocol == "teams":
        for label, pattern in _NEAR:
            near = pattern.search(text)
            if near is not None:
                ids.append((label, near[1]))
    return Known(
        wording=wording, said=_sentence(text, match), start=match.start(), ids=tuple(ids), causes=_causes(wording)
    )  # fmt: skip


def _sentence(text: str, match: re.Match[str]) -> str:
    """The line the wording stands in, from a little before it on."""
    begin = text.rfind("\n", 0, match.start()) + 1
    near = match.start() - 60
    cut = near > begin
    start = text.find(" ", near, match.start()) + 1 or match.start() if cut else begin
    stop = text.find("\n", match.end())
    line = text[start : len(text) if stop < 0 else stop].strip()
    return ("… " if cut else "") + line[:400] + ("…" if len(line) > 400 else "")


def _causes(wording: Wording) -> tuple[Advice, ...]:
    rules = [rule for rule in wording.rules if rule in catalogue()]
    told = [advise(rule, reason, wording.kind) for rule in rules[:1] for reason in wording.reasons]
    told += [advise(rule, None, wording.kind) for rule in rules[bool(wording.reasons) :]]
    out: list[Advice] = []
    for each in told:
        if each.cause and all(known.cause != each.cause for known in out):
            out.append(each)
    return tuple(out)
