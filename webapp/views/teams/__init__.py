"""Pages of a Microsoft Teams recording: what differs from AG-UI, in words and in what is looked up."""
