"""Estimates how far a source supports a statement: a comparison, and fitted weights of what it shows."""
