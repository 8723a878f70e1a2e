"""Evaluations on labelled data: verdicts on statements, and retrieval.

Imports `services.retrieval`, `services.judging` and `services.core`.
"""
