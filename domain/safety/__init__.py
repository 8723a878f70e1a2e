"""Prompt injection: finds and removes instructions to a model in a source.

Imports `domain.text`; what shows a source to a model imports it.
"""
