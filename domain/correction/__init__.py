"""Failing statements replaced or removed in the text of an answer.

Imports `domain.answers` and `domain.evidence`.
"""
