"""Credentials, found by their shape or the name they stand under, and overwritten at their own length.

Rules of this package: bytes in, bytes out; it is applied to what comes in (`ingest/cleaner.py`) and to texts that only
a redaction puts together (`redact/texts.py`).
"""
