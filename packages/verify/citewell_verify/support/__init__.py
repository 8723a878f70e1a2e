"""Estimates how far a source supports a statement, by a comparison and fitted weights of its features."""
