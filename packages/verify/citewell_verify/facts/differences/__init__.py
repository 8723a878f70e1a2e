"""Finds the differences between a statement and one sentence of its source: values, names, parties, modality, words.

Imports `citewell_verify.facts.reading` and `citewell_verify.facts.kinds`; `citewell_verify.facts.comparison` combines
the differences.
"""
