"""Reads the tables, records and sections of a source, and compares statements with them.

Imports `domain.facts.reading` and `domain.facts.kinds`.
"""
