"""Compares a statement with a whole source: its best matching place, its sections and its tables.

Imports the packages `differences`, `structure` and `reading` of `citewell_verify.facts`.
"""
