"""Statements that summarise: metrics, quality over time, runs of evaluations, and lists a page at a time."""
