"""Finds the differences between a statement and one sentence of its source: values, names, parties, modality, words.

Imports `domain.facts.reading` and `domain.facts.kinds`; `domain.facts.comparison` combines the differences.
"""
