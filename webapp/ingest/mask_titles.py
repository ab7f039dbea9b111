"""Credentials in what a file, a member of an archive or a stream is called, and in sentences that name one.

Rules of this file: names only. In a text `run-ghp_…` or `token=…` may be a part of a longer word or a programmer's;
in a name words are joined by `-`, `_`, `.` and `/`, so one may begin behind each of them, and `=` gives a value.
What a name ends with (`.sse`) stays.
"""

from __future__ import annotations

import re

from webapp.core.masking.masker import masked_text

LONGEST = 2000  # characters of a name that are looked at so closely; readers cut names at a tenth of it
_PART = re.compile(r"[^\s/\\]+")
_ENDING = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,6}){1,2}[,;:.]?\Z")
_JOINT = re.compile(r"[-_.=]+")


def masked_title(text: str) -> str:
    """The same name, at the same length in bytes, its credentials overwritten."""
    clean = masked_text(text)[0]
    return clean if len(clean) > LONGEST else _PART.sub(_part, clean)


def _part(found: re.Match[str]) -> str:
    part = found[0]
    ending = _ENDING.search(part)
    end = len(part) if ending is None else ending.start()
    name, ending_text = part[:end], part[end:]
    if "=" in name:
        name = _behind(name, "?")
    for joint in list(_JOINT.finditer(name)):
        name = name[: joint.end()] + masked_text(name[joint.end() :])[0]
    return name + ending_text


def _behind(name: str, mark: str) -> str:
    """As if the name were a part of an address."""
    return masked_text(mark + name)[0][len(mark) :]
