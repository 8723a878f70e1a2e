"""Metrics over many answers and over labelled scores.

Imports `citewell_verify.verdicts`.
"""
