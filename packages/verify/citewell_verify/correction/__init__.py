"""Replaces or removes failing statements in the text of an answer.

Imports `domain.answers` and `citewell_verify.evidence`.
"""
