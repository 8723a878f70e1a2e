"""Reads what a question asks and names, and decides whether an answer answers it (V8)."""
