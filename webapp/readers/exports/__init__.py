"""Exports of inspectors, debug streams and browser tabs."""
