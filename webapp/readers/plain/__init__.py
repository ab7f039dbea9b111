"""A stream without anything around it: server-sent events, JSON lines, a JSON array."""
