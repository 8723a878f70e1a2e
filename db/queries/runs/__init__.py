"""Statements about one query: its steps, events, model calls and results."""
