"""What a recording shows beside its records: the head of the HTTP response that carried them.

Rules of this file: data only. Readers fill it in (`Account.head`), `Replay.finish` takes it; without it the rules about
it are skipped. No header's value but the content type's is kept, so nothing here can be a credential.
"""

from __future__ import annotations

from dataclasses import dataclass

OVERSIZE = 10 * 1024 * 1024  # bytes of a frame above which the reference client gives up


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The head of the recorded response. headers: names of the others, in lower case; no value of theirs is kept.

    status:       the HTTP status, None: not recorded
    content_type: the header as it was sent, parameters included; None: not there, or not recorded
    body:         the form in which the body was read as it was received: `sse`, `ndjson`, `array`, `protobuf`; None: it
                  is not recorded as it was received (only messages taken out of it, say)
    """

    status: int | None
    content_type: str | None
    headers: tuple[str, ...] = ()
    body: str | None = None

    @property
    def media_type(self) -> str | None:
        """The content type without parameters, in lower case."""
        return None if self.content_type is None else self.content_type.partition(";")[0].strip().lower()
