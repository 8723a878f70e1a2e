"""Compares a statement with its source fact by fact: subjects, values, and how each fact is asserted.

`comparison.compare` is the entry. Everything here is pure and analyses each sentence once;
`citewell_verify.evidence.contradictions` turns the differences into the kinds that users see (V1-V4).
"""
