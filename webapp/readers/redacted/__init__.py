"""Redacted files: recordings whose texts were taken out, with the verdict from before that."""
