"""What several tests of calls start from."""

from __future__ import annotations

import pytest

from tests.ingest.call import tls


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tls.Certificate:
    """For the name agent.example."""
    return tls.make(tmp_path_factory.mktemp("tls") / "both.pem", "agent.example")
