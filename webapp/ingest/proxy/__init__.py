"""The recording proxy: between a client and its agent, or between an agent and Teams."""
