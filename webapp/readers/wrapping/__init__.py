"""What stands around a stream and is taken off: a Markdown fence, an HTTP head."""
