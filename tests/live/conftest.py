"""The client library announces its preview parts when it is imported; that is no news to a test run."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import microsoft_teams.apps.http_stream  # noqa: F401
