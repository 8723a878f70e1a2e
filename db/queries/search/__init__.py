"""Statements that find passages: by vectors, by words, and through the graph."""
