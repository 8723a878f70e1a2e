"""Analyses a sentence into tokens, clauses and values, and aligns two sentences token by token.

The lowest package of `domain.facts`; it imports `domain.entities` and `domain.text`.
"""
