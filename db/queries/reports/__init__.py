"""Statements that sum up: metrics, quality over time, runs of evaluations, and lists a page at a time."""
