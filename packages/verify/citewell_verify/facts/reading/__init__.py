"""Analyses a sentence into tokens, clauses and values, and aligns two sentences token by token.

The lowest package of `citewell_verify.facts`; it imports `citewell_verify.entities` and `citewell_verify.text`.
"""
