"""Recordings that come with the product: `NAME.sse` as received, `NAME.input.json` its run input."""
