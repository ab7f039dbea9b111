"""HAR files: calls of the Teams connector, streams of agents."""
