"""What goes wrong with a call before anything of an answer is worth recording.

Rules of this file: a leaf; the exception and nothing else.
"""

from __future__ import annotations

from webapp.errors import UserError


class CallFailed(UserError):
    """The agent could not be reached, or answered nothing that could be recorded."""
