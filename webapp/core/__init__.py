"""The engine. `Replay` judges one trace; it is pure: no clock, file, socket, randomness or logging."""

from webapp.core.findings import Finding, Report, Run
from webapp.core.records import Record, Step
from webapp.core.replay import ENGINE_VERSION, Replay

__all__ = ["ENGINE_VERSION", "Finding", "Record", "Replay", "Report", "Run", "Step"]
