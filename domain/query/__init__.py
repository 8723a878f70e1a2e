"""A query: its options and mode, its budget, and the outcomes of its steps and rounds.

Imports `citewell_verify.safety` and `citewell_verify.text`; the packages that judge answers import it.
"""
