"""How large a request is as Teams counts. Rules of this file: bytes in UTF-16, of the body as compact JSON.

The recorded body may have been written with more white space on the wire, so this is the least it can have been.
Images in base64 do not count. Source: the public page on formatting messages.
"""

from __future__ import annotations

import json
from typing import Any

from webapp.core.teams.compare import units

LIMIT_BYTES = 100 * 1024
LARGE = 80 * 1024


def wire_bytes(body: dict[str, Any]) -> int:
    """Bytes of the body in UTF-16."""
    attachments = body.get("attachments")
    if isinstance(attachments, list) and attachments:
        body = {**body, "attachments": [_without_image(one) for one in attachments]}
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return 0
    return 2 * units(text)


def kilobytes(size: int) -> str:
    """`131 KB`, to be read."""
    return f"{size / 1024:,.0f} KB"


def _without_image(attachment: Any) -> Any:
    if not isinstance(attachment, dict):
        return attachment
    url = attachment.get("contentUrl")
    if isinstance(url, str) and url[:5].lower() == "data:" and ";base64," in url[:100].lower():
        return {**attachment, "contentUrl": ""}
    return attachment
