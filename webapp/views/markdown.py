"""Text of a recording as Markdown that stays text.

Rules of this file: pure. Whatever a recording says, it opens no tag, link, table cell, code block, heading or
mention. Recorded words inside code have their backtick and pipe written as JSON escapes, so that neither ends the code
nor the cell in any dialect; elsewhere every character that could mean something is escaped.
"""

from __future__ import annotations

import re

from webapp.views.content import showable
from webapp.views.marks import parts

_SPECIAL = re.compile(r"[\\`*_\[\]~$]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "|": "&#124;", "&": "&amp;"}
_LINKS = re.compile(r"://|www\.", re.IGNORECASE)
_CALLS = re.compile(r"@|#(?=\d)")
_JOINER = "\u2060"  # no width, no break: with it `@name` calls nobody and `#12` links to no other ticket


def code(text: str) -> str:
    """A code span on one line, safe in a table cell: `a|b` is written a\\u007cb."""
    one_line = showable(re.sub(r"[ \t\r\n]+", " ", text)).replace("`", "\\u0060").replace("|", "\\u007c")
    return f"`{one_line}`" if one_line.strip() else "` `"


def plain(text: str) -> str:
    """Text without marks, escaped, on one line."""
    line = showable(re.sub(r"[ \t\r\n]+", " ", text))
    line = re.sub(r"[<>|&]", lambda found: _ENTITIES[found[0]], _SPECIAL.sub(r"\\\g<0>", line))
    line = _LINKS.sub(lambda found: found[0].replace(":", "\\:").replace(".", "\\."), line)
    return _CALLS.sub(rf"\g<0>{_JOINER}", line)


def prose(text: str) -> str:
    """Text with the engine's two marks: records and backticked words become code, the rest is escaped.

    Record numbers are code, since trackers make links to other tickets of a bare `#12`.
    """
    out = []
    for kind, word in parts(text):
        out.append(code(f"#{word}") if kind == "record" else code(word) if kind == "code" else plain(word))
    return "".join(out)
