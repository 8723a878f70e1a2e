"""Stored answers examined again: replayed from their record, verified again, invalidated by changed documents.

Imports `services.external`, `services.correction` and what is below them.
"""
