"""Divides an answer into sentences, citations and claims, also while it is being written.

Imports `domain.query`, `domain.text` and `domain.markers`; verdicts and corrections import it.
"""
