"""Starts work: after a commit, and as soon as there is capacity for it."""
