"""Prompt injection: instructions to a model that stand in a source, found and removed.

Imports `domain.text`; what shows a source to a model imports it.
"""
