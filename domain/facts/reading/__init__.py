"""A sentence read into tokens, clauses and values, and two sentences aligned token by token.

The lowest package of `domain.facts`; it imports `domain.entities` and `domain.text`.
"""
