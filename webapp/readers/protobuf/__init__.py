"""The binary binding of AG-UI."""
