"""Ranking of passages: lexical scores, fused rankings, and the choice of an answer's sources.

Imports `citewell_verify.text` only.
"""
