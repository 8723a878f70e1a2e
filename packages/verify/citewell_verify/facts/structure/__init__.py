"""Reads the tables, records and sections of a source, and compares statements with them.

Imports `citewell_verify.facts.reading` and `citewell_verify.facts.kinds`.
"""
