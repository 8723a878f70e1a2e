"""Prompts, the schemas of replies, and the form in which models see passages.

Imports `domain.safety`; the packages that use replies import it.
"""
