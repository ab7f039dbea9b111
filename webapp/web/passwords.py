"""Hashing passwords beside the event loop, and the forms that carry them.

Rules of this file: two hashes at a time, in threads of their own: each takes 64 MB, and those who wait to sign in must
not keep others from reading. A form of strangers is read to a small limit, whatever length it claims.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from urllib.parse import parse_qs

from fastapi import Request

from webapp.errors import BadInput, TooLarge

FORM_BYTES = 16_384
_AT_ONCE = ThreadPoolExecutor(max_workers=2, thread_name_prefix="password")

Result = TypeVar("Result")


async def beside(work: Callable[[], Result]) -> Result:
    """Do something that hashes: its result, or what it raises."""
    return await asyncio.get_running_loop().run_in_executor(_AT_ONCE, work)


async def small_form(request: Request) -> dict[str, str]:
    """The members of a form as browsers send it, the first of each name. Raises BadInput and TooLarge."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_BYTES:
            raise TooLarge(f"A form like this has {FORM_BYTES:,} bytes at most.")
    try:
        found = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="strict")
    except ValueError:
        raise BadInput("The form cannot be read; load the page anew and send it again.") from None
    return {name: values[0] for name, values in found.items()}
