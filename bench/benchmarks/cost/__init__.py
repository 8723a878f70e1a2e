"""Measures the cost of a query: CPU, memory, statements, model calls, time to the first token, and stored history."""
