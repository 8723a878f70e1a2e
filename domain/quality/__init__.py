"""Metrics over many answers and over labelled scores.

Imports `domain.verdicts`.
"""
