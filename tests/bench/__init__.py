"""`make bench`: speed and memory as ratios from one run. No test asserts a time; the figures go into release notes."""
