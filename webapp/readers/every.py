"""Every stream of a file, one after the other, for whoever judges them without storing anything.

Rules of this file: a file with one stream is read as it is, so that line numbers are its own; only of several each
is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from webapp.readers import parts
from webapp.readers.har import connector, streamed
from webapp.readers.har.parts import HarParts
from webapp.readers.har.signs import is_har
from webapp.readers.limits import Limits
from webapp.readers.packing.layers import ZIP

_HAR = (connector.NAME, streamed.NAME)  # both begin alike: what was found inside says which


class Stream(NamedTuple):
    """title: "" when the file holds no other; form: read it so (None: find out); run_input: what asked for it."""

    title: str
    chunks: Iterable[bytes]
    form: str | None = None
    run_input: dict[str, Any] | None = None


def every(
    source: Callable[[], Iterable[bytes]], limits: Limits | None = None, form: str | None = None
) -> Iterator[Stream]:
    """source: gives the file, from its beginning each time. A stream is to be read before the next is asked for.

    form: as which the file is to be read, if that was chosen: it says how it is taken apart.

    Raises Refused and TooLarge.
    """
    bounds = limits or Limits()
    file = parts.plain_file(source(), bounds, form)
    if file is None:
        yield Stream("", source())
        return
    with file:
        several = parts.look(file, bounds, form)
        archive = parts.begins(file, ZIP)
        if several is None or not several.parts:
            # a HAR file is none of another form, wherever its `log` stands
            found = (
                connector.NAME
                if isinstance(several, HarParts) and not is_har(parts.beginning(file))
                else None
            )
            yield Stream("", source(), found)
            return
        for part in several.parts:
            found = part.form if part.form in _HAR and not archive else None
            if len(several.parts) == 1 and not archive:
                yield Stream("", source(), found, several.take(part.id).run_input)
            else:
                taken = several.take(part.id)
                yield Stream(part.title, taken.pieces, None, taken.run_input)
