"""Statements that sum up: metrics, quality over time, and lists a page at a time."""
