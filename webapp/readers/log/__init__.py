"""Logs and consoles: events behind a prefix, calls of HTTP clients."""
