"""Divides an answer into sentences, citations and claims, also while it is being written.

Imports `domain.query`, `citewell_verify.text` and `citewell_verify.markers`; verdicts and corrections import it.
"""
