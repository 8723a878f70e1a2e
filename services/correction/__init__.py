"""Corrective rounds, repairs of failed statements, and the conclusion of a query.

Imports `services.retrieval`, `services.reporting` and `services.verification`.
"""
