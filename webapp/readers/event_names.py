"""How the events of AG-UI are called, for whoever looks for one in a text.

Rules of this file: patterns only. Families of names, retired ones (THINKING) too: a name this product does not know yet
still tells the protocol.
"""

from __future__ import annotations

import re

FAMILY = r"(?:RUN|STEP|TEXT_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|REASONING|THINKING|SUBAGENT)"
NAME = rf"(?:{FAMILY}_[A-Z_]+|RAW|CUSTOM)"
IS_NAME = re.compile(NAME)
IN_JSON = re.compile(rb'"type"\s*:\s*"' + NAME.encode() + rb'"')
ANY_IN_JSON = re.compile(rb'"type"\s*:\s*"[A-Z][A-Z_]+"')  # one that looks like it: to count events, about
