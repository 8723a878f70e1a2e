"""Estimates how far a source supports a statement: the comparison, and fitted weights that turn it into a
probability."""
