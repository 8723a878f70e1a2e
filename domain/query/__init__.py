"""A query: its options and mode, its budget, and the outcomes of its steps and rounds.

Imports `domain.safety` and `domain.text`; the packages that judge answers import it.
"""
